internal import Glibc
internal import Synchronization

/// A thread of the operating system that runs a worker.
enum GeneratorThread {
  private final class Start {
    let task: WorkerTask
    let state: RunState

    init(_ task: WorkerTask, _ state: RunState) { (self.task, self.state) = (task, state) }
  }

  /// Starts the thread.
  static func start(_ task: WorkerTask, _ state: RunState) throws(LoadError) -> pthread_t {
    let start = Unmanaged.passRetained(Start(task, state))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        do throws(LoadError) {
          try Worker(start.task, start.state).run()
        } catch {
          start.state.reports[start.task.number].figures.withLock { $0.failure = error }
        }
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      start.release()
      throw .failed("cannot start a thread: \(String(cString: strerror(result)))")
    }
    return thread
  }

  /// Waits until a thread has ended.
  static func join(_ thread: pthread_t) { pthread_join(thread, nil) }
}
