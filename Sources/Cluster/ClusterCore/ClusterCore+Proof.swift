import ClusterLog
import Wire

/// The proof that the journal belongs to the log.
extension ClusterCore {
  /// Begins the proof. Until it succeeds, the node serves nobody.
  mutating func prove() {
    stopAsking()
    (begun, beatRevision, readAt) = (nil, nil, now)
    role = .proving(isBehind: false)
    if isRelay { return proveToUpstream() }
    transact(
      .prove(
        options.node, as: nextRegistration(), replacing: replacedRegistration, last: candidate?.last ?? last,
        history: history),
      for: .proof)
  }

  mutating func proved(in store: UInt64, _ revision: UInt64) {
    registered(nextRegistration(), revision, in: store)
    (self.store, lastRevision) = (store, max(revision, store == self.store ? lastRevision : 0))
    if let snapshot = candidate.take() {
      (point, last, passedSnapshots) = (snapshot.point, snapshot.last, 0)
      emit(.install(snapshot))
    }
    discardSnapshots()
    (storeSignAt, readAt) = (now, now)
    follow(provenAt: revision)
    emit(.watch(from: point.position + 1))
    readEntries()
  }

  /// The store's history or its entry at the journal's end are others; the reads tell why.
  mutating func proofRefused(_ values: [StoredValue?], in store: UInt64) {
    func value(_ read: LogTransaction.ProofReads) -> StoredValue? { values[read.rawValue] }
    guard let record = value(.history), let found = try? LogHistory(decoding: record.bytes.span.bytes) else {
      if let damaged = value(.history) { return refuse(.damaged(Self.damage(of: damaged))) }
      if history == nil { return registrationRefused(value(.node), in: store) }
      // Without a history there is no log; but the journal has one.
      return refuse(.logLost(journal: point.position, log: 0))
    }
    guard found.store == store else { return refuse(.restored) }
    let entry = value(.entry)
    let own = candidate?.last ?? last
    let isSame = own.map { entry?.key == .entry($0.entry.position) && entry?.bytes == $0.bytes } ?? true
    if candidate != nil, !isSame || history != found {
      // Entries may have been removed while it was on its way. The journal is what the node has; it asks again.
      noteUselessSnapshot()
      discardCandidate()
      return prove()
    }
    if isSame {
      if history == found { return registrationRefused(value(.node), in: store) }
      // The journal is a beginning of this log, whatever its name was: the operator has restored an earlier state.
      adopt(found)
      return prove()
    }
    let end = value(.last).flatMap { Self.position(of: $0) } ?? 0
    let first = value(.first).flatMap { Self.position(of: $0) }
    if let history, history != found {
      let log = first.flatMap { $0 <= end ? $0...end : nil }
      return refuse(
        .otherHistory(
          OtherHistory(
            expected: history, found: found, position: point.position, hasEntry: entry != nil, log: log)))
    }
    if entry != nil { return refuse(.diverged("entry \(point.position) has other bytes")) }
    guard let first, end > point.position, first > point.position
    else { return refuse(.logLost(journal: point.position, log: end)) }
    role = .proving(isBehind: true)
    registerBehind(value(.node), in: store)
    guard case .proving = role else { return }
    needsSnapshot = true
    if let snapshot = offered.take() { take(snapshot) }
    if case .proving(isBehind: true) = role { requestSnapshot() }
  }

  /// Takes the log's name over.
  mutating func adopt(_ found: LogHistory) {
    guard history != found else { return }
    let isContinued = history != nil
    if isContinued { stopServingRelays() }
    history = found
    // Those of the others were told in the other history.
    trimPlan.forgetAll()
    trimPlan.note(options.node, stored: storedPosition)
    if isContinued { held.removeAll() }
    emit(.adopt(found, endsSessions: isContinued))
  }

  /// Describes a key that cannot be read.
  static func damage(of value: StoredValue) -> String {
    "the key '\(value.key)' has bytes that no hub has written"
  }

  static func position(of value: StoredValue) -> UInt64? {
    if case .entry(let position) = value.key { position } else { nil }
  }
}
