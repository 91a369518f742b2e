import ClusterLog
import Wire

/// The proof that the journal belongs to the log.
extension ClusterCore {
  /// Begins the proof. Until it succeeds, the node serves nobody.
  mutating func prove() {
    (pending, reading, incomplete, route) = (nil, nil, nil, .none)
    (begun, beatRevision, readAt) = (nil, nil, now)
    role = .proving(isBehind: false)
    transact(
      .prove(options.node, process: options.process, last: last, history: history), for: .proof)
  }

  mutating func proved(in store: UInt64) {
    self.store = store
    (storeSignAt, readAt) = (now, now)
    follow()
    emit(.watch(from: point.position + 1))
    readEntries()
  }

  /// The store's history or its entry at the journal's end are others; the reads tell why.
  mutating func proofRefused(_ values: [StoredValue?], in store: UInt64) {
    func value(_ read: LogTransaction.ProofReads) -> StoredValue? { values[read.rawValue] }
    guard let record = value(.history), let found = try? LogHistory(decoding: record.bytes.span.bytes) else {
      if let damaged = value(.history) { return refuse(.damaged("the history has \(damaged.bytes.count) bytes")) }
      // Without a history there is no log; but the journal has one.
      return refuse(.logLost(journal: point.position, log: 0))
    }
    guard found.store == store else { return refuse(.restored) }
    let entry = value(.entry)
    let isSame = last.map { entry?.key == .entry($0.entry.position) && entry?.bytes == $0.bytes } ?? true
    if isSame {
      // The journal is a beginning of this log, whatever its name was: the operator has restored an earlier state.
      adopt(found)
      return prove()
    }
    guard history == found else { return refuse(.otherHistory) }
    if entry != nil { return refuse(.diverged("entry \(point.position) has other bytes")) }
    let end = value(.last).flatMap { Self.position(of: $0) } ?? 0
    guard let first = value(.first).flatMap({ Self.position(of: $0) }), end > point.position, first > point.position
    else { return refuse(.logLost(journal: point.position, log: end)) }
    role = .proving(isBehind: true)
    requestSnapshot()
  }

  /// Takes the log's name over.
  mutating func adopt(_ found: LogHistory) {
    guard history != found else { return }
    let isContinued = history != nil
    history = found
    if isContinued { held.removeAll() }
    emit(.adopt(found, endsSessions: isContinued))
  }

  static func position(of value: StoredValue) -> UInt64? {
    if case .entry(let position) = value.key { position } else { nil }
  }

  // MARK: Snapshots

  /// Asks a node for its state: the leader if it is linked, otherwise any.
  mutating func requestSnapshot() {
    if let asked = snapshotRequestedAt, now - asked < options.retryInterval { return }
    guard !links.isEmpty else { return }
    snapshotRequestedAt = now
    let nodes = links.keys.sorted()
    let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
    emit(.send(.needsSnapshot(after: point.position), to: node))
  }

  /// Has the state sent to a node that lacks entries, if this node has proved it.
  mutating func sendSnapshot(to node: NodeName, after position: UInt64) {
    guard let history, let last, position < point.position else { return }
    switch role {
    case .proving, .refused: return
    case .follower, .claiming, .leader: break
    }
    emit(.sendSnapshot(ClusterSnapshot.Place(history: history, point: point, last: last.bytes), to: node))
  }

  /// Takes a snapshot over if it is needed, and proves it like a journal.
  mutating func receive(_ snapshot: ClusterSnapshot) {
    switch role {
    case .proving(let isBehind): guard isBehind else { return }
    case .follower: guard snapshotRequestedAt != nil else { return }
    case .refused, .claiming, .leader: return
    }
    let place = snapshot.place
    // One of the two nodes has an old name of the log; the proof tells which.
    guard place.history == history else { return prove() }
    guard place.point.position > point.position,
      let entry = try? EncodedEntry(decoding: place.last), place.point == LogPoint(after: entry, turn: place.point.turn)
    else { return }
    guard options.schemas.contains(entry.entry.schema) else {
      return refuse(.newerSchema(position: entry.entry.position))
    }
    snapshotRequestedAt = nil
    (point, last) = (place.point, entry)
    emit(.install(snapshot))
    prove()
  }
}
