internal import Glibc
internal import Synchronization

/// Runs an operation while all tasks that have no executor of their own take turns on the main actor.
///
/// Tasks then run one at a time in the order in which they were started or resumed, so that a test of concurrent code
/// gives the same answer each time:
///
/// ```swift
/// @Test func values() async {
///   await withMainSerialExecutor {
///     Task { await model.countdown() }
///     await Task.yield()            // the task has now run to its first suspension
///     #expect(model.isCounting)
///   }
/// }
/// ```
///
/// The order is the whole process's while any operation runs. Tests that run beside this one are slowed down; one that
/// blocks the main actor while it waits for a task, as a test that runs an event loop may, then waits for ever: use an
/// exit test (`#expect(processExitsWith: .success) { … }`) in a target that has such tests. Actors that name an executor
/// of their own keep it.
@MainActor
public func withMainSerialExecutor<Result>(
  operation: @MainActor () async throws -> Result
) async rethrows -> Result {
  MainSerialExecutor.begin()
  defer { MainSerialExecutor.end() }
  return try await operation()
}

/// Runs a synchronous operation whose tasks all take turns on the main actor while it runs.
public func withMainSerialExecutor<Result>(operation: () throws -> Result) rethrows -> Result {
  MainSerialExecutor.begin()
  defer { MainSerialExecutor.end() }
  return try operation()
}

/// Whether all tasks take turns on the main actor, for a test target that wants it throughout.
///
/// Setting it is not undone by the end of a test; ``withMainSerialExecutor(operation:)`` is the better choice.
public var uncheckedUseMainSerialExecutor: Bool {
  get { MainSerialExecutor.isInstalled }
  set { MainSerialExecutor.setAlways(newValue) }
}

/// The hook through which the concurrency runtime hands over each job that no executor claims.
private enum MainSerialExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private struct Users {
    var count = 0
    var always = false
    var isInstalled: Bool { count > 0 || always }
  }

  private static let users = Mutex(Users())
  /// The runtime's variable; nil where the runtime is linked statically and hides it.
  private static let hook = UncheckedSendable(
    dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: Hook?.self))

  static var isInstalled: Bool { users.withLock { $0.isInstalled } }
  static func begin() { change { $0.count += 1 } }
  static func end() { change { $0.count -= 1 } }
  static func setAlways(_ always: Bool) { change { $0.always = always } }

  private static func change(_ change: (inout Users) -> Void) {
    users.withLock { users in
      change(&users)
      hook.value?.pointee = users.isInstalled ? { job, _ in MainActor.shared.enqueue(job) } : nil
    }
  }
}
