package import ConcurrencyExtras
internal import Synchronization

/// Which test runs, as the module `DependenciesTestSupport` knows, which links the test framework.
package enum CurrentTest {
  /// Set by the test traits: one run of one case of a test.
  @TaskLocal package static var scope: AnyHashableSendable?

  private static let finder = Mutex<(@Sendable () -> AnyHashableSendable?)?>(nil)

  /// Says how to find the identity of the current task's test.
  package static func install(_ find: @escaping @Sendable () -> AnyHashableSendable?) {
    finder.withLock { $0 = find }
  }

  /// The current task's test; nil outside tests, in a detached task, and where no test framework is linked.
  package static var id: AnyHashableSendable? {
    scope ?? finder.withLock { $0 }?()
  }
}
