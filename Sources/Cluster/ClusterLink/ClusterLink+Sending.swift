package import ClusterCore
import ClusterLog

/// What this node sends.
extension ClusterLink {
  /// Sends a message of `ClusterCore`. The link must be open; when it has ended, nothing is sent.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - group: For actions, the primary group of the session's client, as the kernel states it.
  package mutating func send(_ message: ClusterMessage, group: UInt32 = 0) {
    guard end == nil, peer != nil else { return }
    switch message {
    case .beat(let leadership, let position, let isCurrent):
      write(.beat(leadership, position: position, isCurrent: isCurrent))
    case .status(let history, let stored): write(.status(history: history, stored: stored))
    case .actions(let term, let session, let first, let actions): send(term, session, group, first, actions)
    case .needsSnapshot(let position):
      unansweredRequests += 1
      write(.needsSnapshot(after: position))
    case .snapshot(let snapshot): send(snapshot)
    }
  }

  /// Tells the other node that a session has ended, if it knows the session.
  package mutating func sessionEnded(_ session: ClusterSession) {
    guard let number = announced.remove(session), end == nil else { return }
    write(.sessionEnded(number))
  }

  /// Asks the leader of a term to cancel the effects of an action of a session, if the other node knows the session.
  package mutating func cancel(action: UInt64, of session: ClusterSession, term: UInt64) {
    guard end == nil, peer != nil, let number = announced.known(session) else { return }
    write(.cancel(term: term, session: number, action: action))
  }

  /// Sends actions in frames of a moderate size; one that is larger has a frame of its own.
  private mutating func send(
    _ term: UInt64, _ session: ClusterSession, _ group: UInt32, _ first: UInt64, _ actions: [[UInt8]]
  ) {
    guard !announced.isRefused(session) else { return }
    let (number, isNew) = announced.number(of: session)
    if isNew {
      write(.session(LinkSession(number: number, id: session.id, user: session.user, group: group)))
    }
    guard !actions.isEmpty else {
      return write(.actions(LinkActions(term: term, session: number, first: first, [])))
    }
    var start = 0
    while start < actions.count, end == nil {
      var (next, size) = (start, 0)
      while next < actions.count, next == start || size + actions[next].count <= options.chunkBytes {
        size += actions[next].count
        next += 1
      }
      write(
        .actions(
          LinkActions(term: term, session: number, first: first + UInt64(start), Array(actions[start..<next]))))
      start = next
    }
  }

  private mutating func send(_ snapshot: ClusterSnapshot) {
    // One at a time; the other node asks again when it still needs one.
    guard outgoing == nil, let last = try? EncodedEntry(decoding: snapshot.place.last) else { return }
    let next = OutgoingSnapshot(snapshot.state)
    write(
      .snapshot(
        SnapshotHead(
          history: snapshot.place.history, turn: snapshot.place.point.turn, last: last,
          byteCount: UInt64(snapshot.state.count), checksum: next.checksum)))
    outgoing = next.isComplete ? nil : next
  }
}
