import Wire

/// Sessions without a connection, which may be resumed, bounded in number.
struct DetachedSessions {
  private var sessions: [SessionID: (session: Session, position: Int)] = [:]
  /// The sessions in the order in which they were detached; nil where one was resumed.
  private var order: [SessionID?] = []
  /// The position of the first one that may still be there.
  private var first = 0

  var count: Int { sessions.count }

  /// Adds a session; beyond the limit the one that was detached first is removed and returned.
  /// - Complexity: Amortised O(1).
  mutating func insert(_ session: Session, limit: Int) -> Session? {
    compact()
    sessions[session.id] = (session, order.count)
    order.append(session.id)
    guard sessions.count > limit else { return nil }
    while true {
      defer { first += 1 }
      if let id = order[first] { return sessions.removeValue(forKey: id)?.session }
    }
  }

  /// Removes a session to resume it.
  mutating func remove(_ id: SessionID) -> Session? {
    guard let (session, position) = sessions.removeValue(forKey: id) else { return nil }
    order[position] = nil
    return session
  }

  /// Drops the positions of sessions that are gone, once they are most of all.
  private mutating func compact() {
    guard order.count > 2 * sessions.count + 64 else { return }
    order = order[first...].filter { $0 != nil }
    first = 0
    for (position, id) in order.enumerated() {
      if let id { sessions[id]?.position = position }
    }
  }
}
