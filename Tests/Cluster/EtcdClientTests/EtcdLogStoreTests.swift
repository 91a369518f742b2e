import ClusterCore
import ClusterLog
import EtcdClient
import EtcdLogStore
import EtcdMessages
import EventLoop
import Foundation
import Testing
import Wire

/// The log's transactions, reads and watches in a real etcd.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: EtcdServer.isInstalled, EtcdServer.skipped))
struct EtcdLogStoreTests {
  private let loop: EventLoop
  private let schema = SchemaFingerprint(ofBytes: [1])

  init() throws { loop = try EventLoop() }

  private func store(
    _ client: EtcdClient, change: (inout EtcdLogStore.Settings) -> Void = { _ in }
  ) throws -> EtcdLogStore {
    var settings = EtcdLogStore.Settings(prefix: "hub/")
    // A new member of etcd answers late on a busy machine.
    settings.timeout = .seconds(120)
    change(&settings)
    return try EtcdLogStore(client, on: loop, settings)
  }

  private func outcome(
    _ store: EtcdLogStore, _ transaction: LogTransaction, in expected: UInt64? = nil
  ) async throws -> (store: UInt64, outcome: TransactionOutcome) {
    var result: (UInt64, TransactionOutcome)?
    store.transact(transaction, in: expected) { result = ($0, $1) }
    #expect(await loop.pump(until: { result != nil }))
    return try #require(result)
  }

  private func reading(_ store: EtcdLogStore, _ read: LogRead) async throws -> LogReading {
    var result: LogReading?
    store.read(read) { result = $1 }
    #expect(await loop.pump(until: { result != nil }))
    return try #require(result)
  }

  /// An entry for the log, whose bytes the store does not read.
  private func put(_ position: UInt64, _ bytes: [UInt8] = [7]) -> LogTransaction {
    LogTransaction(
      if: [.absent(.entry(position))], then: [.put(.entry(position), bytes)],
      else: [.key(.entry(position)), .key(.leader), .firstEntry, .lastEntry])
  }

