package import ClusterLog

/// Following: entries arrive from the watch, from reads and from refused transactions, and prove themselves.
extension ClusterCore {
  /// Follows.
  ///
  /// - Parameter revision: The revision of the proof, if the log may be further than the node.
  mutating func follow(provenAt revision: UInt64? = nil) {
    role = .follower(Follower(lastSign: now, currentAt: now, claimAt: now, provenRevision: revision))
    delayClaim(upTo: .milliseconds(200))
  }

  /// The leader lives, or another node has just taken over.
  ///
  /// - Parameters:
  ///   - isBehind: True if the leader is further than this node.
  ///   - isNew: False if it may be an old sign that arrives late.
  mutating func noteSign(isBehind: Bool = false, isNew: Bool) {
    switch role {
    case .follower(var follower):
      follower.noteSign(at: now, isBehind: isBehind, isNew: isNew, options)
      (role, fullSince) = (.follower(follower), nil)
    case .claiming(let opening, var follower):
      follower.noteSign(at: now, isBehind: isBehind, isNew: isNew, options)
      role = .claiming(opening, follower)
    case .proving, .refused, .leader: break
    }
  }

  /// Notes that the node has applied everything that the store had at a revision.
  private mutating func noteApplied(upTo revision: UInt64) {
    switch role {
    case .follower(var follower):
      follower.noteApplied(upTo: revision)
      role = .follower(follower)
    case .claiming(let opening, var follower):
      follower.noteApplied(upTo: revision)
      role = .claiming(opening, follower)
    case .proving, .refused, .leader: break
    }
  }

  /// Sets the earliest next claim, by chance, so that followers that claim at the same time are told apart.
  mutating func delayClaim(upTo longest: Duration) {
    guard case .follower(var follower) = role else { return }
    let millisecond = Duration.milliseconds(1)
    follower.claimAt = now + millisecond * Int.random(in: 0...Int(longest / millisecond), using: &random)
    role = .follower(follower)
  }

  /// The time at which a follower takes over if it sees no sign of a leader.
  func claimTime(_ follower: Follower) -> Duration {
    if point.successor == options.node { return follower.claimAt }
    return max(silenceEnd(follower) + options.standByWait, follower.claimAt)
  }

  /// The time at which the leader counts as silent if nothing is heard of it.
  ///
  /// Entries and beats that follow a long silence may be old: if etcd's leader dies, too, its next one commits what the
  /// previous one had not. Another `takeoverAfter` from then on would be lost for all clients. A leader that lives
  /// writes something else within the interval of the beats, so twice that is waited for.
  private func silenceEnd(_ follower: Follower) -> Duration {
    if leaderIsWaitedFor(follower) { return follower.lastSign + options.takeoverAfter * 2 }
    if let resumedAt = follower.resumedAt { return resumedAt + min(options.beatInterval * 2, options.takeoverAfter) }
    return follower.lastSign + options.takeoverAfter
  }

  /// True if the leader lives and only the store is silent, which may elect a leader of its own. A takeover would close
  /// connections of the leader's clients for nothing: the leader goes on when the store does.
  private func leaderIsWaitedFor(_ follower: Follower) -> Bool { leaderWaitEnd(follower).map { $0 > now } ?? false }

  /// The time from which a leader that waits for the store counts as silent.
  func leaderWaitEnd(_ follower: Follower) -> Duration? {
    follower.leaderWaitedAt.map { $0 + options.beatInterval * 2 }
  }

  /// The leader lives, and waits for the store.
  mutating func noteWaitingLeader() {
    guard case .follower(var follower) = role else { return }
    follower.leaderWaitedAt = now
    role = .follower(follower)
  }

  mutating func continueFollowing(_ follower: Follower) {
    if isRelay {
      if needsSnapshot { requestSnapshot() }
      return
    }
    if now - readAt >= options.pollInterval { readEntries() }
    if needsSnapshot { requestSnapshot() }
    guard now >= claimTime(follower), pending == nil, incomplete == nil, !needsSnapshot else { return }
    claim(follower)
  }

