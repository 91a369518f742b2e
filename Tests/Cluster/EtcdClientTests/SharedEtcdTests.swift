import ClusterCore
import ClusterLog
import EtcdClient
import EtcdLogStore
import EtcdMessages
import EventLoop
import Testing
import Wire

/// Several stores in one real etcd, with a prefix each.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: EtcdServer.isInstalled, EtcdServer.skipped))
struct SharedEtcdTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  /// A way to one log.
  private final class Way {
    let prefix: String
    let client: EtcdClient
    let store: EtcdLogStore
    let loop: EventLoop
    var seen: [StoredValue] = []

    init(_ prefix: String, in server: EtcdServer, on loop: EventLoop) throws {
      (self.prefix, self.loop) = (prefix, loop)
      client = try EtcdClient(on: loop, server.settings())
      var settings = EtcdLogStore.Settings(prefix: prefix)
      settings.timeout = .seconds(120)
      store = try EtcdLogStore(client, on: loop, settings)
    }

    isolated deinit {
      store.close()
      client.close()
    }

    func transact(_ writes: LogTransaction.Write...) async throws {
      var result: TransactionOutcome?
      store.transact(LogTransaction(if: [], then: writes, else: [])) { result = $1 }
      #expect(await loop.pump(until: { result != nil }))
      if case .written = try #require(result) {} else { Issue.record("\(prefix): \(result ?? .unknown)") }
    }

    func inspect() async throws -> [StoredValue?] {
      var result: TransactionOutcome?
      store.transact(.inspection(at: 3)) { result = $1 }
      #expect(await loop.pump(until: { result != nil }))
      guard case .refused(let values)? = result else { throw EtcdTestError.noValues }
      return values
    }

    func entries() async throws -> [StoredValue] {
      var result: LogReading?
      store.read(.entries(from: 1)) { result = $1 }
      #expect(await loop.pump(until: { result != nil }))
      guard case .entries(let entries, _, _, _)? = result else { throw EtcdTestError.noValues }
      return entries
    }
  }

  private enum EtcdTestError: Error { case noValues }

  /// Even where the prefix of one is the beginning of the other's, which no hub begins: all keys and ranges are apart.
  @Test func logsWithPrefixesOfOneBeginningDoNotMix() async throws {
    let server = try await EtcdServer(on: loop)
    // The second has names that come between those of the first, and after them.
    let ways = try ["kitchen/", "kitchen/cellar/", "kitchen/zoo/", "kitchens/"].map {
      try Way($0, in: server, on: loop)
    }
    for way in ways { way.store.watch(from: 1, onValues: { values, _ in way.seen += values }, onGap: {}) }
    for (number, way) in ways.enumerated() {
      for position in UInt64(1)...6 { try await way.transact(.put(.entry(position), [UInt8(number)])) }
      try await way.transact(.put(.beat, [UInt8(number)]), .put(.leader, [UInt8(number)]))
    }
    #expect(await loop.pump(until: { ways.allSatisfy { way in way.seen.contains { $0.key == .beat } } }))
    for (number, way) in ways.enumerated() {
      #expect(way.seen.allSatisfy { $0.bytes == [UInt8(number)] }, "\(way.prefix)")
      let values = try await way.inspect()
      #expect(values[LogTransaction.InspectionReads.first.rawValue]?.key == .entry(1), "\(way.prefix)")
      #expect(values[LogTransaction.InspectionReads.last.rawValue]?.key == .entry(6), "\(way.prefix)")
    }
    // What one removes, the others keep.
    try await ways[0].transact(.trim(before: 4), .cut(after: 5), .remove(.beat))
    #expect(try await ways[0].entries().map(\.key) == [.entry(4), .entry(5)])
    for way in ways.dropFirst() {
      #expect(try await way.entries().map(\.key) == (1...6).map { .entry($0) }, "\(way.prefix)")
      #expect(try await way.inspect()[LogTransaction.InspectionReads.beat.rawValue] != nil, "\(way.prefix)")
    }
  }

  // MARK: Finding stores

  private func overlaps(_ prefix: String, in server: EtcdServer) async throws -> [String] {
    let way = try Way(prefix, in: server, on: loop)
    var result: [String]?
    way.store.readOverlaps { result = $0 }
    #expect(await loop.pump(until: { result != nil }))
    return try #require(result)
  }

  private func neighbours(_ prefix: String, in server: EtcdServer) async throws -> [String] {
    let way = try Way(prefix, in: server, on: loop)
    var result: (stores: [String], isIncomplete: Bool)?
    way.store.readNeighbours { result = $0 }
    #expect(await loop.pump(until: { result != nil }))
    #expect(result?.isIncomplete == false)
    return try #require(result).stores
  }

  @Test func storesAreFoundByTheirPrefixes() async throws {
    let server = try await EtcdServer(on: loop)
    for prefix in ["storehub/", "office/", "hubs/kitchen/", "hubs/shop/", "yard/shed/tools/"] {
      let way = try Way(prefix, in: server, on: loop)
      try await way.transact(.put(.history, [1]), .put(.leader, [1]), .put(.beat, [1]))
      for position in UInt64(1)...30 { try await way.transact(.put(.entry(position), [1])) }
    }
    // Another program's keys, and a store that has no log.
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    for key in ["alone", "hubs/alone", "hubs/other/key", "registry/pods/a", "registry/pods/b", "\u{ff}/history", "zz"] {
      _ = try await client.outcome(EtcdPut(Array(key.utf8), [1]), on: loop).get()
    }
    #expect(try await neighbours("storehub/", in: server) == ["office/", "storehub/", "\u{ff}/"])
    #expect(try await neighbours("new/", in: server) == ["office/", "storehub/", "\u{ff}/"])
    #expect(try await neighbours("hubs/new/", in: server) == ["hubs/kitchen/", "hubs/shop/"])
    #expect(try await neighbours("yard/shed/new/", in: server) == ["yard/shed/tools/"])
    #expect(try await neighbours("empty/new/", in: server) == [])

    #expect(try await overlaps("hubs/new/", in: server) == [])
    #expect(try await overlaps("hub/", in: server) == [])
    #expect(try await overlaps("hubs/", in: server) == ["hubs/kitchen/", "hubs/shop/"])
    #expect(try await overlaps("office/desk/left/", in: server) == ["office/"])
    // A log that is there already goes on.
    #expect(try await overlaps("office/", in: server) == [])
  }

  // MARK: Asking the hub that leads

  private func log(_ prefix: String, in server: EtcdServer, timeout: Duration) throws -> OperatedLog {
    var settings = EtcdLogStore.Settings(prefix: prefix)
    settings.timeout = .seconds(120)
    return try OperatedLog(on: loop, server.settings(), settings, timeout: timeout)
  }

  private func run<Result: Sendable>(
    _ body: @escaping () async throws(OperatedLogError) -> Result
  ) async throws -> Result {
    var result: Swift.Result<Result, OperatedLogError>?
    Task { do throws(OperatedLogError) { result = .success(try await body()) } catch { result = .failure(error) } }
    #expect(await loop.pump(until: { result != nil }))
    return try #require(result).get()
  }

  @Test func theHubThatLeadsIsAskedThroughEtcd() async throws {
    let server = try await EtcdServer(on: loop)
    let (a, b) = (try #require(NodeName("a")), try #require(NodeName("b")))
    let leaders = [Leadership(term: 1, node: a, process: 7), Leadership(term: 2, node: b, process: 8)]
    let way = try Way("kitchen/", in: server, on: loop)
    let log = try log("kitchen/", in: server, timeout: .seconds(240))
    defer { log.close() }
    #expect(try await run { () throws(OperatedLogError) in try await log.askLeader() } == .absent)
    try await way.transact(.put(.history, [1]), .put(.leader, leaders[0].encoded()))

    // The answers of a hub. It does not see the first inquiry: a watch can lose one.
    var inquiries: [LeaderInquiry] = []
    var answer: (LeaderInquiry) -> [LogTransaction] = { _ in [] }
    way.store.watch(from: 1) { values, _ in
      for value in values where value.key == .inquiry {
        guard let inquiry = try? LeaderInquiry(decoding: value.bytes.span.bytes) else { return }
        inquiries.append(inquiry)
        guard inquiries.count > 1 else { return }
        for transaction in answer(inquiry) { way.store.transact(transaction) { _, _ in } }
      }
    } onGap: {
    }
    func reply(to inquiry: LeaderInquiry, as leader: Leadership = leaders[0], _ refusal: String = "") -> LeaderReply {
      LeaderReply(
        id: inquiry.id, leader: leader, position: 9,
        nodes: [LeaderReply.Node(name: a, host: "10.0.0.1", stored: 9)], refusal: refusal)
    }
    // An answer to another question, and one of a hub that does not lead any more, are none.
    answer = { inquiry in
      [
        .reply(reply(to: LeaderInquiry(id: inquiry.id &+ 1, .report))), .reply(reply(to: inquiry, as: leaders[1])),
        .reply(reply(to: inquiry)),
      ]
    }
    guard case .reply(let found) = try await run({ () throws(OperatedLogError) in try await log.askLeader() }) else {
      Issue.record("no answer")
      return
    }
    #expect(found.leader == leaders[0] && found.nodes.count == 1 && inquiries.count >= 2)
    #expect(Set(inquiries.map(\.id)).count == 1)

    answer = { [.reply(reply(to: $0, "there is no link to node b"))] }
    let refused = try await run { () throws(OperatedLogError) in try await log.handOver(leaders[0], to: b) }
    #expect(refused == .refused("there is no link to node b"))
    #expect(inquiries.last?.request == .handover(to: b, term: 1))
    // It begins, and then another node leads.
    answer = {
      [
        .reply(reply(to: $0)),
        LogTransaction(
          if: [.value(.leader, leaders[0].encoded())], then: [.put(.leader, leaders[1].encoded())], else: []),
      ]
    }
    let passed = try await run { () throws(OperatedLogError) in try await log.handOver(leaders[0], to: b) }
    #expect(passed == .leads(leaders[1]))
    // Nothing is left behind.
    var request = EtcdRange(EtcdKeyRange("kitchen/"..<"kitchen0"))
    request.keysOnly = true
    let values = try await way.client.outcome(request, on: loop).get().values
    let keys = values.map { String(decoding: $0.key, as: UTF8.self) }
    #expect(keys.sorted() == ["kitchen/history", "kitchen/leader"])
  }

  @Test func aLeaderThatDoesNotAnswerIsSilent() async throws {
    let server = try await EtcdServer(on: loop)
    let leader = Leadership(term: 1, node: try #require(NodeName("a")), process: 7)
    let way = try Way("kitchen/", in: server, on: loop)
    try await way.transact(.put(.history, [1]), .put(.leader, leader.encoded()))
    let log = try log("kitchen/", in: server, timeout: .milliseconds(300))
    defer { log.close() }
    #expect(try await run { () throws(OperatedLogError) in try await log.askLeader() } == .silence(leader))
    let node = try #require(NodeName("b"))
    #expect(try await run { () throws(OperatedLogError) in try await log.handOver(leader, to: node) } == .silence)
  }
}
