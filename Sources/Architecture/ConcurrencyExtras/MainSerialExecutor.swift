internal import Glibc
internal import Synchronization

/// Runs an operation while all tasks without an executor of their own run serially on the main actor.
///
/// Tasks then run one at a time in the order in which they were started or resumed, so that a test of concurrent code
/// is deterministic:
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
/// This applies to the whole process while any such operation runs. Concurrent tests are slowed down. A test that
/// blocks the main actor while it waits for a task, for example in an event loop, then waits forever: use an exit test
/// (`#expect(processExitsWith: .success) { … }`) in a target with such tests. Actors with an executor of their own keep
/// it.
@MainActor
public func withMainSerialExecutor<Result>(
  operation: @MainActor () async throws -> Result
) async rethrows -> Result {
  MainSerialExecutor.begin()
  defer { MainSerialExecutor.end() }
  return try await operation()
}

/// Runs a synchronous operation, during which all tasks run serially on the main actor.
public func withMainSerialExecutor<Result>(operation: () throws -> Result) rethrows -> Result {
  MainSerialExecutor.begin()
  defer { MainSerialExecutor.end() }
  return try operation()
}

/// True if all tasks run serially on the main actor, for test targets that need it throughout.
///
/// It is not reset at the end of a test; prefer ``withMainSerialExecutor(operation:)``.
public var uncheckedUseMainSerialExecutor: Bool {
  get { MainSerialExecutor.isInstalled }
  set { MainSerialExecutor.setAlways(newValue) }
}

/// The hook to which the concurrency runtime passes each job without an executor.
private enum MainSerialExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private struct Users {
    var count = 0
    var always = false
    var isInstalled: Bool { count > 0 || always }
  }

  private static let users = Mutex(Users())
  /// The runtime's variable; nil if the runtime is statically linked, which hides it.
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
