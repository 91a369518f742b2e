/// Calls a function after a deadline, once the sockets have been read again.
///
/// libuv runs timers before it polls. If the process was stopped or busy for longer than a time limit, bytes that
/// arrived meanwhile are still in the sockets when the timer fires. Without another poll, a punctual peer would appear
/// late.
public final class DeadlineTimer {
  private let loop: EventLoop
  private var timer: Timer?
  private var armed: Duration?
  /// True if the deadline has passed, and the sockets are being read again.
  private var isDue = false
  private var onDeadline: (() -> Void)?

  /// Creates a timer without a deadline. The captures of `onDeadline` are released with it.
  public init(on loop: EventLoop, _ onDeadline: @escaping () -> Void) throws(UVError) {
    self.loop = loop
    self.onDeadline = onDeadline
    // Unowned and not weak, which would make every retain slower: the timer does not outlive this object.
    timer = try Timer(on: loop) { [unowned self] in fired() }
  }

  /// Sets the deadline, a time of the loop's clock. Nil and the deadline that is already set have no effect.
  public func arm(_ deadline: Duration?) {
    guard !isDue, let deadline, deadline != armed else { return }
    armed = deadline
    timer?.start(after: deadline - loop.now)
  }

  private func fired() {
    isDue.toggle()
    if isDue {
      // Not 0: libuv would fire it again before it polls.
      timer?.start(after: .milliseconds(1))
    } else {
      armed = nil
      onDeadline?()
    }
  }
}
