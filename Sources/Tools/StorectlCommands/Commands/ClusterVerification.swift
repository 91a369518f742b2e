internal import ClusterLog
internal import Configuration
internal import EtcdLogStore
internal import JSONText
internal import Journal
internal import TurnLog
internal import Wire

extension Tool {
  // MARK: Verifying

  /// Runs `cluster verify`.
  func verifyLog() async throws(ToolFailure) {
    let settings = try clusterSettings()
    let directory = try await stateDirectory()
    let older = try await ending(of: directory)
    try await onAnotherThread { () throws(LogError) in
      var turns = try JournalTurns(directory, upTo: older.turn)
      try turns.readAll()
    }
    // The journal's end before the log, which has what it has; and not before the reading, which takes long: hubs remove
    // entries meanwhile.
    let ending = try await ending(of: directory)
    let place = try place(of: ending, in: directory)
    var turns = try JournalStates.attempt { () throws(LogError) in try JournalTurns(directory, upTo: ending.turn) }
    let log = try operatedLog(settings)
    defer { log.close() }
    var failure: LogError?
    let found = try await operate { () throws(OperatedLogError) in
      try await log.verify(place) { first, encoded, entry in
        do throws(LogError) { return try turns.differences(first, encoded, entry: entry) } catch {
          failure = failure ?? error
          return []
        }
      }
    }
    if let failure { try JournalStates.attempt { () throws(LogError) -> Void in throw failure } }
    var verification = found.log
    if let schema = verification.schema, let own = ending.schema, schema != own { verification.note(.otherSchema) }
    let report = ClusterReport(
      log: verification, nodes: found.nodes, place: place, ending: ending, comparedTurns: turns.comparedCount,
      configured: settings.nodes.keys.sorted())
    if isJSON { print(report.json) } else { print(report.lines) }
    guard verification.differenceCount == 0 else {
      throw ToolFailure(
        .diverged,
        verification.differenceCount == 1
          ? "there is a difference between the journal in \(directory) and the log in etcd, or within that log"
          : """
          there are \(verification.differenceCount) differences between the journal in \(directory) and the log in etcd, \
          or within that log
          """)
    }
  }

  // MARK: Removing

  /// Runs `cluster remove NODE`.
  func removeNode(_ name: String) async throws(ToolFailure) {
    let node = try node(name, of: "remove")
    let settings = try clusterSettings()
    guard !settings.relays.contains(node) else {
      throw ToolFailure(
        .failed,
        """
        node \(node) is a relay, which the log does not know: stop its hub, and take it out of 'relays' in [cluster] \
        on all nodes
        """)
    }
    let log = try operatedLog(settings)
    defer { log.close() }
    progress = "nothing was changed"
    log.onProbe = { [weak self] in
      self?.progress =
        "node \(node) has a registration of no process, which a hub that runs replaces: repeat the command"
      self?.note("waiting \(OperatedLog.answerTime.components.seconds) s to see whether the hub of node \(node) runs")
    }
    let (position, isRemoved): (UInt64?, Bool)
    switch try await operate({ () throws(OperatedLogError) in try await log.remove(node) }) {
    case .removed(let found): (position, isRemoved) = (found, true)
    case .unchanged: (position, isRemoved) = (nil, false)
    case .leads(let term):
      throw ToolFailure(
        .failed,
        """
        node \(node) leads in term \(term): nothing was changed. Stop its hub, and wait until another node leads, as \
        `storectl cluster status` there says; then remove it
        """)
    case .runs:
      throw ToolFailure(
        .failed,
        "the hub of node \(node) runs: nothing was changed. Stop it (`systemctl stop storehub` on its machine), and try again"
      )
    }
    if isRemoved { effect = "node \(node) was removed" }
    let isConfigured = settings.nodes[node] != nil
    if isJSON {
      return print([
        "node": .string("\(node)"), "removed": .bool(isRemoved),
        "position": position.map { .integer($0) } ?? .null, "configured": .bool(isConfigured),
      ])
    }
    let proved = position.map { "; its journal was proved up to entry \($0)" } ?? "; it was not registered in the log"
    var lines = [isRemoved ? "node \(node) was removed\(proved)" : "node \(node) was removed before", "left to do:"]
    if isConfigured {
      lines.append(
        """
        - take \(node) out of 'nodes' in [cluster] here and on all other machines, and restart their hubs one after the \
        other: until then, it counts in the majority of journals that must have an entry before the log removes it
        """)
    } else {
      lines.append("- take \(node) out of 'nodes' in [cluster] on all other machines, as here, and restart their hubs")
    }
    lines += [
      """
      - if its machine ran a member of etcd: `etcdctl member list`, `etcdctl member remove ID`, and take it out of 'etcd' \
      in [cluster] on all machines
      """,
      """
      - take its certificate and its access to etcd from it. Its hub does not serve if it is started again, until \
      `storectl cluster add \(node)` takes it back
      """,
    ]
    print(lines)
  }

