internal import HubCore
internal import ServiceProcess

extension HubShell {
  /// The minimum duration of a reported turn, in milliseconds.
  static var longTurn: UInt64 { 100 }

  /// Logs the actions that blocked the loop. The bytes of the last read are still in the loop's buffer. They are decoded
  /// only for a line that is written.
  func reportLongTurn(_ time: UInt64) {
    // Otherwise the reads of the next minute would be timed for nothing.
    guard log.level >= .warning else { return }
    slowReads.begin(at: loop.turnMilliseconds)
    if let (time, names, peer) = slowReads.take() {
      return log.write(
        .warning, cause: Log.Cause("blocked turns", user: peer.uid),
        """
        the loop was blocked for \(time) ms by \(names.isEmpty ? "an action" : names.joined(separator: ", ")) of \
        \(peer.text)
        """)
    }
    if let waiting = core.lastWork, let peer = core.peer(of: waiting) {
      return log.write(
        .warning, cause: Log.Cause("blocked turns", user: peer.uid),
        """
        the loop was blocked for \(time) ms; actions that had waited were handled, of \(peer.text); \
        \(Self.list(core.names(ofActionsThatWaitOn: waiting), "those that wait are ", else: "none wait now"))
        """)
    }
    guard let sender = lastSender, let peer = core.peer(of: sender) else {
      return log.write(
        .warning, cause: Log.Cause("blocked turns"), "the loop was blocked for \(time) ms, by no action of a client")
    }
    log.write(
      .warning, cause: Log.Cause("blocked turns", user: peer.uid),
      """
      the loop was blocked for \(time) ms; the last actions were \(Self.list(lastNames(), else: "not whole")), of \
      \(peer.text)
      """)
  }

  /// Reports an effect that has computed or blocked for too long without being suspended.
  func reportBlocking(effect: String, _ time: Duration) {
    log.write(
      .warning, cause: Log.Cause("blocked turns"),
      """
      the loop was blocked for \(Int(time / .milliseconds(1))) ms by the effect \(effect); work that computes or blocks \
      belongs on the pool: .run(on: .pool)
      """)
  }

  /// The names of the actions in the last read.
  func lastNames() -> [String] {
    loop.readBuffer.withLastRead { bytes, start in core.names(ofActionsIn: bytes, from: start) }
  }

  private static func list(_ names: [String], _ verb: String = "", else none: String) -> String {
    names.isEmpty ? none : verb + names.joined(separator: ", ")
  }
}
