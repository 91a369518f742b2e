import ClusterCore
import ClusterLog
import Wire

/// A core whose commands a test reads and answers.
final class TestNode {
  static let names = ["a", "b", "c"].map(TestNode.name)
  static let schema = SchemaFingerprint(ofBytes: [1])
  static let store: UInt64 = 77
  static let history = LogHistory(id: 5, store: store)

  var core: ClusterCore
  var now = Duration.seconds(100)
  /// The commands since the last `clear()`.
  private(set) var commands: [ClusterCommand] = []

  static func name(_ text: String) -> NodeName {
    guard let name = NodeName(text) else { preconditionFailure("\(text) is not a name") }
    return name
  }

  /// A node with a journal, which it begins to prove.
  init(
    _ name: String = "a", journal: ClusterCore.Journal = .empty, follows upstreams: [String] = [],
    change: (inout ClusterOptions) -> Void = { _ in }
  ) {
    var options = ClusterOptions(
      node: Self.name(name), process: 42, members: upstreams.isEmpty ? Set(Self.names) : [],
      upstreams: upstreams.map(Self.name), schemas: [Self.schema])
    change(&options)
    core = ClusterCore(options, journal: journal, now: now)
    take()
  }

  /// A node that follows, with the journal of a log.
  static func follower(_ name: String = "a", of log: [EncodedEntry]) -> TestNode {
    let node = TestNode(name, journal: journal(log))
    node.answer(.written(revision: 50))
    return node
  }

  /// A node that leads a new term after a log.
  static func leader(of log: [EncodedEntry], change: (inout ClusterOptions) -> Void = { _ in }) -> TestNode {
    let node = TestNode(journal: journal(log), change: change)
    node.answer(.written(revision: 50))
    node.pass(.milliseconds(1300))
    node.answer(.written(revision: 60))
    return node
  }

  /// A relay that has links to both nodes and follows b, which is at the end of the log.
  static func relay(of log: [EncodedEntry], change: (inout ClusterOptions) -> Void = { _ in }) -> TestNode {
    let node = TestNode("r", journal: journal(log), follows: ["b", "c"], change: change)
    for upstream in ["b", "c"] { node.link(upstream) }
    node.hear(position: UInt64(log.count), from: "b")
    node.receive(.followed(.accepted(history)), from: "b")
    return node
  }

  /// The journal of a log.
  static func journal(_ log: [EncodedEntry], history: LogHistory = history) -> ClusterCore.Journal {
    let point = log.reduce(into: LogPoint.start) { $0.advance(to: $1) }
    return ClusterCore.Journal(history: log.isEmpty ? nil : history, point: point, last: log.last)
  }

  /// A log that a node has begun, with this number of turns.
  static func log(by name: String = "b", turns count: Int = 1) -> [EncodedEntry] {
    let leader = Leadership(term: 1, node: Self.name(name), process: 9)
    var log = [entry(after: .start, leader, .opening)]
    for turn in 0..<count {
      log.append(entry(after: journal(log).point, leader, .turns(first: UInt64(turn) + 1, [[UInt8(turn + 1)]])))
    }
    return log
  }

  static func entry(after point: LogPoint, _ leader: Leadership, _ content: LogEntry.Content) -> EncodedEntry {
    EncodedEntry(
      LogEntry(
        position: point.position + 1, leader: leader, schema: schema, previous: point.checksum, content: content))
  }

  // MARK: Events

  /// The transaction without an answer.
  var transaction: (number: UInt64, LogTransaction)? {
    for case .transact(let number, let transaction, _) in commands.reversed() { return (number, transaction) }
    return nil
  }

  /// The last proof of the journal.
  private(set) var pendingProof: (number: UInt64, LogTransaction)?

  /// Answers the transaction of this kind.
  func answer(_ outcome: TransactionOutcome, to isMeant: (LogTransaction) -> Bool) {
    let proof = pendingProof.map { [ClusterCommand.transact($0.number, $0.1, in: nil)] } ?? []
    for case .transact(let number, let transaction, _) in (proof + commands).reversed() where isMeant(transaction) {
      core.transactionEnded(number, in: Self.store, outcome)
      return take()
    }
    preconditionFailure("there is no such transaction")
  }

  /// Answers the last transaction.
  func answer(_ outcome: TransactionOutcome, in store: UInt64 = store) {
    guard let transaction else { preconditionFailure("there is no transaction") }
    core.transactionEnded(transaction.number, in: store, outcome)
    take()
  }

  func pass(_ time: Duration) {
    now += time
    core.advance(to: now)
    take()
  }

  func link(_ name: String) {
    core.linkOpened(Self.name(name))
    take()
  }

  func receive(_ message: ClusterMessage, from name: String) {
    core.received(message, from: Self.name(name))
    take()
  }

  /// Hears what a node that a relay may follow has.
  func hear(position: UInt64, age: UInt64 = 1, way: UInt64 = 1, path: [String] = [], from name: String) {
    receive(
      .relayBeat(RelayBeat(position: position, age: age, way: way, path: path.map(Self.name))), from: name)
  }