  // MARK: Events of the store

  /// Handles events of the watch. They may be late, missing, or repeated.
  ///
  /// - Parameters:
  ///   - values: The values that were put.
  ///   - store: The id of the store's cluster. Late events of a store that was restored since are ignored: they would
  ///     continue this log as it was before.
  package mutating func watched(_ values: [StoredValue], in store: UInt64) {
    guard store == history?.store ?? self.store else { return }
    for value in values { receive(value) }
  }

  /// Handles the loss of events: the watch goes on later than where it was. What they had is read at once, and not with
  /// the next poll: on a quiet log, no later entry would show that some are missing.
  package mutating func watchMissedEvents() {
    switch role {
    case .proving, .refused, .leader: return
    case .follower, .claiming: break
    }
    // The read under way may have been answered before.
    if reading == nil { readEntries() } else { readsAgain = true }
  }

  /// Handles the result of a read.
  ///
  /// - Parameters:
  ///   - number: The number of the command.
  ///   - store: The id of the store's cluster.
  ///   - result: The result.
  package mutating func readEnded(_ number: UInt64, in store: UInt64, _ result: LogReading) {
    if readForRelayEnded(number, in: store, result) { return }
    if registration.checking == number {
      registration.checking = nil
      if case .registration(let found) = result, store == self.store { noteRegistration(found) }
      return
    }
    guard let current = reading, current.number == number else { return }
    reading = nil
    defer {
      if readsAgain { watchMissedEvents() }
    }
    switch role {
    case .proving, .refused: return
    case .follower, .claiming, .leader: break
    }
    if case .failed = result {
    } else if let history, history.store != store {
      // A proof decides, not a read.
      return proveAgain()
    }
    switch (result, current.read) {
    case (.entries(let entries, let first, let beat, let revision), .entries):
      if let first, first > point.position + 1 { return lackEntries() }
      let start = point.position
      for entry in entries { receive(entry) }
      if let beat { receive(beat) }
      if entries.isEmpty, store == self.store { noteApplied(upTo: revision) }
      // A read brings a few entries, and a node that was away lacks many.
      if point.position > start, case .follower = role { readEntries() }
    case (.parts(let parts), .parts): complete(parts)
    case (.failed, _), (.registration, _), (_, .registration), (.entries, .parts), (.parts, .entries):
      // The next poll reads again.
      incomplete = nil
    }
  }

  private mutating func lackEntries() {
    guard case .follower = role else { return }
    needsSnapshot = true
    requestSnapshot()
  }

  mutating func readEntries() {
    guard reading == nil else { return }
    read(.entries(from: point.position + 1))
  }

  private mutating func read(_ read: LogRead) {
    lastNumber += 1
    reading = (lastNumber, read)
    readAt = now
    if case .entries = read { readsAgain = false }
    emit(.read(lastNumber, read))
  }

  /// Takes a value that the store has committed.
  mutating func receive(_ value: StoredValue) {
    switch value.key {
    case .beat:
      guard value.revision > beatRevision ?? 0 else { return }
      beatRevision = value.revision
      storeSignAt = now
      noteSign(isNew: false)
    case .entry(let position):
      receive(value.bytes, at: position)
      // All entries of earlier revisions are before this one.
      if position <= point.position { noteApplied(upTo: value.revision) }
    case .history, .leader, .part, .node, .inquiry, .reply: break
    }
  }

