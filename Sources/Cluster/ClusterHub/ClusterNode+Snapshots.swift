import ClusterCore
import ClusterLink
import ClusterLog
import Configuration
import Dispatch
import Journal
import ServiceProcess
import StoreHub
import TurnLog
import Wire

/// The nodes that wait for a snapshot of this one, and the copy that is being made for them.
nonisolated struct SnapshotsGiven {
  var nodes: Set<NodeName> = []
  var isCopying = false
  /// The next copy begins no earlier: however often nodes ask, at most half of the time goes into copies.
  var nextAt = Duration.zero
  var startedAt = Duration.zero
  /// The next time at which those that wait are told that the copy is being made.
  var toldAt = Duration.zero
}

/// The snapshot that this node gets.
nonisolated struct SnapshotTaken {
  enum Phase {
    case none
    /// Its pieces go into a file.
    case arriving(ArrivingBase)
    /// All have come, and are being read.
    case checking
    /// It waits for the proof that the log has its last entry.
    case checked(ClusterLog.JournalPlace)
  }

  var phase = Phase.none
  /// The node that sends it.
  var node: NodeName?
  var toldAt = Duration.zero

  /// The place of the snapshot that waits for its proof.
  var checked: ClusterLog.JournalPlace? { if case .checked(let place) = phase { place } else { nil } }
}

/// The bytes of a copy for one node.
private nonisolated struct BaseSource: SnapshotSource {
  let base: JournalBase
  private var offset: UInt64 = 0

  init(_ base: JournalBase) { self.base = base }

  var byteCount: UInt64 { base.byteCount }
  var checksum: UInt64 { base.checksum }

  mutating func nextPiece() -> [UInt8]? {
    let piece = base.piece(at: offset)
    offset += UInt64(piece?.count ?? 0)
    return piece
  }
}

/// Snapshots. A node that lacks entries gets the base of another node's journal, as a file, and begins again with that as
/// with a copy which an operator has put there.
extension ClusterNode {
  /// The time between two notices that something is being prepared. It is shorter than `ClusterOptions.snapshotWait`.
  private static var noticeInterval: Duration { .milliseconds(500) }
  /// The shortest pause between two copies.
  private static var copyPause: Duration { .seconds(1) }

  /// The time at which `tendSnapshots` has something to do.
  var snapshotTime: Duration? {
    if case .checking = taking.phase { return taking.toldAt }
    guard !giving.nodes.isEmpty else { return nil }
    return giving.isCopying ? giving.toldAt : min(giving.toldAt, giving.nextAt)
  }

  /// Tells those who wait that it goes on.
  func tendSnapshots(at now: Duration) {
    if !giving.nodes.isEmpty, now >= giving.toldAt {
      giving.toldAt = now + Self.noticeInterval
      for node in giving.nodes { links?.send(.preparing, to: node) }
    }
    copy(at: now)
    if case .checking = taking.phase, now >= taking.toldAt {
      taking.toldAt = now + Self.noticeInterval
      if let node = taking.node { core.snapshotAdvanced(from: node) }
    }
    warnOfMissingGivers(at: now)
  }

  func snapshotLinkClosed(_ node: NodeName) {
    giving.nodes.remove(node)
    if case .arriving = taking.phase, taking.node == node { forgetTaken() }
  }

  private func tell(_ level: Log.Level, _ text: String, _ place: ClusterLog.JournalPlace?, _ node: NodeName) {
    request.log.write(
      level, text,
      Log.Details(
        .clusterSnapshot,
        [
          "NODE": "\(settings.node)", "PEER": "\(node)", "POSITION": "\(place?.position ?? core.point.position)",
          "REASON": text,
        ]))
  }

  // MARK: Giving

  /// Copies the base of the journal on another thread, and sends it to a node. Nodes that ask meanwhile get the same.
  func give(to node: NodeName) {
    guard let links, !links.isSendingSnapshot(to: node) else { return }
    let now = Self.now
    if giving.nodes.isEmpty { giving.toldAt = now + Self.noticeInterval }
    giving.nodes.insert(node)
    links.send(.preparing, to: node)
    copy(at: now)
  }

