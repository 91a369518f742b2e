import ClusterCore
import ClusterLog
import Wire

nonisolated extension JournalPlace {
  /// The journal for the core.
  var journal: ClusterCore.Journal {
    ClusterCore.Journal(history: history, point: LogPoint(after: last, turn: turn), last: last)
  }

  /// Reads the place of a journal.
  ///
  /// - Parameters:
  ///   - bytes: The stored place; nil if there is none.
  ///   - tail: The journal's last turn.
  /// - Returns: What the core proves.
  /// - Throws: The reason why the journal is not a copy of a cluster's log.
  static func journal(_ bytes: [UInt8]?, tail: UInt64) throws(ClusterNodeError) -> ClusterCore.Journal {
    guard let bytes else {
      guard tail == 0 else { throw .ownHistory(turns: tail) }
      return .empty
    }
    guard let place = try? JournalPlace(decoding: bytes.span.bytes) else { throw .damagedPlace }
    guard place.turn == tail else { throw .otherTurns(place.turn, tail) }
    return place.journal
  }
}

/// The reasons why a node cannot start.
package nonisolated enum ClusterNodeError: Error, Equatable, CustomStringConvertible {
  case ownHistory(turns: UInt64)
  case otherTurns(UInt64, UInt64)
  case damagedPlace
  case address(String, reason: String)
  case tls(String)

  package var description: String {
    switch self {
    case .ownHistory(let turns):
      """
      the journal has \(turns) turns of a hub without a cluster: `storectl cluster init --from-journal` begins a cluster's \
      log with it; to copy the log of the others, begin with an empty --state-dir (and, once, --new-history)
      """
    case .otherTurns(let place, let tail):
      """
      the journal ends with turn \(tail), but it left the cluster's log at turn \(place): a hub without [cluster] has \
      used it. Move it away, and start the hub once with --new-history: it copies the log. If the cluster is lost, \
      `storectl cluster init --from-journal` begins a new one with it
      """
    case .damagedPlace:
      """
      the journal does not say where in the cluster's log it ends: move it away, and start the hub once with \
      --new-history: it copies the log
      """
    case .address(let address, let reason): "cannot listen for other nodes at \(address): \(reason)"
    case .tls(let reason): reason
    }
  }
}