  /// Runs `cluster add NODE`.
  func addNode(_ name: String) async throws(ToolFailure) {
    let node = try node(name, of: "add")
    let settings = try clusterSettings()
    let log = try operatedLog(settings)
    defer { log.close() }
    progress = "nothing was changed"
    let isAdded = try await operate { () throws(OperatedLogError) in try await log.add(node) }
    if isAdded { effect = "node \(node) was taken back" }
    let isConfigured = settings.nodes[node] != nil
    if isJSON {
      return print(["node": .string("\(node)"), "added": .bool(isAdded), "configured": .bool(isConfigured)])
    }
    var lines = [isAdded ? "node \(node) was taken back: its hub can start" : "node \(node) was not removed"]
    if !isConfigured {
      lines.append(
        """
        left to do: write \(node) into 'nodes' in [cluster] here and on all other machines, and restart their hubs one \
        after the other
        """)
    }
    print(lines)
  }

  private func node(_ name: String, of action: String) throws(ToolFailure) -> NodeName {
    if let node = NodeName(name) { return node }
    throw ToolFailure(
      .usage,
      name.isEmpty
        ? "cluster \(action) needs the name of the node"
        : "'\(name)' is not the name of a node: up to \(NodeName.longest) of a-z, 0-9 and -")
  }
}

/// The turns of a journal in order, while a hub may write and remove some.
private nonisolated struct JournalTurns {
  private let reader: JournalReader
  private let end: UInt64
  /// The turns that were read and not taken, the next one first.
  private var waiting: ArraySlice<LoggedTurn> = []
  private var next: UInt64
  /// The last turn that the journal does not have any more.
  private var base: UInt64
  /// The revision after the last turn of the log.
  private var revision: (turn: UInt64, revision: UInt64)?
  /// The number of turns that both the log and the journal have.
  private(set) var comparedCount: UInt64 = 0

  private static let byteLimit = 4 << 20

  init(_ directory: String, upTo end: UInt64) throws(LogError) {
    reader = try JournalReader(directory)
    self.end = end
    base = try reader.extent().base
    next = base + 1
  }

  /// Reads all turns, each of which has a checksum.
  mutating func readAll() throws(LogError) {
    while try take() != nil {}
  }

  private mutating func take() throws(LogError) -> LoggedTurn? {
    guard next <= end else { return nil }
    if waiting.isEmpty {
      do throws(LogError) {
        waiting = try reader.read(from: next, byteLimit: Self.byteLimit)[...]
      } catch {
        // The hub has removed old turns.
        guard error.problem == .trimmed, case let kept = try reader.extent().base, kept >= next else { throw error }
        (base, next) = (kept, kept + 1)
        return try take()
      }
    }
    guard let turn = waiting.popFirst() else { return nil }
    next = turn.position + 1
    return turn
  }

  /// The turn with a number; nil if the journal does not have it any more, or not yet.
  private mutating func turn(_ number: UInt64) throws(LogError) -> LoggedTurn? {
    guard number > base, number <= end else { return nil }
    if number > next + UInt64(waiting.count) || number < next { (waiting, next) = ([], number) }
    while next <= number, let turn = try take() {
      if turn.position == number { return turn }
    }
    return nil
  }

  /// Returns what is wrong with turns of the log, or differs from those of the journal.
  mutating func differences(_ first: UInt64, _ encoded: [[UInt8]], entry: UInt64) throws(LogError) -> [LogDifference] {
    var found: [LogDifference] = []
    for (number, bytes) in zip(first..., encoded) {
      func note(_ reason: String) { found.append(.turn(number, entry: entry, reason)) }
      guard var turn = try? LoggedTurn(decoding: bytes.span.bytes) else {
        note("cannot be read")
        continue
      }
      if turn.position != number { note("says that it is turn \(turn.position)") }
      if let revision, revision.turn + 1 == number, revision.revision != turn.baseRevision {
        note("begins at revision \(turn.baseRevision), but the one before ends at revision \(revision.revision)")
      }
      revision = (number, turn.revision)
      guard let own = try self.turn(number) else { continue }
      comparedCount += 1
      // The time of a journal never goes backwards, also if the clock does.
      turn.time = max(turn.time, own.time)
      if turn != own {
        note(
          turn.revision == own.revision
            ? "is another one in the journal"
            : "ends at revision \(turn.revision), but in the journal at revision \(own.revision)")
      }
    }
    return found
  }
}

