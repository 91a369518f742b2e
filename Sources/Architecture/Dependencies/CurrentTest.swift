package import ConcurrencyExtras
internal import Synchronization

/// The identity of the current test. The module `DependenciesTestSupport`, which links the test frameworks, provides
/// it.
package enum CurrentTest {
  /// Set by the test traits: identifies one run of one case of a test.
  @TaskLocal package static var scope: AnyHashableSendable?

  private static let finder = Mutex<(@Sendable () -> AnyHashableSendable?)?>(nil)

  /// Sets the function that finds the identity of the current test.
  package static func install(_ find: @escaping @Sendable () -> AnyHashableSendable?) {
    finder.withLock { $0 = find }
  }

  /// The current test; nil outside tests, in a detached task of Swift Testing, and where no test framework is linked.
  package static var id: AnyHashableSendable? {
    scope ?? finder.withLock { $0 }?()
  }
}
