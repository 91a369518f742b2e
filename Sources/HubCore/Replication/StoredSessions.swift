import TurnLog
import Wire

/// The sessions after the last stored turn of a replicated log, wherever their clients are. Each hub of the log has the
/// same, so that any of them can lead.
///
/// Beyond a limit, the session whose last change is the oldest is forgotten, on all hubs at the same turn. What a record
/// contains is not limited: a leader that is not to be trusted can fill the state as well (decision 122).
package final class StoredSessions {
  private var sessions: [SessionID: (session: LoggedSession, change: UInt64)] = [:]
  private var order: [(id: SessionID, change: UInt64)] = []
  /// The index in `order` of the first change that may still be a session's last one.
  private var first = 0
  private var changeCount: UInt64 = 0
  private let limit: Int

  /// The greatest number of sessions, which is the same on all hubs of a log.
  package static let limit = 65_536

  /// - Parameter sessions: The sessions of a log, least recently changed first.
  init(_ sessions: [LoggedSession], limit: Int = limit) {
    self.limit = limit
    for session in sessions { apply(session) }
  }

  var count: Int { sessions.count }

  /// The record of a session; nil for one that the log does not have.
  subscript(id: SessionID) -> LoggedSession? { sessions[id]?.session }

  /// Follows a turn's record of a session.
  /// - Complexity: Amortised O(1).
  func apply(_ record: LoggedSession) {
    if record.hasEnded { return sessions[record.id] = nil }
    changeCount += 1
    if var known = sessions.removeValue(forKey: record.id) {
      known.session.advance(to: record)
      sessions[record.id] = (known.session, changeCount)
    } else {
      sessions[record.id] = (record, changeCount)
    }
    order.append((record.id, changeCount))
    while sessions.count > limit { forgetOldest() }
    compact()
  }

  private func forgetOldest() {
    defer { first += 1 }
    let oldest = order[first]
    if sessions[oldest.id]?.change == oldest.change { sessions[oldest.id] = nil }
  }

  /// Drops the changes that are not the last of a session once they are the majority.
  private func compact() {
    guard order.count > 2 * sessions.count + 64 else { return }
    order = order[first...].filter { sessions[$0.id]?.change == $0.change }
    first = 0
  }
}