/// The result of `cluster verify`.
private struct ClusterReport {
  let log: LogVerification
  let nodes: [StoredValue]
  let place: JournalPlace
  let ending: JournalEnding
  let comparedTurns: UInt64
  let configured: [NodeName]

  private struct Node {
    let name: NodeName
    /// Its registration, with the entry up to which it has proved its journal; nil if there is none.
    let registration: NodeRegistration?
    let isConfigured: Bool
  }

  private var allNodes: [Node] {
    var found: [NodeName: NodeRegistration] = [:]
    for value in nodes {
      guard case .node(let name) = value.key else { continue }
      found[name] =
        (try? NodeRegistration(decoding: value.bytes.span.bytes))
        ?? NodeRegistration(process: 1, ordinal: 1, position: 0)
    }
    return Set(found.keys).union(configured).sorted().map {
      Node(name: $0, registration: found[$0], isConfigured: configured.contains($0))
    }
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  var lines: [String] {
    var lines = [
      """
      journal   entry \(place.position), turn \(ending.turn), revision \(ending.revision), of \
      \(Moment.text(ending.time))
      """
    ]
    if let positions = log.positions {
      let terms = log.terms.map {
        $0.count == 1 ? ", term \($0.lowerBound)" : ", terms \($0.lowerBound) to \($0.upperBound)"
      }
      let leader = log.leader.map { ", last led by \($0.node)" } ?? ""
      lines.append("log       entries \(positions.lowerBound) to \(positions.upperBound)\(terms ?? "")\(leader)")
    } else {
      lines.append("log       no entries")
    }
    lines += [
      "checked   \(log.entryCount) entries; \(comparedTurns) turns of them in the journal",
      "checksum  \(Self.hexadecimal(place.last.checksum)) of all up to entry \(place.position)",
    ]
    let nodes = allNodes.map { node in
      guard let found = node.registration, found.isRemoval else {
        let proved = node.registration.map { "entry \($0.position)" } ?? "not registered"
        return "\(node.name) (\(proved)\(node.isConfigured ? "" : ", not in 'nodes'"))"
      }
      return "\(node.name) (removed\(node.isConfigured ? ", but in 'nodes'" : ""))"
    }
    lines.append("nodes     \(nodes.joined(separator: ", "))")
    if log.isRenamed {
      lines.append("renamed   the log was continued under a new name, which the hub takes over when it starts")
    }
    lines += log.differences.map { "differs   \(ValueText.safe("\($0)"))" }
    if log.differenceCount > log.differences.count {
      lines.append("differs   and \(log.differenceCount - log.differences.count) more")
    }
    if log.differenceCount == 0 { lines.append("whole     the journal and the log belong together") }
    return lines
  }

  var json: JSONValue {
    [
      "whole": .bool(log.differenceCount == 0),
      "journal": [
        "entry": .integer(place.position), "turn": .integer(ending.turn), "revision": .integer(ending.revision),
        "checksum": .string(Self.hexadecimal(place.last.checksum)),
      ],
      "log": [
        "first": log.positions.map { .integer($0.lowerBound) } ?? .null,
        "last": log.positions.map { .integer($0.upperBound) } ?? .null,
        "leader": log.leader.map { .string("\($0.node)") } ?? .null,
        "term": log.leader.map { .integer($0.term) } ?? .null,
      ],
      "checkedEntries": .integer(log.entryCount), "comparedTurns": .integer(comparedTurns),
      "renamed": .bool(log.isRenamed),
      "nodes": .array(
        allNodes.map {
          [
            "node": .string("\($0.name)"), "proved": $0.registration.map { .integer($0.position) } ?? .null,
            "removed": .bool($0.registration?.isRemoval ?? false), "configured": .bool($0.isConfigured),
          ]
        }),
      "differences": .array(log.differences.map { .string("\($0)") }),
      "differenceCount": .integer(UInt64(log.differenceCount)),
    ]
  }
}
