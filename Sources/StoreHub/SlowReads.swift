internal import HubCore
internal import Wire

/// The slow reads after a blocked turn. Reads are timed for a while, so that the action that blocks the next turn can
/// be named. For the first blocked turn only the last read is known: timing each read is too expensive while none is
/// slow.
struct SlowReads {
  /// A slow read.
  typealias Read = (milliseconds: UInt64, actions: [String], peer: Peer)

  /// The minimum duration of a slow read, in milliseconds.
  private static let threshold: UInt64 = 50
  /// The time during which reads are timed after a blocked turn, in milliseconds.
  private static let duration: UInt64 = 60_000

  /// True while reads are timed.
  private(set) var isOn = false
  private var end: UInt64 = 0
  private var slowest: Read?

  /// Starts to time reads.
  mutating func begin(at now: UInt64) { (isOn, end) = (true, now + Self.duration) }

  /// Records the duration of a read, in nanoseconds.
  mutating func note(_ time: UInt64, at now: UInt64, _ read: (_ milliseconds: UInt64) -> Read) {
    isOn = now < end
    let milliseconds = time / 1_000_000
    guard milliseconds >= Self.threshold, milliseconds > slowest?.milliseconds ?? 0 else { return }
    slowest = read(milliseconds)
  }

  /// Removes and returns the slowest read of the turn.
  mutating func take() -> Read? { slowest.take() }
}

extension HubShell {
  /// The minimum duration of a reported turn, in milliseconds.
  static var longTurn: UInt64 { 100 }

  /// Logs the actions that blocked the loop. The bytes of the last read are still in the loop's buffer.
  func reportLongTurn(_ time: UInt64) {
    slowReads.begin(at: loop.turnMilliseconds)
    if let (time, names, peer) = slowReads.take() {
      return log.write(
        .warning, cause: Log.Cause("blocked turns", user: peer.user),
        """
        the loop was blocked for \(time) ms by \(names.isEmpty ? "an action" : names.joined(separator: ", ")) of process \
        \(peer.process) of user \(peer.user)
        """)
    }
    if let waiting = core.lastWork, let peer = core.peer(of: waiting) {
      let names = core.names(ofActionsThatWaitOn: waiting)
      return log.write(
        .warning, cause: Log.Cause("blocked turns", user: peer.user),
        """
        the loop was blocked for \(time) ms; actions that had waited were handled, of process \(peer.process) of user \
        \(peer.user); \(names.isEmpty ? "none wait now" : "those that wait are \(names.joined(separator: ", "))")
        """)
    }
    guard let sender = lastSender, let peer = core.peer(of: sender) else {
      return log.write(
        .warning, cause: Log.Cause("blocked turns"), "the loop was blocked for \(time) ms, by no action of a client")
    }
    let names = loop.readBuffer.withLastRead { core.names(ofActionsIn: $0) }
    log.write(
      .warning, cause: Log.Cause("blocked turns", user: peer.user),
      """
      the loop was blocked for \(time) ms; the last actions were \
      \(names.isEmpty ? "not whole" : names.joined(separator: ", ")), of process \(peer.process) of user \(peer.user)
      """)
  }
}
