import ClusterLog

/// The actions of a node's clients that are not in the applied log yet.
///
/// Every node keeps them for its own clients, the leader as well. So a client's connection survives any change of the
/// leader: the actions are sent to the next one under the same numbers, and those that were stored are skipped there.
struct HeldActions {
  private struct Session {
    /// The number of the first held action.
    var first: UInt64
    var actions: [[UInt8]] = []
  }

  private var sessions: [ClusterSession: Session] = [:]
  /// The sessions in the order in which they were opened, so that equal events have equal commands.
  private var order: [ClusterSession] = []
  /// The bytes of all held actions.
  private(set) var byteCount = 0

  /// Begins to hold the actions of a session after the processed ones.
  mutating func open(_ session: ClusterSession, processed: UInt64) {
    close(session)
    sessions[session] = Session(first: processed + 1)
    order.append(session)
  }

  mutating func close(_ session: ClusterSession) {
    guard let old = sessions.removeValue(forKey: session) else { return }
    byteCount -= old.actions.reduce(0) { $0 + $1.count }
    order.removeAll { $0 == session }
  }

  /// Forgets all sessions.
  mutating func removeAll() { (sessions, order, byteCount) = ([:], [], 0) }

  /// Adds the next actions of a session; returns the number of the first, or nil if the session is not open.
  mutating func append(_ actions: [[UInt8]], to session: ClusterSession) -> UInt64? {
    guard let index = sessions.index(forKey: session) else { return nil }
    let number = sessions.values[index].first + UInt64(sessions.values[index].actions.count)
    sessions.values[index].actions += actions
    byteCount += actions.reduce(0) { $0 + $1.count }
    return number
  }

  /// Releases the actions of a session up to a number.
  mutating func release(_ session: ClusterSession, upTo processed: UInt64) {
    guard let first = sessions[session]?.first, processed >= first, var held = sessions.removeValue(forKey: session)
    else { return }
    let count = Int(min(processed - first + 1, UInt64(held.actions.count)))
    byteCount -= held.actions.prefix(count).reduce(0) { $0 + $1.count }
    held.actions.removeFirst(count)
    held.first = processed + 1
    sessions[session] = held
  }

  /// Calls a function for each session with held actions.
  func forEach(_ body: (ClusterSession, _ first: UInt64, [[UInt8]]) -> Void) {
    for session in order {
      if let held = sessions[session], !held.actions.isEmpty { body(session, held.first, held.actions) }
    }
  }
}
