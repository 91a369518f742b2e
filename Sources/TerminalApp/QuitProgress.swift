/// The time between the key that ends a program and its end, in which the hub acknowledges the last actions.
package final class QuitProgress {
  /// The time that the hub has, and the time after which the screen says that the program waits.
  private static let (timeout, noticeDelay) = (Duration.seconds(2), Duration.milliseconds(300))

  private var timer: Timer?
  private var isNoticed = false
  private let notice: () -> Void
  private let end: () -> Void

  /// Waits for an action, and calls `end` when its outcome is known, or after 2 s.
  package init(
    waitingFor action: StoreTask, on loop: EventLoop, notice: @escaping () -> Void, end: @escaping () -> Void
  ) {
    (self.notice, self.end) = (notice, end)
    timer = try? Timer(on: loop) { [weak self] in self?.fired() }
    timer?.start(after: Self.noticeDelay)
    Task { [weak self] in
      await action.finish()
      self?.end()
    }
  }

  private func fired() {
    guard !isNoticed else { return end() }
    isNoticed = true
    notice()
    timer?.start(after: Self.timeout - Self.noticeDelay)
  }
}
