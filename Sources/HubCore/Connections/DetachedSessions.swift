import Wire

/// Sessions without a connection, which clients may resume, limited in number.
///
/// Beyond the limit, the user with the most sessions loses the one that was detached first, so users cannot displace
/// the sessions of others. A session with many unacknowledged rejections counts as several.
struct DetachedSessions {
  /// The sessions of one user, in the order in which they were detached.
  private struct Queue {
    /// The sessions' ids; nil where a session was resumed.
    var order: [SessionID?] = []
    /// The index of the first entry that may still be in use.
    var first = 0
    /// The number of sessions.
    var count = 0
    /// The sum of their weights.
    var weight = 0
  }

  private var sessions: [SessionID: (session: Session, position: Int)] = [:]
  private var queues: [UInt32: Queue] = [:]
  /// The sum of the sessions' weights.
  private var weight = 0

  var count: Int { sessions.count }

  /// All sessions; those of each user in the order in which they were detached.
  var all: [Session] {
    queues.sorted { $0.key < $1.key }.flatMap { $0.value.order[$0.value.first...] }.compactMap { id in
      id.flatMap { sessions[$0]?.session }
    }
  }

  /// Adds a session.
  /// - Complexity: Amortised O(1).
  mutating func insert(_ session: Session) {
    var queue = queues.removeValue(forKey: session.user) ?? Queue()
    compact(&queue)
    sessions[session.id] = (session, queue.order.count)
    queue.order.append(session.id)
    queue.count += 1
    queue.weight += session.weight
    weight += session.weight
    queues[session.user] = queue
  }

  /// Removes and returns a session if the sessions count for more than the limit.
  ///
  /// - Parameter user: Loses a session first, of users whose sessions count for equally many.
  /// - Complexity: O(users) beyond the limit, otherwise O(1).
  mutating func removeExcess(over limit: Int, after user: UInt32) -> Session? {
    guard weight > limit else { return nil }
    let most = queues.max {
      ($0.value.weight, $0.key == user ? 1 : 0) < ($1.value.weight, $1.key == user ? 1 : 0)
    }
    return most.flatMap { removeFirst(of: $0.key) }
  }

  /// Returns a session if it belongs to the user.
  func session(_ id: SessionID, of user: UInt32) -> Session? {
    sessions[id].flatMap { $0.session.user == user ? $0.session : nil }
  }

  /// Changes a session, but not its weight.
  mutating func update(_ id: SessionID, _ change: (inout Session) -> Void) {
    guard let position = sessions.index(forKey: id) else { return }
    change(&sessions.values[position].session)
  }

  /// Removes and returns a session to be resumed if it belongs to the user.
  mutating func remove(_ id: SessionID, of user: UInt32) -> Session? {
    guard let (session, position) = sessions[id], session.user == user else { return nil }
    sessions[id] = nil
    queues[user]?.order[position] = nil
    queues[user]?.count -= 1
    queues[user]?.weight -= session.weight
    weight -= session.weight
    if queues[user]?.count == 0 { queues[user] = nil }
    return session
  }

  private mutating func removeFirst(of user: UInt32) -> Session? {
    guard var queue = queues[user] else { return nil }
    while queue.order[queue.first] == nil { queue.first += 1 }
    let session = queue.order[queue.first].flatMap { sessions.removeValue(forKey: $0)?.session }
    queue.first += 1
    queue.count -= 1
    queue.weight -= session?.weight ?? 0
    weight -= session?.weight ?? 0
    queues[user] = queue.count > 0 ? queue : nil
    return session
  }

  /// Drops the entries of resumed sessions once they are the majority.
  private mutating func compact(_ queue: inout Queue) {
    guard queue.order.count > 2 * queue.count + 64 else { return }
    queue.order = queue.order[queue.first...].filter { $0 != nil }
    queue.first = 0
    for (position, id) in queue.order.enumerated() {
      if let id { sessions[id]?.position = position }
    }
  }
}
