package import ClusterLog
import Wire

/// A request for a snapshot that has not arrived yet.
struct SnapshotRequest {
  /// The node that was asked.
  let node: NodeName
  /// The number of requests so far.
  let count: Int
  /// The time at which another node is asked.
  var until: Duration
  /// The time until which the node may prepare it.
  let preparingUntil: Duration
  /// True if the node prepares or sends it.
  var isAnswered = false
}

/// Snapshots: the base of another node's journal, for one that lacks entries which the log no longer has.
///
/// The shell moves the bytes; the core knows a snapshot by its place in the log. A snapshot replaces a journal only after
/// a transaction has found its last entry in the log, as it does for a journal: whatever arrives, the node's own journal
/// stays until then.
extension ClusterCore {
  /// Asks a node for its state, with longer and longer pauses: first one that does not lead if it is linked, so that the
  /// clients of the leader do not wait for what it sends, then any.
  mutating func requestSnapshot() {
    guard now >= nextRequestAt, now >= snapshotRequest?.until ?? now else { return }
    var nodes = links.keys.filter(givers.contains).sorted()
    if nodes.count > 1, let asked = snapshotRequest?.node ?? avoided { nodes.removeAll { $0 == asked } }
    let following = nodes.filter { (links[$0] ?? nil) == nil }
    if snapshotRequest == nil, !following.isEmpty { nodes = following }
    guard !nodes.isEmpty else { return }
    requestSnapshot(of: nodes[Int.random(in: 0..<nodes.count, using: &random)])
  }

  private mutating func requestSnapshot(of node: NodeName) {
    let count = (snapshotRequest?.count ?? 0) + 1
    snapshotRequest = SnapshotRequest(
      node: node, count: count, until: now + snapshotWait(count),
      preparingUntil: now + Self.growing(options.snapshotPreparation, count))
    emit(.send(.needsSnapshot(after: point.position), to: node))
  }

  /// The node that was asked for a snapshot.
  package var snapshotGiver: NodeName? { snapshotRequest?.node }

  private func snapshotWait(_ count: Int) -> Duration { Self.growing(options.snapshotWait, count) }

  /// A time that doubles with each attempt, up to 32 times the first.
  private static func growing(_ time: Duration, _ count: Int) -> Duration { time * (1 << min(count - 1, 5)) }

  /// A node that was asked for a snapshot prepares it: another one is not asked yet, but for a limited time, because a
  /// node that never sends it may say so for ever.
  package mutating func snapshotPrepared(by node: NodeName) {
    guard let request = snapshotRequest, request.node == node else { return }
    let until = min(now + snapshotWait(request.count), request.preparingUntil)
    snapshotRequest?.until = max(request.until, until)
    snapshotRequest?.isAnswered = true
  }

  /// A part of the snapshot of a node has arrived, or all of it is being checked: another one is not asked yet.
  package mutating func snapshotAdvanced(from node: NodeName) {
    guard let request = snapshotRequest, request.node == node else { return }
    let until = now + snapshotWait(request.count)
    snapshotRequest?.until = until
    snapshotRequest?.isAnswered = true
  }

  /// A node that was asked for a snapshot cannot send it, or what it has sent cannot be used: another one is asked, or the
  /// same one if there is no other. That may fail as often as it is tried, so the pauses grow.
  package mutating func snapshotFailed(from node: NodeName) {
    guard let request = snapshotRequest, request.node == node else { return }
    let until = now + snapshotWait(request.count)
    snapshotRequest?.until = until
    snapshotRequest?.isAnswered = false
  }

  /// A node begins to lead. It has the state, which the nodes that were asked before may not have had, so the pauses are
  /// over, unless a snapshot is on its way.
  mutating func requestSnapshot(ofNewLeader node: NodeName) {
    guard needsSnapshot, givers.contains(node), candidate == nil, snapshotRequest?.isAnswered != true else { return }
    (snapshotRequest, passedSnapshots, nextRequestAt) = (nil, 0, now)
    requestSnapshot(of: node)
  }

  /// The log does not have the last entry of the snapshot that has arrived. The next one may be as late, so the pauses
  /// grow, also if the node has proved its own journal in between.
  mutating func noteUselessSnapshot() {
    avoided = snapshotRequest?.node
    passedSnapshots += 1
    nextRequestAt = now + snapshotWait(passedSnapshots)
  }

  /// Returns the reason why a snapshot with this place cannot be used, whatever its bytes are; nil if they tell.
  package func objection(toSnapshotAt place: JournalPlace) -> String? {
    options.schemas.contains(place.last.entry.schema) ? nil : "\(Refusal.newerSchema(position: place.position))"
  }

  /// Has the state sent to a node that lacks entries, if this node has proved it.
  mutating func sendSnapshot(to node: NodeName, after position: UInt64) {
    guard let history, let last, position < point.position, !needsSnapshot else { return }
    switch role {
    case .proving, .refused: return
    case .follower, .claiming, .leader: break
    }
    emit(.sendSnapshot(JournalPlace(history: history, last: last, turn: point.turn), to: node))
  }

  /// A snapshot has arrived. If it is needed, it is proved like a journal, and then `install` follows; otherwise
  /// `discardSnapshot`.
  package mutating func snapshotArrived(_ place: JournalPlace) {
    // Two nodes that were asked one after the other may have sent the same one. A discard would mean both.
    guard place != candidate, place != offered else { return }
    guard snapshotRequest != nil, candidate == nil else { return emit(.discardSnapshot(place)) }
    switch role {
    case .proving(isBehind: true), .follower: take(place)
    case .proving(isBehind: false):
      guard place.position > offered?.position ?? 0 else { return emit(.discardSnapshot(place)) }
      if let offered { emit(.discardSnapshot(offered)) }
      offered = place
    case .refused, .claiming, .leader: emit(.discardSnapshot(place))
    }
  }

  mutating func take(_ place: JournalPlace) {
    guard place.history == history else {
      emit(.discardSnapshot(place))
      // One of the two nodes has an old name of the log; the proof tells which.
      return prove()
    }
    guard place.position > point.position else { return emit(.discardSnapshot(place)) }
    guard options.schemas.contains(place.last.entry.schema) else {
      emit(.discardSnapshot(place))
      return refuse(.newerSchema(position: place.position))
    }
    // All turns of a journal are in the log. One with more turns than the log has at a later entry is not of this log.
    guard place.turn >= point.turn else {
      emit(.discardSnapshot(place))
      let (own, turn) = ("\(point.turn) turns at entry \(point.position)", place.turn)
      return refuse(.diverged("it has \(own), and the log \(turn) at \(place.position)"))
    }
    candidate = place
    prove()
  }

  /// The snapshot that is being proved is not of this log.
  mutating func discardCandidate() {
    if let place = candidate.take() { emit(.discardSnapshot(place)) }
  }

  /// Forgets all about snapshots.
  mutating func discardSnapshots() {
    discardCandidate()
    if let place = offered.take() { emit(.discardSnapshot(place)) }
    (snapshotRequest, needsSnapshot, lacksSchema) = (nil, false, false)
  }
}
