package import ClusterCore
import ClusterLog
import Wire

/// What the other node sends.
extension ClusterLink {
  /// Takes the next bytes of the connection.
  package mutating func received(_ bytes: RawSpan, now time: Duration) {
    now = max(now, time)
    guard end == nil else { return }
    receivedAt = now
    do throws(WireError) {
      // Moved out for the call, because the frames change the link.
      var decoder = decoder
      self.decoder = FrameDecoder(payloadLimit: options.payloadLimit)
      try decoder.feed(bytes) { (header, payload) throws(WireError) in
        if end == nil { take(try LinkFrame(header.kind, payload), byteCount: payload.byteCount) }
      }
      self.decoder = decoder
    } catch {
      // Without the offset, which depends on how the bytes were cut.
      finish(.violation("\(error.problem)"))
    }
  }

  private mutating func take(_ frame: LinkFrame, byteCount: Int) {
    guard let peer else {
      switch frame {
      case .hello(let hello): greet(hello)
      case .goodbye(let goodbye): finish(.there(goodbye))
      default: finish(.violation("\(frame.kind) comes before the hello"))
      }
      return
    }
    switch frame {
    case .hello: finish(.violation("a second hello"))
    case .goodbye(let goodbye): finish(.there(goodbye))
    case .ping(let number): write(.pong(number, time: clock.time(at: now)))
    case .pong(let number, let time):
      guard number > 0, number <= pingCount else { return finish(.violation("a pong without a ping")) }
      guard let sent = ping, sent.number <= number else { return }
      (roundTrip, ping) = (now - sent.at, nil)
      // The answer to a later ping, or one that was long under way, does not tell when it was written.
      guard sent.number == number, now - sent.at <= options.clockRoundTrip else { return }
      events.append(.clockRead(difference: clock.difference(to: time, askedAt: sent.at, answeredAt: now)))
    case .beat(let leadership, let position, let isCurrent):
      guard leadership.node == peer.node else { return finish(.violation("a beat of \(leadership.node)")) }
      events.append(.message(.beat(leadership, position: position, isCurrent: isCurrent)))
    case .status(let history, let stored): events.append(.message(.status(history: history, stored: stored)))
    case .session(let session): take(session, of: peer)
    case .sessionEnded(let number):
      guard let session = accepted.remove(number) else {
        if accepted.hasOverflowed { return }
        return finish(.violation("session \(number), which is unknown, ends"))
      }
      events.append(.sessionEnded(session))
    case .sessionRefused(let number, let refusal):
      guard let session = announced.refuse(number) else { return }
      events.append(.sessionRefused(session, refusal))
    case .actions(let actions): take(actions, byteCount: byteCount)
    case .cancel(let term, let number, let action): take(cancelOf: action, of: number, term)
    case .needsSnapshot(let position): events.append(.message(.needsSnapshot(after: position)))
    case .snapshot(let head): take(head)
    case .piece(let bytes): take(bytes)
    case .snapshotNotice(let notice): take(notice)
    case .follow(let request):
      guard options.relays.contains(peer.node) else { return finish(.violation("a node that is no relay follows")) }
      events.append(.message(.follow(request)))
    case .followed(let answer):
      guard hasFollowed else { return finish(.violation("an answer that was not asked for")) }
      events.append(.message(.followed(answer)))
    case .entry(let entry): take(entry)
    case .part(let bytes): take(part: bytes)
    case .relayBeat(let beat): events.append(.message(.relayBeat(beat)))
    }
  }

  // MARK: Entries

  private mutating func take(_ entry: EncodedEntry) {
    guard hasFollowed else { return finish(.violation("an entry that was not asked for")) }
    guard incomplete == nil else { return finish(.violation("an entry before the parts of another one")) }
    if case .parts(_, let turn) = entry.entry.content {
      incomplete = (entry, turn, [], 0)
    } else {
      events.append(.message(.entry(entry, parts: [])))
    }
  }

  private mutating func take(part bytes: [UInt8]) {
    guard var current = incomplete.take() else { return finish(.violation("a part without an entry")) }
    current.byteCount += bytes.count
    guard !bytes.isEmpty, current.byteCount <= current.turn.byteCount else {
      return finish(.violation("a part that does not fit the entry"))
    }
    current.parts.append(bytes)
    guard current.parts.count == current.turn.count else { return incomplete = current }
    guard current.turn.turn(from: current.parts) != nil else {
      return finish(.violation("parts with another checksum"))
    }
    events.append(.message(.entry(current.entry, parts: current.parts)))
  }

  // MARK: The hello

  private mutating func greet(_ hello: LinkHello) {
    if let objection = objection(to: hello) { return finish(objection) }
    let version = min(hello.versions.upperBound, LinkVersion.newest)
    let peer = Peer(node: hello.node, process: hello.process, history: hello.history, version: version)
    self.peer = peer
    quota = ByteQuota(perSecond: ceiling(of: hello.node).bytesPerSecond, now: now)
    events.append(.opened(peer))
  }

