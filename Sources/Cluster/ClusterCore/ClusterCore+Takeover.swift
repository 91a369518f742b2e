import ClusterLog
import Wire

/// Taking over: one transaction that takes the leadership and appends the term's first entry.
extension ClusterCore {
  mutating func claim(_ follower: Follower) {
    let leadership = Leadership(
      term: (point.leader?.term ?? 0) + 1, node: options.node, process: options.process)
    let opening = EncodedEntry(
      LogEntry(
        position: point.position + 1, leader: leadership, schema: options.ownSchema, previous: point.checksum,
        content: .opening))
    guard let own = registration.own?.value else { return }
    role = .claiming(opening, follower)
    // The proof has shown that there is no history if the node has none.
    if history == nil { begun = LogHistory(id: random.next(), store: store) }
    guard let named = history ?? begun else { preconditionFailure("a claim without a history") }
    transact(
      .claim(
        opening, as: own, from: point.leader, beat: beatRevision, history: named, begins: history == nil),
      for: .claim)
  }

  /// A condition of the claim did not hold. If the entry is there, an earlier attempt has succeeded.
  mutating func claimRefused(_ ended: PendingTransaction, _ values: [StoredValue?]) {
    guard case .claiming(let opening, let follower) = role else { return }
    func value(_ read: LogTransaction.ClaimReads) -> StoredValue? { values[read.rawValue] }
    role = .follower(follower)
    if let entry = value(.entry), entry.bytes == opening.bytes {
      guard value(.leader)?.bytes == opening.entry.leader.encoded() else { return receive(entry) }
      return becomeLeader(opening, confirmedAt: ended.firstSentAt)
    }
    let found = value(.history).flatMap { try? LogHistory(decoding: $0.bytes.span.bytes) }
    // Another node has begun the history, or the operator another one, or the log has lost its end.
    guard found == history, point.position == 0 || value(.last)?.bytes == last?.bytes else { return prove() }
    if let beat = value(.beat) { receive(beat) }
    if let entry = value(.entry) { receive(entry) } else { checkLeader(value(.leader)) }
    noteRegistration(value(.node))
    delayClaim(upTo: .milliseconds(300))
  }

  /// The key `leader` has the leadership of the last entry, because both are written in one transaction. As long as it has
  /// something else, or is missing, no node can take over.
  private mutating func checkLeader(_ value: StoredValue?) {
    if let value, (try? Leadership(decoding: value.bytes.span.bytes)) == nil {
      emit(.report(.damaged(Self.damage(of: value))))
    } else if value == nil, point.leader != nil {
      emit(.report(.damaged("the key 'leader' is missing")))
    }
  }

  /// Leads from the opening entry on.
  ///
  /// - Parameter confirmedAt: A time before the transaction that took effect.
  mutating func becomeLeader(_ opening: EncodedEntry, confirmedAt: Duration) {
    // The effects of all previous leaders end before this time, unless their processes are stopped. One that has handed
    // over has none itself.
    if point.successor == nil { earlierEffectsEnd = max(earlierEffectsEnd, storeSignAt + options.effectsStart) }
    let effectsAt = point.leader == nil ? now : max(now, earlierEffectsEnd)
    if let begun { adopt(begun) }
    begun = nil
    advance(past: opening, parts: [])
    storeSignAt = now
    role = .leader(
      Leader(
        leadership: opening.entry.leader, confirmedAt: confirmedAt, effects: .waiting(until: effectsAt),
        linkBeatAt: now))
    emit(.lead(term: opening.entry.leader.term))
    sendBeats()
    findRoute()
    continueLeading()
  }
}