  private mutating func receive(_ bytes: [UInt8], at position: UInt64) {
    switch role {
    case .proving, .refused: return
    case .claiming(let opening, _):
      // Only the transaction tells that the own claim has succeeded.
      if position == opening.entry.position, bytes == opening.bytes { return }
    case .leader(let leader):
      if let appending = leader.appending, position == appending.entry.entry.position, bytes == appending.entry.bytes {
        return
      }
    case .follower: break
    }
    if position <= point.position {
      if position == point.position, bytes != last?.bytes {
        refuse(.diverged("entry \(position) has other bytes than here"))
      }
      return
    }
    // The proof tells the name of a log that has begun since.
    guard history != nil else { return prove() }
    guard position == point.position + 1 else { return readEntries() }
    guard incomplete == nil else { return }
    do throws(LogDamage) {
      let entry = try EncodedEntry(decoding: bytes)
      if let objection = point.objection(to: entry) { return refuse(.diverged("\(objection)")) }
      take(entry)
    } catch {
      refuse(.damaged("entry \(position): \(error)"))
    }
  }

  /// Applies the next entry, or reads its parts first.
  private mutating func take(_ entry: EncodedEntry) {
    // The log continues without this node.
    if case .leader = role { demote() }
    if case .claiming(_, let follower) = role {
      pending = nil
      role = .follower(follower)
    }
    switch entry.entry.content {
    case .parts(_, let turn):
      guard reading == nil else { return }
      incomplete = entry
      read(.parts(position: entry.entry.position, process: entry.entry.leader.process, count: turn.count))
    case .turns(_, let turns): accept(entry, turns: turns, parts: [])
    case .opening, .handover: accept(entry, turns: [], parts: [])
    }
  }

  private mutating func complete(_ parts: [[UInt8]]) {
    guard let entry = incomplete.take(), case .parts(_, let described) = entry.entry.content,
      point.objection(to: entry) == nil
    else { return }
    // Parts may be trimmed together with their entry; a read of the entries then tells so.
    guard let turn = described.turn(from: parts) else { return readEntries() }
    accept(entry, turns: [turn], parts: parts)
    readEntries()
  }

  mutating func accept(_ entry: EncodedEntry, turns: [[UInt8]], parts: [[UInt8]]) {
    if !options.schemas.contains(entry.entry.schema) {
      guard point.position == 0 else { return refuse(.newerSchema(position: entry.entry.position)) }
      // An empty journal begins with the state that another node has in this schema, now or when the log has it.
      lacksSchema = true
      return lackEntries()
    }
    if case .opening = entry.entry.content, point.successor == nil {
      // This node may have missed the last beats of the previous leader, but they were before this entry.
      earlierEffectsEnd = now + options.effectsStart
    }
    advance(past: entry, parts: parts)
    (storeSignAt, readAt) = (now, now)
    // A node that takes over has waited for others before, and shows itself over the links at once.
    let isNew = if case .opening = entry.entry.content { true } else { false }
    // The entries of a relay may be old; only beats tell.
    if !isRelay { noteSign(isNew: isNew) }
    if !turns.isEmpty { emit(.apply(turns: turns, position: entry.entry.position)) }
    switch entry.entry.content {
    case .opening: findRoute()
    case .handover:
      route = .none
      delayClaim(upTo: point.successor == options.node ? .zero : .milliseconds(200))
    case .turns, .parts: break
    }
  }

  /// Moves the node past an entry and records it.
  mutating func advance(past entry: EncodedEntry, parts: [[UInt8]]) {
    (snapshotRequest, needsSnapshot, lacksSchema, passedSnapshots) = (nil, false, false, 0)
    point.advance(to: entry)
    last = entry
    trimPlan.count(entry.entry.position, byteCount: parts.reduce(entry.bytes.count) { $0 + $1.count })
    emit(.record(entry, parts: parts))
    serveRelays(entry, parts: parts)
  }

  // MARK: The journal

  /// Notes that the journal is on disk up to a position.
  package mutating func journalStored(upTo position: UInt64) {
    storedPosition = position
    trimPlan.note(options.node, stored: position)
    if let upstream { sendStatus(to: upstream) } else if case .link(let node) = route { sendStatus(to: node) }
  }
}