  @Test func aTransactionWritesOrTellsWhatIsThere() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    let first = try await outcome(store, put(1, [1, 2]))
    guard case .written(let revision) = first.outcome else { Issue.record("\(first)"); return }
    #expect(first.store != 0)
    _ = try await outcome(store, put(2, [3]))
    let refused = try await outcome(store, put(1, [9]))
    let entry = StoredValue(key: .entry(1), bytes: [1, 2], revision: revision)
    #expect(refused.store == first.store)
    #expect(
      refused.outcome
        == .refused([entry, nil, entry, StoredValue(key: .entry(2), bytes: [3], revision: revision + 1)]))

    // Each condition, once true and once not.
    for (condition, holds) in [
      (.present(.entry(1)), true), (.present(.entry(3)), false), (.value(.entry(2), [3]), true),
      (.value(.entry(2), [4]), false), (.value(.leader, []), false), (.revision(.entry(1), revision), true),
      (.revision(.entry(1), revision + 1), false),
    ] as [(LogTransaction.Condition, Bool)] {
      let result = try await outcome(
        store, LogTransaction(if: [condition], then: [.put(.beat, [1])], else: [.key(.beat)]))
      if case .written = result.outcome { #expect(holds, "\(condition)") } else { #expect(!holds, "\(condition)") }
    }
  }

  /// Also if entries are missing, and if another program has written below the prefix.
  @Test func theLastEntryIsFound() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    let read = LogTransaction(if: [.present(.beat)], then: [], else: [.firstEntry, .lastEntry])
    func ends() async throws -> [LogKey?]? {
      guard case .refused(let values) = try await outcome(store, read).outcome else { return nil }
      return values.map { $0?.key }
    }
    #expect(try await ends() == [nil, nil])
    for position in UInt64(3)...12 {
      _ = try await outcome(store, put(position))
      #expect(try await ends() == [.entry(3), .entry(position)])
    }
    for position in UInt64(5)...7 {
      _ = try await outcome(store, LogTransaction(if: [], then: [.remove(.entry(position))], else: []))
      #expect(try await ends() == [.entry(3), .entry(12)])
    }
    for index in 0..<9 {
      _ = try await client.outcome(EtcdPut(Array("hub/log/0000000000000008-\(index)".utf8), [1]), on: loop).get()
      #expect(try await ends() == [.entry(3), .entry(12)])
    }
    _ = try await outcome(store, LogTransaction(if: [], then: [.cut(after: 3)], else: []))
    #expect(try await ends() == [.entry(3), .entry(3)])
  }

  /// Those that were removed, and those of which some are missing, are told apart from the end of the log.
  @Test func entriesAreFoundWhereverTheyAre() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    func read(from position: UInt64) async throws -> (positions: [LogKey], first: UInt64?) {
      guard case .entries(let found, let first, _, _) = try await reading(store, .entries(from: position)) else {
        Issue.record("no answer")
        return ([], nil)
      }
      return (found.map(\.key), first)
    }
    for position in UInt64(1)...60 { _ = try await outcome(store, put(position)) }
    var (next, reads): (UInt64, Int) = (1, 0)
    while next <= 60 {
      let (found, first) = try await read(from: next)
      #expect(first == 1 && !found.isEmpty && found == (next..<next + UInt64(found.count)).map { .entry($0) })
      (next, reads) = (next + UInt64(max(found.count, 1)), reads + 1)
    }
    #expect(reads < 8)
    for _ in 0..<2 { #expect(try await read(from: 61) == ([], 1)) }
    _ = try await outcome(store, LogTransaction(if: [], then: [.trim(before: 20)], else: []))
    for _ in 0..<2 { #expect(try await read(from: 61) == ([], 20)) }
    for position in 30...55 {
      _ = try await outcome(store, LogTransaction(if: [], then: [.remove(.entry(UInt64(position)))], else: []))
    }
    // Full, and so are the next ones expected to be.
    #expect(try await read(from: 20).positions.first == .entry(20))
    let missing = try await read(from: 30)
    #expect(missing.positions.first == .entry(56) && missing.first == 20)
    #expect(try await read(from: 5).positions.first == .entry(20))
    _ = try await outcome(store, LogTransaction(if: [], then: [.cut(after: 1), .trim(before: 60)], else: []))
    #expect(try await read(from: 1) == ([], nil))
  }

  /// The key of a node tells which process runs as it.
  @Test func registrationsAreReadAndCompared() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    let name = try #require(NodeName("a"))
    guard case .registration(nil) = try await reading(store, .registration(name)) else { Issue.record("one"); return }
    let own = NodeRegistration(process: 7, ordinal: 1, position: 0)
    let proof = LogTransaction.prove(name, as: own, replacing: nil, last: nil, history: nil)
    let proved = try await outcome(store, proof)
    guard case .written(let revision) = proved.outcome else { Issue.record("\(proved)"); return }
    let stored = StoredValue(key: .node(name), bytes: own.encoded(), revision: revision)
    guard case .registration(let found) = try await reading(store, .registration(name)) else {
      Issue.record("no answer")
      return
    }
    #expect(found == stored)
    // The second time, the key is there.
    let refused = try await outcome(store, proof)
    #expect(refused.outcome == .refused([nil, nil, nil, nil, stored]))
    // Another store gets nothing.
    let again = try await outcome(store, proof, in: proved.store)
    #expect(again.outcome == refused.outcome)
    let elsewhere = try await outcome(store, proof, in: proved.store &+ 1)
    #expect(elsewhere.outcome == .elsewhere)
  }

  @Test func entriesAndPartsAreReadAndRemoved() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    for position in UInt64(1)...20 { _ = try await outcome(store, put(position, [UInt8(position)])) }
    for index in 0..<19 {
      let part = LogTransaction(
        if: [], then: [.put(.part(position: 5, process: 3, index: index), [UInt8(index)])], else: [])
      _ = try await outcome(store, part)
    }
    _ = try await outcome(store, LogTransaction(if: [], then: [.put(.beat, [42])], else: []))

    guard case .entries(let entries, first: 1, let beat, let revision) = try await reading(store, .entries(from: 15))
    else {
      Issue.record("no entries")
      return
    }
    #expect(entries.map(\.key) == (15...20).map { .entry($0) })
    #expect(entries.map(\.bytes) == (15...20).map { [UInt8($0)] })
    #expect(beat?.bytes == [42] && beat?.revision == revision)
    guard case .parts(let parts) = try await reading(store, .parts(position: 5, process: 3, count: 19)),
      case .parts(let fewer) = try await reading(store, .parts(position: 5, process: 3, count: 3)),
      case .parts(let none) = try await reading(store, .parts(position: 6, process: 3, count: 9))
    else { Issue.record("no parts"); return }
    #expect(parts == (0..<19).map { [UInt8($0)] })
    #expect(fewer == [[0], [1], [2]])
    #expect(none.isEmpty)

    _ = try await outcome(store, LogTransaction(if: [], then: [.trim(before: 6)], else: []))
    guard case .entries(let left, first: 6, _, _) = try await reading(store, .entries(from: 1)),
      case .parts(let removed) = try await reading(store, .parts(position: 5, process: 3, count: 19))
    else { Issue.record("the first entry is another one"); return }
    #expect(left.first?.key == .entry(6))
    #expect(removed.isEmpty)
    // Another instance in the same etcd has its own keys.
    let other = try EtcdLogStore(client, on: loop, EtcdLogStore.Settings(prefix: "hub2/"))
    guard case .entries(let none, first: nil, beat: nil, _) = try await reading(other, .entries(from: 1)) else {
      Issue.record("the prefix is not kept")
      return
    }
    #expect(none.isEmpty)
  }

  @Test func aWatchBringsEntriesFromAPositionAndBeats() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    defer { store.close() }
    let id = try await outcome(store, put(1)).store
    var seen: [LogKey] = []
    var gaps = 0
    store.watch(from: 3) { values, cluster in
      #expect(cluster == id)
      seen += values.map(\.key)
    } onGap: {
      gaps += 1
    }
    // The watch begins at its creation, of which nobody is told.
    var position: UInt64 = 2
    while seen.isEmpty, position < 500 {
      _ = try await outcome(store, put(position))
      position += 1
    }
    _ = try await outcome(
      store, LogTransaction(if: [], then: [.put(.leader, [1]), .put(.beat, [1]), .trim(before: 2)], else: []))
    #expect(await loop.pump(until: { seen.last == .beat }))
    let entries = seen.dropLast()
    // Of those from 3 on, none is missing at the end.
    #expect(entries.first != .entry(2))
    #expect(Array(entries) == (position - UInt64(entries.count)..<position).map { .entry($0) })
    // What another store has is not what has followed.
    #expect(gaps == 0)
    try await server.replace(on: loop)
    #expect(await loop.pump(until: { gaps == 1 }))
  }

  /// A member that was restored meanwhile gets nothing that was meant for the store before.
  @Test func aNewConnectionIsAskedForItsStoreFirst() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    let first = try await outcome(store, put(1))
    try await server.replace(on: loop)
    var result = try await outcome(store, put(1), in: first.store)
    // The end of the old connection has left one without an answer.
    while result.outcome == .unknown { result = try await outcome(store, put(1), in: first.store) }
    #expect(result.outcome == .elsewhere && result.store != first.store)
    guard case .entries(let entries, first: nil, _, _) = try await reading(store, .entries(from: 1)) else {
      Issue.record("the other store has entries")
      return
    }
    #expect(entries.isEmpty)
    // What is meant for any store, or for this one, is sent.
    guard case .written = try await outcome(store, put(1), in: result.store).outcome else {
      Issue.record("nothing is written")
      return
    }
  }

  @Test func aCompactionForgetsWhatIsOlder() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client)
    var (last, id): (UInt64, UInt64) = (0, 0)
    for count in 0..<25 {
      let beat = LogTransaction(if: [], then: [.put(.beat, [UInt8(count)])], else: [])
      let result = try await outcome(store, beat)
      if case .written(let revision) = result.outcome { (last, id) = (revision, result.store) }
    }
    // For another store, it is nothing.
    store.compact(before: last, in: id &+ 1)
    store.compact(before: last - 10, in: id)
    var old = EtcdRange(EtcdKeyRange(Array("hub/beat".utf8)))
    old.revision = Int64(last) - 22
    var reason: EtcdError.Reason?
    #expect(
      await loop.pump(until: {
        client.call(old, timeout: .seconds(240)) { reason = $0.failure?.reason }
        return reason == .compacted
      }))
    old.revision = Int64(last) - 4
    _ = try await client.outcome(old, on: loop).get()
  }

  @Test func missingAnswersAreReportedAfterAPauseAndFullStoresAsSuch() async throws {
    let server = try await EtcdServer(options: ["--quota-backend-bytes", "\(4 << 20)"], on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client) { $0.failurePause = .milliseconds(40) }
    // etcd refuses it at once.
    let tooMany = LogTransaction(
      if: [], then: (0..<200).map { .put(.part(position: 1, process: 1, index: $0), [1]) }, else: [])
    let start = ContinuousClock.now
    #expect(try await outcome(store, tooMany).outcome == .unknown)
    #expect(ContinuousClock.now - start >= .milliseconds(35))
    #expect(store.unknownOutcomes == 1)

    var (position, result): (UInt64, TransactionOutcome) = (1, .unknown)
    while position < 200, result != .full {
      result = try await outcome(store, put(position, [UInt8](repeating: 1, count: 1 << 20))).outcome
      position += 1
    }
    #expect(result == .full)
    #expect(store.unknownOutcomes == 1)
    server.kill(0)
    guard case .failed = try await reading(store, .entries(from: 1)) else { Issue.record("read from nobody"); return }
  }

  /// A member that does not answer a small read at all is left before the time that large ones may take.
  @Test func aReadOfASilentMemberFailsSoon() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let store = try store(client) { $0.timeout = .milliseconds(500) }
    var errors: [EtcdError] = []
    store.onFailure = { errors.append($0) }
    func read(_ read: LogRead) async throws -> Bool {
      if case .failed = try await reading(store, read) { false } else { true }
    }
    // A slow machine may need several attempts.
    while try await !read(.entries(from: 1)) {}
    for next in [LogRead.entries(from: 1), .registration(try #require(NodeName("a")))] {
      let stopped = try #require(client.endpoint)
      let index = try #require(try (0..<3).first { try server.endpoint($0) == stopped })
      server.halt(index)
      errors = []
      #expect(try await !read(next))
      guard case .deadline(let time)? = errors.first?.reason else { Issue.record("\(errors)"); return }
      #expect(time < .seconds(2))
      // Another member is asked.
      while try await !read(next) {}
      #expect(client.endpoint != stopped)
      server.resume(index)
    }
  }

  // MARK: With the core

  /// Executes the commands of a core that concern the store.
  private final class Node {
    let loop: EventLoop
    let store: EtcdLogStore
    var core: ClusterCore
    var applied: [[UInt8]] = []
    var stored = 0
    var leads = false

    init(_ name: NodeName, process: UInt64, _ members: Set<NodeName>, _ store: EtcdLogStore, on loop: EventLoop) {
      (self.loop, self.store) = (loop, store)
      var options = ClusterOptions(
        node: name, process: process, members: members, schemas: [SchemaFingerprint(ofBytes: [1])])
      // The first one leads, however slow the machine is.
      options.takeoverAfter = process == 1 ? .milliseconds(300) : .seconds(60)
      core = ClusterCore(options, journal: .empty, now: loop.now)
      run()
    }

    func run() {
      core.advance(to: loop.now)
      while case let commands = core.takeCommands(), !commands.isEmpty {
        for command in commands { execute(command) }
      }
    }

    private func execute(_ command: ClusterCommand) {
      switch command {
      case .transact(let number, let transaction, let id):
        store.transact(transaction, in: id) { [weak self] in self?.core.transactionEnded(number, in: $0, $1) }
      case .read(let number, let read):
        store.read(read) { [weak self] in self?.core.readEnded(number, in: $0, $1) }
      case .watch(let position):
        store.watch(from: position) { [weak self] in
          self?.core.watched($0, in: $1)
        } onGap: { [weak self] in
          self?.core.watchMissedEvents()
        }
      case .record(let entry, _): core.journalStored(upTo: entry.entry.position)
      case .apply(let turns, _): applied += turns
      case .stored(let count, _): stored += count
      case .lead: leads = true
      default: break
      }
    }
  }

  @Test func aCoreLeadsAndAnotherFollowsWhileAMemberDies() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    let names = Set(["a", "b"].compactMap(NodeName.init))
    var nodes: [Node] = []
    var clients: [EtcdClient] = []
    defer { for client in clients { client.close() } }
    for (process, name) in names.sorted().enumerated() {
      let client = try EtcdClient(on: loop, server.settings())
      clients.append(client)
      nodes.append(
        Node(name, process: UInt64(process) + 1, names, try store(client) { $0.timeout = .seconds(1) }, on: loop))
    }
    func run(until condition: () -> Bool) async -> Bool {
      await loop.pump(until: {
        for node in nodes { node.run() }
        return condition()
      })
    }
    let (leader, follower) = (nodes[0], nodes[1])
    #expect(await run(until: { leader.leads }))
    for turn in UInt8(1)...20 { leader.core.append([[turn]]) }
    #expect(await run(until: { leader.stored == 20 && follower.applied.count == 20 }))

    let member = try #require(clients[0].endpoint)
    server.kill(try #require(try (0..<3).first { try server.endpoint($0) == member }))
    for turn in UInt8(21)...40 {
      leader.core.append([[turn]])
      #expect(await run(until: { leader.stored >= Int(turn) }))
    }
    #expect(await run(until: { follower.applied.count == 40 }))
    #expect(follower.applied == (1...40).map { [$0] })
    #expect(leader.core.leadingTerm == 1)
  }
}
