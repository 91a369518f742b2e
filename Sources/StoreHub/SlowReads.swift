internal import HubCore
internal import Wire

/// Times reads for a while after a turn that was blocked, so that the action that blocks the next one is named. Before, only
/// the last read of a turn is known: timing each read costs too much when none is slow.
struct SlowReads {
  /// A read that took long.
  typealias Read = (milliseconds: UInt64, actions: [String], peer: Peer)

  /// From how many milliseconds on a read is noted.
  private static let threshold: UInt64 = 50
  /// For how long reads are timed, in milliseconds.
  private static let duration: UInt64 = 60_000

  /// Whether reads are timed.
  private(set) var isOn = false
  private var end: UInt64 = 0
  private var slowest: Read?

  /// Times reads from now on.
  mutating func begin(at now: UInt64) { (isOn, end) = (true, now + Self.duration) }

  /// Notes how long a read has taken, in nanoseconds.
  mutating func note(_ time: UInt64, at now: UInt64, _ read: (_ milliseconds: UInt64) -> Read) {
    isOn = now < end
    let milliseconds = time / 1_000_000
    guard milliseconds >= Self.threshold, milliseconds > slowest?.milliseconds ?? 0 else { return }
    slowest = read(milliseconds)
  }

  /// The slowest read of the turn.
  mutating func take() -> Read? { slowest.take() }
}

extension HubShell {
  /// From how many milliseconds on a turn is reported.
  static var longTurn: UInt64 { 100 }

  /// Names the actions that have blocked the loop: those that were read last are still in the loop's buffer.
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
    let names = loop.withLastRead { core.names(ofActionsIn: $0) }
    log.write(
      .warning, cause: Log.Cause("blocked turns", user: peer.user),
      """
      the loop was blocked for \(time) ms; the last actions were \
      \(names.isEmpty ? "not whole" : names.joined(separator: ", ")), of process \(peer.process) of user \(peer.user)
      """)
  }
}
