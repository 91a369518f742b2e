internal import Dispatch

/// A timer on a queue, until it is released.
final class QueueTimer {
  private let source: any DispatchSourceTimer

  init(on queue: DispatchQueue, _ onFire: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: onFire)
    source.activate()
  }

  deinit { source.cancel() }

  /// Fires once after a time; replaces an earlier call.
  func start(after delay: Duration) {
    let (seconds, attoseconds) = max(delay, .zero).components
    let nanoseconds = min(seconds, 1 << 30) * 1_000_000_000 + attoseconds / 1_000_000_000
    source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)), leeway: .milliseconds(1))
  }
}
