internal import HubCore

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
