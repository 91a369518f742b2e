internal import ProgramOptions

/// The messages of a terminal about its connection, once for each change.
package nonisolated struct ConnectionNews {
  /// A message for the user, or the reason why the program ends.
  package enum Item: Equatable {
    case say(String, isBad: Bool)
    case end(String)
  }

  /// True if the program waits for a hub that is not there at the start.
  private let waitsForHub: Bool
  /// True once the loss of the connection was reported, until there is another one.
  private var isAway = false
  private var reportedLossCount = 0

  package init(waitsForHub: Bool) { self.waitsForHub = waitsForHub }

  /// Returns the messages about a changed connection.
  ///
  /// - Parameters:
  ///   - connection: The state of the connection.
  ///   - goodbye: The reason with which the hub has ended it, if it has.
  ///   - isHubMissing: True if no hub listens on the socket.
  ///   - hasContent: True if the terminal shows a state.
  ///   - lossCount: The number of times that the hub had lost state.
  package mutating func changed(
    _ connection: ConnectionState, goodbye: String?, isHubMissing: Bool, hasContent: Bool, lossCount: Int
  ) -> [Item] {
    switch connection {
    case .connecting(_, let failure?) where !waitsForHub && !hasContent:
      return [.end(failureMessage(failure, isHubMissing: isHubMissing))]
    case .refused(let reason): return [.end(reason)]
    case .stale(_, _, let reason) where !isAway:
      isAway = true
      return [.say(goodbye ?? "the connection to the hub was lost: \(reason)", isBad: goodbye == nil)]
    case .live:
      var items: [Item] = isAway ? [.say("the hub is back", isBad: false)] : []
      isAway = false
      if lossCount > reportedLossCount {
        reportedLossCount = lossCount
        items.append(.say("the hub came back without its last state: this is what it has now", isBad: true))
      }
      return items
    default: return []
    }
  }

  /// Returns the reason for a failure of a program that ends with pending actions; nil without any.
  package static func unacknowledged(_ count: Int) -> String? {
    count > 0 ? "the hub has not acknowledged \(counted(count, "action")), which may be lost" : nil
  }

  /// Returns the message of a program that waits at its end.
  package static func waiting(_ count: Int) -> String {
    "waiting for the hub to acknowledge \(counted(count, "action")); q or ^C quits at once"
  }
}