  /// Begins a copy if a node waits and none is being made.
  private func copy(at now: Duration) {
    guard !giving.isCopying, !giving.nodes.isEmpty, now >= giving.nextAt else { return }
    (giving.isCopying, giving.startedAt) = (true, now)
    let journal = journal
    Task { [weak self] in
      let result = await copyBase(of: journal)
      self?.copied(result)
    }
  }

  private func copied(_ result: Result<JournalBase, LogError>) {
    guard !hasLeft, let links else { return }
    let nodes = giving.nodes
    let now = Self.now
    giving = SnapshotsGiven(nextAt: now + max(Self.copyPause, now - giving.startedAt))
    switch result {
    case .success(let base):
      for node in nodes.sorted() { send(base, to: node) }
    case .failure(let error):
      for node in nodes.sorted() {
        tell(.warning, "cannot send node \(node) a snapshot: \(error)", nil, node)
        links.send(.failed("\(error)"), to: node)
      }
    }
    drive()
  }

  private func send(_ base: JournalBase, to node: NodeName) {
    let bytes = base.place
    guard let place = try? ClusterLog.JournalPlace(decoding: bytes.span.bytes) else {
      links?.send(.failed("the journal does not say where in the cluster's log it ends"), to: node)
      return
    }
    if let objection = linkOptions.objection(toSnapshotOf: base.byteCount) {
      tell(.warning, "cannot send node \(node) a snapshot of entry \(place.position): \(objection)", place, node)
      links?.send(.failed(objection), to: node)
      return
    }
    snapshotsGiven += 1
    tell(.info, "sends node \(node) a snapshot of entry \(place.position), \(base.byteCount) bytes", place, node)
    links?.send(place, from: BaseSource(base), to: node)
  }

  // MARK: Taking

  /// Asks a node for a snapshot. A hub that serves ends: its clients must not see the state jump while they are connected
  /// to it, and it begins again with a snapshot when it starts.
  func askForSnapshot(after position: UInt64, _ node: NodeName) {
    let lack =
      core.lacksSchema
      ? "entry \(position + 1) of the cluster's log is of another version of the feature, with another schema"
      : "the log of the cluster does not have entry \(position + 1) any more, which this node lacks"
    guard !isReady else {
      return deliver(.refused(reason: "\(lack): this hub starts again, and gets a snapshot from another node"))
    }
    tell(.info, "\(lack): asks node \(node) for a snapshot", nil, node)
    links?.send(.needsSnapshot(after: position), to: node, group: 0)
  }

  /// Says what an operator can do if all linked nodes are of a version that does not send snapshots.
  private func warnOfMissingGivers(at now: Duration) {
    guard core.needsSnapshot, core.givers.isEmpty else { return askFailures.succeeded("snapshot") }
    let linked = core.linkedNodes.map(\.text).joined(separator: ", ")
    let reason =
      linked.isEmpty
      ? "no other node is linked: start one, or see why the links fail"
      : "\(linked) cannot send it, being of an earlier version: upgrade one"
    guard askFailures.note(reason, of: "snapshot", at: now) else { return }
    request.log.write(
      .error,
      """
      the log of the cluster does not have entry \(core.point.position + 1) any more, which this node lacks, and \
      \(reason). Or make a copy of another node's journal there, by `storectl cluster copy --into DIR`, while its hub \
      runs; stop this hub, and put the copy into the place of its --state-dir
      """,
      Log.Details(.clusterSnapshot, ["NODE": "\(settings.node)", "PEER": linked, "REASON": reason]))
  }

