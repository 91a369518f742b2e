/// Calls a function when a deadline has passed, after the sockets have been read once more.
///
/// libuv runs timers before it polls. When the process was stopped or busy for longer than a time limit, what came in
/// meanwhile is still in the sockets when the timer fires; without one more poll a punctual peer would be late.
public final class DeadlineTimer {
  private let loop: EventLoop
  private var timer: Timer?
  private var armed: Duration?
  /// Whether the deadline has passed, and the sockets are being read once more.
  private var isDue = false
  private var onDeadline: (() -> Void)?

  /// Creates a timer without a deadline. It does not keep what `onDeadline` captures after the value has gone.
  public init(on loop: EventLoop, _ onDeadline: @escaping () -> Void) throws(UVError) {
    self.loop = loop
    self.onDeadline = onDeadline
    // Unowned and not weak, which would make every retain slower: the timer ends with this.
    timer = try Timer(on: loop) { [unowned self] in fired() }
  }

  /// Sets the deadline, a time of the loop's clock; one that has been set already, or nil, changes nothing.
  public func arm(_ deadline: Duration?) {
    guard !isDue, let deadline, deadline != armed else { return }
    armed = deadline
    timer?.start(after: deadline - loop.now)
  }

  private func fired() {
    isDue.toggle()
    if isDue {
      // Not at once: libuv would fire it again before it polls.
      timer?.start(after: .milliseconds(1))
    } else {
      armed = nil
      onDeadline?()
    }
  }
}
