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
}

/// Snapshots: the state of another node, for one that lacks entries which the log no longer has.
extension ClusterCore {
  /// Asks a node for its state: first the leader if it is linked, then any, with longer and longer pauses.
  mutating func requestSnapshot() {
    if let request = snapshotRequest, now < request.until { return }
    var nodes = links.keys.sorted()
    if nodes.count > 1, let asked = snapshotRequest?.node { nodes.removeAll { $0 == asked } }
    guard !nodes.isEmpty else { return }
    let leading = snapshotRequest == nil ? nodes.first { (links[$0] ?? nil) != nil } : nil
    let node = leading ?? nodes[Int.random(in: 0..<nodes.count, using: &random)]
    let count = (snapshotRequest?.count ?? 0) + 1
    snapshotRequest = SnapshotRequest(node: node, count: count, until: now + snapshotWait(count))
    emit(.send(.needsSnapshot(after: point.position), to: node))
  }

  private func snapshotWait(_ count: Int) -> Duration { options.snapshotWait * (1 << min(count - 1, 5)) }

  /// A part of the snapshot has arrived that a node was asked for: another one is not asked yet.
  package mutating func snapshotAdvanced(from node: NodeName) {
    guard let request = snapshotRequest, request.node == node else { return }
    let until = now + snapshotWait(request.count)
    snapshotRequest?.until = until
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
    let place = snapshot.place
    guard snapshotRequest != nil else { return }
    switch role {
    case .proving(isBehind: true), .follower: break
    case .proving(isBehind: false):
      if place.point.position > offered?.place.point.position ?? 0 { offered = snapshot }
      return
    case .refused, .claiming, .leader: return
    }
    // One of the two nodes has an old name of the log; the proof tells which.
    guard place.history == history else { return prove() }
    guard place.point.position > point.position,
      let entry = try? EncodedEntry(decoding: place.last), place.point == LogPoint(after: entry, turn: place.point.turn)
    else { return }
    guard options.schemas.contains(entry.entry.schema) else {
      return refuse(.newerSchema(position: entry.entry.position))
    }
    snapshotRequest = nil
    (point, last) = (place.point, entry)
    emit(.install(snapshot))
    prove()
  }
}