  func handle(_ event: ClusterLink.SnapshotEvent, from node: NodeName) {
    switch event {
    case .preparing: core.snapshotPrepared(by: node)
    case .began(let head): begin(head, from: node)
    case .piece(let bytes):
      guard case .arriving(let file) = taking.phase, taking.node == node else { return }
      core.snapshotAdvanced(from: node)
      do throws(LogError) { try file.append(bytes) } catch { fail("\(error)", from: node) }
    case .arrived(let place):
      guard case .arriving = taking.phase, taking.node == node else { return }
      check(place, from: node)
    case .failed(let reason): fail(reason, from: node)
    }
  }

  private func begin(_ head: SnapshotHead, from node: NodeName) {
    core.snapshotAdvanced(from: node)
    guard !isReady, core.needsSnapshot else { return }
    switch taking.phase {
    case .checking, .checked: return
    // A late answer of a node in whose place another one was asked.
    case .arriving where core.snapshotGiver != node: return
    // The other one has stopped coming, or this one would not have been asked for.
    case .none, .arriving: break
    }
    // The pieces that follow are ignored.
    if let objection = core.objection(toSnapshotAt: head.place) { return fail(objection, from: node) }
    request.onObstacle(nil)
    tell(
      .info, "node \(node) sends a snapshot of entry \(head.place.position), \(head.byteCount) bytes", head.place, node)
    do throws(LogError) {
      taking.node = node
      taking.phase = .none
      taking.phase = .arriving(try ArrivingBase(in: request.directory))
    } catch { fail("\(error)", from: node) }
  }

  private func fail(_ reason: String, from node: NodeName) {
    let text = "the snapshot of node \(node) cannot be used, and another one is asked for: \(reason)"
    tell(.warning, text, nil, node)
    request.onObstacle(text)
    // One that is complete does not depend on what its sender says afterwards.
    if case .arriving = taking.phase, taking.node == node { forgetTaken() }
    core.snapshotFailed(from: node)
  }

  private func forgetTaken() {
    taking = SnapshotTaken()
    ArrivingBase.remove(in: request.directory)
  }

  /// Reads all of it on another thread, before it is proved.
  private func check(_ place: ClusterLog.JournalPlace, from node: NodeName) {
    taking.phase = .checking
    taking.toldAt = Self.now
    let (directory, turn, bytes) = (request.directory, place.turn, place.encoded())
    let schema = place.last.entry.schema
    Task { [weak self] in
      let error = await objection(to: bytes, turn, schema, in: directory)
      guard let self, !hasLeft else { return }
      update()
      if let error {
        forgetTaken()
        fail("\(error)", from: node)
      } else {
        taking.phase = .checked(place)
        core.snapshotArrived(place)
      }
      drive()
    }
  }

  /// The log does not have the snapshot's last entry, or the node does not need it any more.
  func discard(_ place: ClusterLog.JournalPlace) {
    guard taking.checked == place else { return }
    let node = taking.node ?? settings.node
    forgetTaken()
    tell(
      .info, "the snapshot of entry \(place.position) is not needed, or the log does not go on from it any more", place,
      node)
  }

  func install(_ place: ClusterLog.JournalPlace) {
    guard taking.checked == place else { preconditionFailure("a snapshot was proved that has not arrived") }
    finishAgain(.received)
  }
}

/// Copies and checks wait for the disk for seconds. They have a thread of their own, because the pool of tasks has no more
/// threads than the machine has cores, and effects run on it.
private nonisolated let snapshotQueue = DispatchQueue(label: "storehub.snapshots", qos: .utility)

private nonisolated func onSnapshotQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    snapshotQueue.async { continuation.resume(returning: work()) }
  }
}

private nonisolated func copyBase(of journal: Journal) async -> Result<JournalBase, LogError> {
  await onSnapshotQueue { Result { () throws(LogError) in try journal.copyBase() } }
}

/// The reason why what was received is not the base of a journal; nil if it is.
private nonisolated func objection(
  to place: [UInt8], _ turn: UInt64, _ schema: SchemaFingerprint, in directory: String
) async -> LogError? {
  await onSnapshotQueue {
    do throws(LogError) {
      try JournalTool.checkBase(in: directory, place: place, turn: turn, schema: schema)
      return nil
    } catch { return error }
  }
}
