/// Lets a loop poll without sleeping for a time after activity: bytes that were read or written, connections, wake-ups
/// by other threads, and events of polled descriptors. Timers of libuv and signals are none.
///
/// While it polls, the loop turns: callbacks, timers and the order of all work stay as they are. Afterwards the loop sleeps
/// and costs nothing.
final class BusyPoll {
  /// The time in nanoseconds for which the loop polls after activity.
  var time: UInt64
  private let loop: EventLoop
  private var turn: TurnRequest?
  private var hooks: TurnHooks?
  /// The clock at which the loop sleeps again; nil from activity until the next turn begins.
  private var end: UInt64?

  init(on loop: EventLoop, time: UInt64) throws(UVError) {
    (self.loop, self.time) = (loop, time)
    // Unowned: neither outlives this object.
    turn = try TurnRequest(on: loop, onTurn: { [unowned self] in goOn($0) }, onClosed: {})
    // Also before the loop waits: what other hooks write there must not wait for a sleeping loop.
    hooks = try TurnHooks(on: loop) { [unowned self] in takeActivity() }
  }

  isolated deinit { turn?.close() }

  private func takeActivity() {
    guard unsafe loop.activity.pointee else { return }
    unsafe loop.activity.pointee = false
    // The time begins with the next turn, when this one has written its output.
    end = nil
    turn?.request()
  }

  private func goOn(_ turn: TurnRequest) {
    let now = loop.nanoseconds
    if let end, now >= end { return }
    if end == nil { end = now + time }
    turn.request()
  }
}
