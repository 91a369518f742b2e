internal import ConcurrencyExtras
internal import Sharing
internal import Synchronization
internal import Wire

/// The link between one reference of `@Shared(.hub(…))`, which any thread may change, and its part of the model on the
/// loop's thread.
///
/// Calls are executed in order: those of the loop's thread before they return, unless another one is being executed, and
/// those of others soon.
nonisolated final class PartLink<Model: Replicated, Value: Replicated & Sendable>: Sendable {
  private typealias Job = @MainActor @Sendable (PartMirror<Model, Value>) -> Void

  private struct Queue {
    var jobs: [Job] = []
    /// True while the loop's thread executes jobs.
    var isBusy = false
  }

  private let path: [PathStep]
  private let queue = Mutex(Queue())
  private let mirror: PartMirror<Model, Value>

  init(_ path: [PathStep], of source: any ModelSource<Model>) {
    self.path = path
    mirror = PartMirror(path, of: source)
  }

  func load(_ context: LoadContext<Value>, _ continuation: LoadContinuation<Value>) {
    perform { $0.load(context, continuation) }
  }

  func subscribe(_ subscriber: SharedSubscriber<Value>) -> SharedSubscription {
    perform { $0.subscribe(subscriber) }
    return SharedSubscription { self.perform { $0.end() } }
  }

  func save(from base: Value, to value: Value, isRequest: Bool, _ continuation: SaveContinuation) {
    let changes = PartChange<Model>.changes(of: path, from: base, to: value)
    // The reference may have received a value of the hub before the loop's thread learns of this change.
    let isDelayed = !MainThread.isCurrent
    perform { mirror in
      // The mirror reports nothing before it has the change.
      continuation.taken()
      mirror.save(changes, as: value, isRequest: isRequest, isDelayed: isDelayed, continuation)
    }
  }

  private func perform(_ job: @escaping Job) {
    queue.withLock { $0.jobs.append(job) }
    MainThread.run { self.executeJobs() }
  }

  @MainActor private func executeJobs() {
    let begins = queue.withLock { queue in
      defer { queue.isBusy = true }
      return !queue.isBusy
    }
    guard begins else { return }
    while let job = nextJob() { job(mirror) }
  }

  private func nextJob() -> Job? {
    queue.withLock { queue in
      guard !queue.jobs.isEmpty else {
        queue.isBusy = false
        return nil
      }
      return queue.jobs.removeFirst()
    }
  }
}
