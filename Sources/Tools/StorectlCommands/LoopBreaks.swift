internal import EventLoop

/// Breaks in long work on the loop's thread, in which the loop handles signals, requests and output.
final class LoopBreaks {
  private let loop: EventLoop
  private var last: Duration

  init(_ loop: EventLoop) {
    (self.loop, last) = (loop, loop.preciseNow)
  }

  /// Suspends for a turn of the loop if the last call that did so was more than 20 ms ago.
  func takeIfDue() async {
    guard loop.preciseNow - last > .milliseconds(20) else { return }
    var timer: Timer?
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      timer = try? Timer(on: loop) { waiting.take()?.resume() }
      timer?.start(after: .zero)
      if timer == nil { waiting.take()?.resume() }
    }
    timer?.stop()
    last = loop.preciseNow
  }
}
