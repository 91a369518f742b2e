package import ClusterLog
import Wire

/// Leading: turns are appended in groups, one transaction at a time.
extension ClusterCore {
  /// Appends turns of this node's feature. They are `stored` in order, or discarded with `discardUnstored`.
  ///
  /// - Parameters:
  ///   - turns: The turns, encoded.
  ///   - actionCount: The number of actions in them; nil for one in each.
  /// - Precondition: The node leads.
  package mutating func append(_ turns: [[UInt8]], actionCount: Int? = nil) {
    guard case .leader = role else { preconditionFailure("only a leader appends turns") }
    group.add(actionCount ?? turns.count)
    for bytes in turns { waiting.append(WaitingTurn(bytes: bytes, lastAction: group.newest)) }
    continueLeading()
  }

  /// Passes the leadership on to a node when everything is stored; actions are held until it leads.
  ///
  /// - Parameter node: A node to which a link is open.
  /// - Returns: False if this node does not lead, or the other one is not linked.
  package mutating func transfer(to node: NodeName) -> Bool {
    guard case .leader(var leader) = role, links[node] != nil, options.members.contains(node),
      leader.successor == nil
    else { return false }
    leader.successor = node
    role = .leader(leader)
    route = .none
    continueLeading()
    return true
  }

  /// The node to which this one passes the leadership on, until the log has that.
  package var successor: NodeName? { if case .leader(let leader) = role { leader.successor } else { nil } }

  /// The linked node whose journal is the furthest, which can lead at once; nil without a link.
  package var bestSuccessor: NodeName? {
    linkedNodes.filter(options.members.contains).max { (trimPlan.stored(by: $0), $1) < (trimPlan.stored(by: $1), $0) }
  }

  /// Does what is due: effects, messages over links, and the next transaction.
  mutating func continueLeading() {
    updateEffects()
    guard case .leader(let leader) = role else { return }
    if now >= leader.linkBeatAt { sendBeats() }
    removeEntries()
    sendNextTransaction()
  }

  func leadingTimes(_ leader: Leader) -> [Duration] {
    var times = [leader.linkBeatAt]
    if pending == nil { times.append(groupEnd ?? leader.confirmedAt + options.beatInterval) }
    switch leader.effects {
    case .waiting(let until): times.append(max(until, now + .milliseconds(1)))
    case .running: times.append(leader.confirmedAt + options.effectsEnd)
    case .cancelled: break
    }
    if now - leader.confirmedAt < options.takeoverAfter { times.append(leader.confirmedAt + options.takeoverAfter) }
    return times
  }

  // MARK: Effects

  /// Effects run while the store has confirmed the leadership, and end before a successor starts its own.
  private mutating func updateEffects() {
    guard case .leader(var leader) = role else { return }
    let isConfirmed = now - leader.confirmedAt < options.effectsEnd && leader.successor == nil
    switch leader.effects {
    case .waiting(let until):
      guard now >= until, isConfirmed else { return }
      leader.effects = .running
      emit(.startEffects(term: leader.leadership.term))
    case .running:
      guard !isConfirmed else { return }
      leader.effects = .cancelled
      emit(.cancelEffects)
    case .cancelled:
      guard isConfirmed else { return }
      leader.effects = .running
      emit(.startEffects(term: leader.leadership.term))
    }
    role = .leader(leader)
  }

  // MARK: Transactions

  private mutating func sendNextTransaction() {
    guard case .leader(var leader) = role, pending == nil else { return }
    groupEnd = nil
    if let appending = leader.appending {
      send(appending, leader.leadership)
    } else if !waiting.isEmpty, leader.successor == nil, let end = group.end(at: now) {
      groupEnd = end
    } else if let next = nextEntry(of: leader) {
      group.begin()
      leader.appending = next
      role = .leader(leader)
      send(next, leader.leadership)
    } else if now - leader.confirmedAt >= options.beatInterval {
      leader.beatCount += 1
      role = .leader(leader)
      transact(.beat(leader.beatCount, of: leader.leadership), for: .beat)
    }
  }

  private mutating func send(_ appending: Leader.Appending, _ leadership: Leadership) {
    guard appending.nextPart < appending.parts.count else {
      return transact(.append(appending.entry), for: .append)
    }
    let part = appending.parts[appending.nextPart]
    transact(
      .part(part, index: appending.nextPart, position: point.position + 1, of: leadership), for: .part)
  }

