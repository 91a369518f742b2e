package import ClusterCore
package import ClusterLog

/// What this node sends.
extension ClusterLink {
  /// Sends a message of `ClusterCore`. The link must be open; when it has ended, nothing is sent.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - group: For actions, the primary group of the session's client, as the kernel states it.
  ///   - name: For actions, the name of the client. An end of an earlier version does not get it.
  package mutating func send(_ message: ClusterMessage, group: UInt32 = 0, name: String = "") {
    guard end == nil, peer != nil else { return }
    switch message {
    case .beat(let leadership, let position, let isCurrent):
      write(.beat(leadership, position: position, isCurrent: isCurrent))
    case .status(let history, let stored): write(.status(history: history, stored: stored))
    case .actions(let term, let session, let first, let actions): send(term, session, group, name, first, actions)
    case .needsSnapshot(let position):
      unansweredRequests += 1
      write(.needsSnapshot(after: position))
    case .follow(let request):
      if request != nil { hasFollowed = true }
      write(.follow(request))
    case .followed(let answer):
      // The entries of an earlier request that are not written. One that is has all of its parts.
      entries.removeSubrange((writtenEntries + (writtenParts > 0 ? 1 : 0))...)
      write(.followed(answer))
    case .entry(let entry, let parts):
      entries.append((entry, parts))
      sentAt = now
    case .relayBeat(let beat): write(.relayBeat(beat))
    }
  }

  /// Writes the next entry, or the next part of one; false if there is none.
  mutating func writeEntry() -> Bool {
    guard writtenEntries < entries.count else { return false }
    let (entry, parts) = entries[writtenEntries]
    if writtenParts == 0 {
      LinkFrame.entry(entry).append(to: &writer)
    } else {
      LinkFrame.part(parts[writtenParts - 1]).append(to: &writer)
    }
    writtenParts += 1
    if writtenParts > parts.count {
      writtenEntries += 1
      writtenParts = 0
    }
    return true
  }

  /// Tells the other node that a node further up does not perform the actions of one of its sessions.
  package mutating func refuse(_ session: ClusterSession, _ refusal: SessionRefusal) {
    guard end == nil, peer != nil, let number = accepted.refuse(session) else { return }
    write(.sessionRefused(number, refusal))
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
    _ term: UInt64, _ session: ClusterSession, _ group: UInt32, _ name: String, _ first: UInt64, _ actions: [[UInt8]]
  ) {
    guard !announced.isRefused(session) else { return }
    let (number, isNew) = announced.number(of: session)
    if isNew {
      let origin = session.node == options.node ? nil : session.node
      let name = peer.map { $0.version >= LinkVersion.withNames } == true ? name : ""
      write(
        .session(
          LinkSession(
            number: number, id: session.id, user: session.user, group: group, origin: origin, name: name)))
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

  // MARK: Snapshots

  /// True while a snapshot is being sent.
  package var isSendingSnapshot: Bool { outgoing != nil }

  /// Sends a snapshot that the other node has asked for, as the connection takes it. While another one is being sent,
  /// nothing happens: the other node asks again when it still needs one. One that is too large is not sent, and the other
  /// node gets the reason.
  ///
  /// - Parameters:
  ///   - place: The place of the snapshot in the log.
  ///   - source: Its bytes.
  package mutating func send(_ place: JournalPlace, from source: any SnapshotSource) {
    guard end == nil, peer != nil, outgoing == nil else { return }
    if let objection = options.objection(toSnapshotOf: source.byteCount) { return send(.failed(objection)) }
    write(.snapshot(SnapshotHead(place, byteCount: source.byteCount, checksum: source.checksum)))
    let next = OutgoingSnapshot(source)
    outgoing = next.isComplete ? nil : next
  }

  /// Tells the other node what has become of the snapshot that it has asked for; a longer reason is cut.
  package mutating func send(_ notice: SnapshotNotice) {
    guard end == nil, let peer, peer.version >= LinkVersion.withSnapshots else { return }
    if case .failed(let text) = notice {
      let cut = String(decoding: text.utf8.prefix(SnapshotNotice.textLimit - 2), as: UTF8.self)
      write(.snapshotNotice(.failed(cut)))
    } else {
      write(.snapshotNotice(notice))
    }
  }
}