  private func objection(to hello: LinkHello) -> LinkEnd? {
    let own = LinkVersion.oldest...LinkVersion.newest
    guard hello.versions.overlaps(own) else { return .version(own: own, other: hello.versions) }
    guard hello.node != options.node else { return .ownName(hello.node) }
    guard options.members.contains(hello.node) || options.relays.contains(hello.node) else {
      return .stranger(hello.node)
    }
    guard certificate.contains(hello.node) else { return .certificate(hello.node, names: certificate) }
    if let expected, hello.node != expected { return .otherNode(hello.node, expected: expected) }
    guard hello.sharesUsers == options.sharesUsers else {
      return .configuration("the nodes differ in 'uids': set it to the same value on \(options.node) and \(hello.node)")
    }
    guard hello.users == options.userRanges[hello.node] else {
      return .configuration(
        "the nodes differ in the numbers of \(hello.node)'s users: 'uid-bases' must be the same on all machines")
    }
    guard hello.payloadLimit >= UInt64(options.payloadLimit) else {
      return .configuration(
        "\(hello.node) accepts \(hello.payloadLimit) bytes in a frame, and \(options.node) sends up to "
          + "\(options.payloadLimit): give them the same limit")
    }
    return nil
  }

  private func ceiling(of node: NodeName) -> NodeCeiling { options.ceilings[node] ?? .default }

  // MARK: Sessions and actions

  private mutating func take(_ session: LinkSession, of peer: Peer) {
    let named = ClusterSession(node: session.origin ?? peer.node, user: session.user, id: session.id)
    // Relays that change the nodes they follow may send a session back for a moment.
    let isOwn = named.node == options.node
    let isKnown = session.origin.map(options.relays.contains) ?? true
    let refusal =
      isKnown || isOwn
      ? ceiling(of: peer.node).refusal(of: session, from: ceiling(of: named.node), beside: accepted.count) : .relay
    // The refused ones are kept, because actions of them may be under way; their number is limited as well.
    let limit = 2 * min(ceiling(of: peer.node).sessions, 1 << 30)
    let isRefused = refusal != nil || isOwn
    switch accepted.add(named, session.number, name: session.name, isRefused: isRefused, limit: limit) {
    case .added: if let refusal { write(.sessionRefused(session.number, refusal)) }
    // The end of the link would help nobody: the node would announce them all again.
    case .full: write(.sessionRefused(session.number, .tooMany))
    case .known: finish(.violation("session \(session.number) is announced twice"))
    }
  }

  /// The name of the client of a session of the other node; nil if it has none, or the session is not known.
  package func name(of session: ClusterSession) -> String? { accepted.name(of: session) }

  private mutating func take(_ actions: LinkActions, byteCount: Int) {
    if let time = quota.take(byteCount, at: now) { readsAgainAt = time }
    switch accepted[actions.session] {
    case nil where accepted.hasOverflowed: break
    case nil: finish(.violation("actions of session \(actions.session), which was not announced"))
    case (session: _, isRefused: true)?: break
    case (session: let session, isRefused: false)?:
      events.append(.message(.actions(term: actions.term, session, first: actions.first, actions.actions)))
    }
  }

  private mutating func take(cancelOf action: UInt64, of number: UInt32, _ term: UInt64) {
    switch accepted[number] {
    case nil where accepted.hasOverflowed: break
    case nil: finish(.violation("a cancellation of session \(number), which was not announced"))
    case (session: _, isRefused: true)?: break
    case (session: let session, isRefused: false)?: events.append(.cancelled(term: term, session, action: action))
    }
  }

  // MARK: Snapshots

  private mutating func take(_ head: SnapshotHead) {
    guard unansweredRequests > 0, incoming == nil else {
      return finish(.violation("a snapshot that was not asked for"))
    }
    unansweredRequests -= 1
    // A node of an earlier version does not see by itself that it is too large. Nothing of it is kept.
    let objection = options.objection(toSnapshotOf: head.byteCount)
    incoming = IncomingSnapshot(head, isIgnored: objection != nil)
    events.append(.snapshot(objection.map { .failed($0) } ?? .began(head)))
    completeSnapshot()
  }

  private mutating func take(_ piece: [UInt8]) {
    guard incoming != nil else { return finish(.violation("a piece without a snapshot")) }
    guard !piece.isEmpty, incoming?.note(piece) == true else {
      return finish(.violation("a piece that does not fit the snapshot"))
    }
    if incoming?.isIgnored == false { events.append(.snapshot(.piece(piece))) }
    completeSnapshot()
  }

  private mutating func completeSnapshot() {
    guard let arrived = incoming, arrived.isComplete else { return }
    incoming = nil
    if arrived.isIgnored { return }
    guard arrived.isSound else { return finish(.violation("a snapshot with another checksum")) }
    events.append(.snapshot(.arrived(arrived.head.place)))
  }

  private mutating func take(_ notice: SnapshotNotice) {
    switch notice {
    case .preparing:
      guard unansweredRequests > 0 else { return finish(.violation("a notice of a snapshot that was not asked for")) }
      events.append(.snapshot(.preparing))
    case .failed(let reason):
      guard incoming != nil || unansweredRequests > 0 else {
        return finish(.violation("a notice of a snapshot that was not asked for"))
      }
      if incoming == nil { unansweredRequests -= 1 }
      // That it fails was told at its head.
      if incoming.take()?.isIgnored != true { events.append(.snapshot(.failed(reason))) }
    }
  }
}