  /// Takes as many waiting turns as an entry holds, or the handover when all are stored.
  private mutating func nextEntry(of leader: Leader) -> Leader.Appending? {
    func entry(_ content: LogEntry.Content) -> EncodedEntry {
      EncodedEntry(
        LogEntry(
          position: point.position + 1, leader: leader.leadership, schema: options.ownSchema, previous: point.checksum,
          content: content))
    }
    guard let first = waiting.first?.bytes else {
      return leader.successor.map { Leader.Appending(entry: entry(.handover(to: $0)), turnCount: 0) }
    }
    let room = options.entryBytes - LogEntry.overhead
    guard first.count + 9 <= room else {
      let lastAction = waiting.removeFirst().lastAction
      let large = LargeTurn(first, partSize: room)
      return Leader.Appending(
        entry: entry(.parts(turn: point.turn + 1, large)), turnCount: 1, lastAction: lastAction,
        parts: LargeTurn.split(first, partSize: room))
    }
    var (count, size) = (0, 0)
    for turn in waiting {
      // Nine bytes are the longest head of a byte string.
      size += turn.bytes.count + 9
      guard size <= room else { break }
      count += 1
    }
    let turns = waiting.prefix(count).map(\.bytes)
    let lastAction = waiting[count - 1].lastAction
    waiting.removeFirst(count)
    return Leader.Appending(
      entry: entry(.turns(first: point.turn + 1, turns)), turnCount: count, lastAction: lastAction)
  }

  /// A transaction of the leader took effect, in this attempt.
  mutating func leaderWrote(_ ended: PendingTransaction, _ revision: UInt64) {
    noteWritten(ended.transaction.byteCount)
    guard case .leader(var leader) = role else { return }
    switch ended.purpose {
    case .append: return appended(confirmedAt: ended.sentAt)
    case .part: leader.appending?.nextPart += 1
    case .beat:
      beatRevision = max(beatRevision ?? 0, revision)
      leader.confirmedAt = ended.sentAt
    case .proof, .claim: break
    }
    role = .leader(leader)
    continueLeading()
  }

  /// The leader's entry is in the log.
  private mutating func appended(confirmedAt: Duration) {
    guard case .leader(var leader) = role, let done = leader.appending.take() else { return }
    leader.confirmedAt = max(leader.confirmedAt, confirmedAt)
    role = .leader(leader)
    advance(past: done.entry, parts: done.parts)
    if done.turnCount > 0 {
      group.stored(upTo: done.lastAction, in: now - confirmedAt, at: now)
      emit(.stored(turnCount: done.turnCount, position: point.position))
    }
    if case .handover = done.entry.entry.content {
      demote()
    } else {
      continueLeading()
    }
  }

  /// A condition of an append did not hold: an earlier attempt has succeeded, or another node leads.
  mutating func appendRefused(_ ended: PendingTransaction, _ values: [StoredValue?]) {
    guard case .leader(let leader) = role, let appending = leader.appending else { return }
    func value(_ read: LogTransaction.AppendReads) -> StoredValue? { values[read.rawValue] }
    let found = value(.entry)
    if found?.bytes == appending.entry.bytes {
      // The first attempt may have been the one, and a successor has seen nothing since.
      let stillLeads = value(.leader)?.bytes == leader.leadership.encoded()
      appended(confirmedAt: ended.firstSentAt)
      if !stillLeads { demote() }
      return
    }
    demote()
    guard let found, value(.last)?.bytes == last?.bytes else {
      // Another leader without another entry, or a lost end: the log is not the one that was appended to.
      return prove()
    }
    receive(found)
  }

  // MARK: The end

  /// Ends the leadership, discards what is not stored, and follows.
  mutating func demote() {
    guard case .leader = role else { return }
    stopLeading()
    (pending, fullSince) = (nil, nil)
    follow()
    readEntries()
  }

  mutating func stopLeading() {
    guard case .leader(let leader) = role else { return }
    if leader.effects == .running { emit(.cancelEffects) }
    emit(.discardUnstored)
    (waiting, group, groupEnd, route) = ([], EntryGroup(), nil, .none)
  }
}