  func take() {
    let taken = core.takeCommands()
    for case .transact(let number, let transaction, nil) in taken { pendingProof = (number, transaction) }
    commands += taken
  }
  func clear() { commands = [] }

  /// Takes entries from the watch.
  func watch(_ entries: [EncodedEntry]) {
    core.watched(entries.map { Self.stored($0) }, in: Self.store)
    take()
  }

  /// The read of the log finds no further entries.
  func findNoMore(at revision: UInt64 = 60, in store: UInt64 = store) {
    guard case .read(let number, _)? = lastRead else { preconditionFailure("there is no read") }
    core.readEnded(number, in: store, .entries([], first: 1, beat: nil, at: revision))
    take()
  }

  static func stored(_ entry: EncodedEntry) -> StoredValue {
    StoredValue(key: .entry(entry.entry.position), bytes: entry.bytes, revision: 55)
  }

  static func stored(_ key: LogKey, _ value: some WireValue, revision: UInt64 = 55) -> StoredValue {
    StoredValue(key: key, bytes: value.encoded(), revision: revision)
  }

  /// The registration of a process of node a.
  static func registration(process: UInt64, ordinal: UInt64, revision: UInt64) -> StoredValue {
    stored(
      .node(name("a")), NodeRegistration(process: process, ordinal: ordinal, position: 0), revision: revision)
  }

  /// The place of the snapshot that the node sends to another one.
  func snapshot() -> JournalPlace? {
    core.linkOpened(Self.name("c"))
    core.received(.needsSnapshot(after: 0), from: Self.name("c"))
    take()
    guard case .sendSnapshot(let place, _)? = commands.last else { return nil }
    return place
  }

  func transfer(to name: String) -> Bool { core.transfer(to: Self.name(name)) }

  // MARK: Commands

  var removals: [UInt64] {
    transactions.compactMap { if case .trim(let position)? = $0.writes.first { position } else { nil } }
  }
  /// The last read of the log.
  var lastRead: ClusterCommand? { commands.last { if case .read(_, .entries) = $0 { true } else { false } } }
  var compactions: [UInt64] {
    commands.compactMap { if case .compact(let revision, _) = $0 { revision } else { nil } }
  }
  /// The nodes that were asked for a snapshot.
  var snapshotRequests: [NodeName] {
    commands.compactMap { if case .send(.needsSnapshot, let node) = $0 { node } else { nil } }
  }
  var installed: [JournalPlace] { commands.compactMap { if case .install(let place) = $0 { place } else { nil } } }
  var discarded: [JournalPlace] {
    commands.compactMap { if case .discardSnapshot(let place) = $0 { place } else { nil } }
  }
  var transactions: [LogTransaction] {
    commands.compactMap { if case .transact(_, let transaction, _) = $0 { transaction } else { nil } }
  }
  var applied: [[[UInt8]]] { commands.compactMap { if case .apply(let turns, _) = $0 { turns } else { nil } } }
  var storedCounts: [Int] { commands.compactMap { if case .stored(let count, _) = $0 { count } else { nil } } }
  var discards: Int { commands.count { if case .discardUnstored = $0 { true } else { false } } }
  var starts: [UInt64] { commands.compactMap { if case .startEffects(let term) = $0 { term } else { nil } } }
  var cancels: Int { commands.count { if case .cancelEffects = $0 { true } else { false } } }

  /// What was sent to a node since the last `clear()`.
  func sent(to name: String) -> [ClusterMessage] {
    commands.compactMap { if case .send(let message, Self.name(name)) = $0 { message } else { nil } }
  }

  /// The positions of the entries that were sent to a relay.
  func entries(to name: String) -> [UInt64] {
    sent(to: name).compactMap { if case .entry(let entry, _) = $0 { entry.entry.position } else { nil } }
  }

  /// The answers to a relay.
  func answers(to name: String) -> [FollowAnswer] {
    sent(to: name).compactMap { if case .followed(let answer) = $0 { answer } else { nil } }
  }

  /// The places from which a relay has asked a node to go on; nil for the end of that.
  func requests(to name: String) -> [UInt64?] {
    sent(to: name).compactMap { if case .follow(let request) = $0 { .some(request?.position) } else { nil } }
  }

  /// The actions that were sent over links, by receiver and first number.
  var sentActions: [String] {
    commands.compactMap {
      guard case .send(.actions(let term, _, let first, let actions), let node) = $0 else { return nil }
      return "\(node) \(term): \(first) \(actions.map(\.hexadecimal).joined(separator: ","))"
    }
  }

  var performed: [String] {
    commands.compactMap {
      guard case .perform(let session, let first, let actions) = $0 else { return nil }
      return "\(session.node): \(first) \(actions.map(\.hexadecimal).joined(separator: ","))"
    }
  }
}
