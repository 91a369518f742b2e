import ClusterCore
import ClusterLog
import Wire

/// What the oracles know of the log: every entry that the store has committed, and the state after it.
struct ClusterTruth {
  /// The log's end and the state there.
  var point = LogPoint.start
  var model = ClusterModel()
  /// The schema of that state: that of the last turn. Nil before the first one.
  var schema: SchemaFingerprint?
  /// The digest of the state after the entry with a checksum, in any history.
  var digests: [UInt64: UInt64] = [0: 0]
  /// The checksum of each entry in this history.
  var checksums: [UInt64: UInt64] = [0: 0]
  /// The last action of each session that was ever committed, in any history.
  var committed: [ClusterSession: UInt64] = [:]
  /// The position up to which each node's journal was ever on disk in this history. A hub cannot report more to the
  /// leader, so that fewer journals than a majority here mean that an entry was removed too early. What a node has when
  /// its process starts, or when a backup of the store is restored, counts as well: it may be the journal of a backup,
  /// or a copy of one that was lost, and the node reports it without storing anything.
  var stored: [NodeName: UInt64] = [:]

  /// Takes an entry that the store has committed.
  mutating func commit(_ value: StoredValue, parts: (LogEntry.Content) -> [[UInt8]]) throws {
    guard case .entry(let position) = value.key else { return }
    guard position == point.position + 1 else {
      throw Violation(.forked, "entry \(position) is put into a log that ends at \(point.position)")
    }
    let entry: EncodedEntry
    do throws(LogDamage) { entry = try EncodedEntry(decoding: value.bytes) } catch {
      throw Violation(.forked, "entry \(position): \(error)")
    }
    if let objection = point.objection(to: entry) { throw Violation(.forked, "\(objection)") }
    point.advance(to: entry)
    let turns: [[UInt8]]
    switch entry.entry.content {
    case .opening, .handover: turns = []
    case .turns(_, let own): turns = own
    case .parts(_, let described):
      guard let turn = described.turn(from: parts(entry.entry.content)) else {
        throw Violation(.loggedWrongly, "the parts of entry \(position) are not in the store")
      }
      turns = [turn]
    }
    if let first = turns.first {
      guard try schema ?? entry.entry.schema == entry.entry.schema || ClusterModel.changes(in: first).isEmpty else {
        throw Violation(.loggedWrongly, "entry \(position) has actions in a schema that the state is not converted to")
      }
      schema = entry.entry.schema
    }
    for turn in turns {
      for change in try ClusterModel.changes(in: turn) {
        try model.apply(change)
        committed[change.session] = max(committed[change.session] ?? 0, change.number)
      }
    }
    digests[entry.checksum] = model.digest
    checksums[position] = entry.checksum
  }

  /// Checks the state of a node after the entry with a checksum.
  func check(_ model: ClusterModel, after checksum: UInt64, of node: NodeName) throws {
    guard let digest = digests[checksum] else {
      throw Violation(.forked, "\(node) has an entry that was never committed")
    }
    guard digest == model.digest else {
      throw Violation(.stateDiffers, "\(node) has another state than the log at its position")
    }
  }

  /// True if a journal is, as far as it is on disk, a beginning of the log.
  func hasStored(_ disk: ClusterNode.Disk) -> Bool { checksums[disk.syncedPosition] == disk.syncedChecksum }

  /// Notes what is on a node's disk.
  mutating func noteStored(_ node: ClusterNode) {
    guard hasStored(node.disk) else { return }
    stored[node.name] = max(stored[node.name] ?? 0, node.disk.syncedPosition)
  }

  /// Checks that a majority of the journals has what is removed, or has had it and lost its disk since.
  func checkTrim(before position: UInt64, members: Set<NodeName>) throws {
    let count = members.count { stored[$0] ?? 0 >= position - 1 }
    guard count > members.count / 2 else {
      throw Violation(.trimmedTooEarly, "\(count) of \(members.count) journals have entry \(position - 1)")
    }
  }

  /// Continues from an earlier truth, as a restored backup does.
  mutating func restore(_ backup: ClusterTruth) {
    (point, model, schema) = (backup.point, backup.model, backup.schema)
    // A journal that is longer than the log does not belong to it any more.
    for (node, position) in stored where position > point.position { stored[node] = 0 }
    checksums = checksums.filter { $0.key <= point.position }
  }
}
