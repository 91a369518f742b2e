import Wire

/// Sessions whose connection is gone and that may be resumed, bounded in number.
struct DetachedSessions {
  private var sessions: [SessionID: (session: Session, order: UInt64)] = [:]
  private var lastOrder: UInt64 = 0

  var count: Int { sessions.count }

  /// Remembers a session; past the limit the longest absent one is forgotten, and returned.
  /// - Complexity: O(1), and O(limit) when one must be forgotten.
  mutating func insert(_ session: Session, limit: Int) -> Session? {
    lastOrder += 1
    sessions[session.id] = (session, lastOrder)
    guard sessions.count > limit, let oldest = sessions.min(by: { $0.value.order < $1.value.order }) else { return nil }
    return sessions.removeValue(forKey: oldest.key)?.session
  }

  /// Takes a session out to resume it.
  mutating func remove(_ id: SessionID) -> Session? {
    sessions.removeValue(forKey: id)?.session
  }
}
