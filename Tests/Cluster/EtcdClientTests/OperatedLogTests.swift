import ClusterCore
import ClusterLog
import EtcdClient
import EtcdLogStore
import EtcdMessages
import EventLoop
import Testing
import Wire

/// The commands of an operator with the log in a real etcd.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: EtcdServer.isInstalled, EtcdServer.skipped))
struct OperatedLogTests {
  private static let first = Leadership(term: 1, node: name("a"), process: 7)
  private static let second = Leadership(term: 2, node: name("b"), process: 8)
  private let loop: EventLoop
  private let large = [UInt8](repeating: 3, count: 900)

  init() throws { loop = try EventLoop() }

  private static func name(_ text: String) -> NodeName {
    guard let name = NodeName(text) else { preconditionFailure("\(text) is not a name") }
    return name
  }

  private var entries: [EncodedEntry] {
    let contents: [(Leadership, LogEntry.Content)] = [
      (Self.first, .opening), (Self.first, .turns(first: 1, [[1], [2]])),
      (Self.first, .parts(turn: 3, LargeTurn(large, partSize: 100))), (Self.second, .opening),
      (Self.second, .turns(first: 4, [[4]])), (Self.second, .turns(first: 5, [[5]])),
    ]
    var point = LogPoint.start
    return contents.map { leader, content in
      let entry = EncodedEntry(
        LogEntry(
          position: point.position + 1, leader: leader, schema: SchemaFingerprint(ofBytes: [1]),
          previous: point.checksum, content: content))
      point.advance(to: entry)
      return entry
    }
  }

  /// A log in an etcd of its own, and the ways to it.
  private final class Scene {
    let server: EtcdServer
    let client: EtcdClient
    let store: EtcdLogStore
    let log: OperatedLog
    let loop: EventLoop
    var history = LogHistory(id: 9, store: 0)

    init(on loop: EventLoop, callTimeout: Duration = .seconds(120), timeout: Duration = .seconds(240)) async throws {
      self.loop = loop
      server = try await EtcdServer(on: loop)
      client = try EtcdClient(on: loop, server.settings())
      var settings = EtcdLogStore.Settings(prefix: "hub/")
      settings.timeout = callTimeout
      store = try EtcdLogStore(client, on: loop, settings)
      log = try OperatedLog(on: loop, server.settings(), settings, timeout: timeout)
    }

    isolated deinit {
      log.close()
      store.close()
      client.close()
    }

    func transact(_ conditions: [LogTransaction.Condition] = [], _ writes: [LogTransaction.Write]) async throws {
      let transaction = LogTransaction(if: conditions, then: writes, else: [])
      var result: (UInt64, TransactionOutcome)?
      store.transact(transaction) { result = ($0, $1) }
      #expect(await loop.pump(until: { result != nil }))
      history = LogHistory(id: history.id, store: try #require(result).0)
    }

    func run<Result: Sendable>(
      _ body: @escaping () async throws(OperatedLogError) -> Result
    ) async throws -> Result {
      var result: Swift.Result<Result, OperatedLogError>?
      Task { do throws(OperatedLogError) { result = .success(try await body()) } catch { result = .failure(error) } }
      #expect(await loop.pump(until: { result != nil }))
      return try #require(result).get()
    }

    func verify(
      _ journal: JournalPlace, turns: @escaping (UInt64, [[UInt8]], UInt64) -> [LogDifference] = { _, _, _ in [] }
    ) async throws -> LogVerification {
      try await run { () throws(OperatedLogError) in try await self.log.verify(journal, turns: turns).log }
    }

    func registration(of node: NodeName) async throws -> NodeRegistration? {
      var result: LogReading?
      store.read(.registration(node)) { result = $1 }
      #expect(await loop.pump(until: { result != nil }))
      guard case .registration(let found)? = result else { return nil }
      return try found.map { try NodeRegistration(decoding: $0.bytes.span.bytes) }
    }
  }

  private func scene() async throws -> Scene {
    let scene = try await Scene(on: loop)
    for (index, part) in LargeTurn.split(large, partSize: 100).enumerated() {
      try await scene.transact([], [.put(.part(position: 3, process: 7, index: index), part)])
    }
    for entry in entries { try await scene.transact([], [.put(.entry(entry.entry.position), entry.bytes)]) }
    try await scene.transact(
      [], [.put(.history, scene.history.encoded()), .put(.leader, Self.second.encoded())])
    for node in ["a", "b"] {
      let registration = NodeRegistration(process: 1, ordinal: 4, position: 2)
      try await scene.transact([], [.put(.node(Self.name(node)), registration.encoded())])
    }
    return scene
  }

  private func place(_ scene: Scene, _ position: Int = 5, turn: UInt64 = 4) -> JournalPlace {
    JournalPlace(history: scene.history, last: entries[position - 1], turn: turn)
  }

  @Test func aWholeLogIsReadToItsEnd() async throws {
    let scene = try await scene()
    var turns: [UInt64: [UInt8]] = [:]
    let found = try await scene.verify(place(scene)) { first, encoded, _ in
      for (number, turn) in zip(first..., encoded) { turns[number] = turn }
      return []
    }
    #expect(found.differences == [] && found.entryCount == 6 && found.terms == 1...2 && found.positions == 1...6)
    #expect(turns == [1: [1], 2: [2], 3: large, 4: [4], 5: [5]])
    // Its first entries were removed.
    try await scene.transact([], [.trim(before: 5)])
    let trimmed = try await scene.verify(place(scene))
    #expect(trimmed.differences == [] && trimmed.positions == 5...6)
    // What is wrong with a turn is a difference.
    let turn = LogDifference.turn(5, entry: 6, "is wrong")
    let wrong = try await scene.verify(place(scene)) { first, _, _ in first == 5 ? [turn] : [] }
    #expect(wrong.differences == [turn])
  }

  /// Damage that an operator may meet, one after the other, each of which is mended.
  @Test func plantedDamageIsFound() async throws {
    let scene = try await scene()
    var bytes = entries[1].bytes
    bytes[bytes.count - 1] ^= 1
    try await scene.transact([], [.put(.entry(2), bytes)])
    let wrong = try await scene.verify(place(scene)).differences
    guard wrong.count == 1, case .damaged(2, _) = wrong[0] else { Issue.record("\(wrong)"); return }
    try await scene.transact(
      [], [.put(.entry(2), entries[1].bytes), .remove(.part(position: 3, process: 7, index: 4))])
    #expect(try await scene.verify(place(scene)).differences == [.missingParts(3)])
    let part = LargeTurn.split(large, partSize: 100)[4]
    try await scene.transact([], [.put(.part(position: 3, process: 7, index: 4), part), .remove(.entry(4))])
    #expect(try await scene.verify(place(scene)).differences == [.missing(4...4)])
    try await scene.transact([], [.put(.entry(4), entries[3].bytes)])
    #expect(try await scene.verify(place(scene)).differences == [])

    // The journal of another cluster.
    let other = EncodedEntry(
      LogEntry(
        position: 5, leader: Self.second, schema: SchemaFingerprint(ofBytes: [1]), previous: 3,
        content: .turns(first: 4, [[9]])))
    let foreign = JournalPlace(history: LogHistory(id: 4, store: 4), last: other, turn: 4)
    let otherLog = try await scene.verify(foreign) { first, _, entry in [.turn(first, entry: entry, "is another one")] }
    #expect(otherLog.differences == [.otherHistory] && otherLog.entryCount == 6)
    // A journal that is ahead of an etcd that was restored from an earlier backup.
    try await scene.transact([], [.remove(.entry(6)), .remove(.entry(5))])
    #expect(try await scene.verify(place(scene)).differences == [.journalAhead(journal: 5, log: 4)])
    // Another etcd, without anything.
    try await scene.server.replace(on: loop)
    let empty = try await scene.verify(place(scene))
    #expect(empty.differences == [.noHistory] && empty.positions == nil)
  }

  // MARK: Restoring

  private func restoration(_ scene: Scene, _ place: JournalPlace) async throws -> (StoredLog, LogTail) {
    try await scene.run { () throws(OperatedLogError) in
      let found = try await scene.log.inspect(at: place.position)
      return (found, try await scene.log.tail(after: place, in: found))
    }
  }

  /// An entry cannot be read, and no journal has it: the log goes on before it, and a hub can append there.
  @Test func aLogIsCutOffBeforeWhatCannotBeRead() async throws {
    let scene = try await scene()
    let journal = place(scene, 2, turn: 2)
    #expect(try await restoration(scene, journal).1.damage == nil)
    var bytes = entries[4].bytes
    bytes[bytes.count - 1] ^= 1
    try await scene.transact([], [.put(.entry(5), bytes)])
    let (found, tail) = try await restoration(scene, journal)
    #expect(tail.damage?.position == 5 && tail.point.position == 4 && tail.point.turn == 3)
    let (log, name) = (scene.log, LogHistory(id: 10, store: found.store))
    let transaction = found.cutting(tail, to: name)
    try await scene.run { () throws(OperatedLogError) in try await log.change(transaction, to: name) }
    scene.history = name
    let verified = try await scene.verify(place(scene, 2, turn: 2))
    #expect(verified.differences == [] && verified.positions == 1...4 && verified.leader == Self.second)
    // It was changed once.
    await #expect(throws: OperatedLogError.changed) {
      let other = LogHistory(id: 11, store: found.store)
      try await scene.run { () throws(OperatedLogError) in
        try await log.change(found.cutting(tail, to: other), to: other)
      }
    }
  }

  /// Another program has written the key `leader`: it is mended without another name, and once more without an effect.
  @Test func aDamagedLeaderIsMended() async throws {
    let scene = try await scene()
    try await scene.transact([], [.put(.leader, [0x80])])
    let journal = place(scene)
    let (found, tail) = try await restoration(scene, journal)
    #expect(found.damagedKeys == [.leader] && found.restoration(with: journal, tail: tail) == .mended(last: 6))
    let (log, name) = (scene.log, try #require(found.history))
    for _ in 1...2 {
      try await scene.run { () throws(OperatedLogError) in try await log.change(found.mending(tail), to: name) }
    }
    #expect(try await scene.verify(journal).differences == [])
    let (mended, rest) = try await restoration(scene, journal)
    #expect(mended.restoration(with: journal, tail: rest) == .needless)
    // Somebody has written it again.
    try await scene.transact([], [.put(.leader, [0x81])])
    await #expect(throws: OperatedLogError.changed) {
      try await scene.run { () throws(OperatedLogError) in try await log.change(found.mending(tail), to: name) }
    }
  }

  @Test func aDamagedNameIsReplaced() async throws {
    let scene = try await scene()
    try await scene.transact([], [.put(.history, [0x80])])
    let journal = place(scene)
    let (found, tail) = try await restoration(scene, journal)
    #expect(found.damagedKeys == [.history] && found.restoration(with: journal, tail: tail) == .renamed(last: 6))
    let (log, name) = (scene.log, LogHistory(id: 10, store: found.store))
    try await scene.run { () throws(OperatedLogError) in try await log.change(found.renaming(to: name, tail), to: name)
    }
    scene.history = name
    #expect(try await scene.verify(place(scene)).differences == [])
  }

  /// What a journal has is not given up.
  @Test func nodesWhoseJournalsHaveAnEntryAreKnown() async throws {
    let scene = try await scene()
    let (b, c) = (try #require(NodeName("b")), try #require(NodeName("c")))
    try await scene.transact([], [.put(.node(c), NodeRegistration(process: 1, ordinal: 1, position: 5).encoded())])
    try await scene.transact([], [.put(.node(b), NodeRegistration(process: 2, ordinal: 1, position: 4).encoded())])
    let log = scene.log
    let found = try await scene.run { () throws(OperatedLogError) in
      [try await log.nodes(thatHave: 4), try await log.nodes(thatHave: 5), try await log.nodes(thatHave: 6)]
    }
    #expect(found[0].contains(b) && found[0].contains(c))
    #expect(found[1].contains(c) && !found[1].contains(b) && !found[2].contains(c))
  }

  /// The parts of a turn are missing, so that its entry is as good as lost. They are removed with it.
  @Test func aTurnWithoutItsPartsIsCutOff() async throws {
    let scene = try await scene()
    try await scene.transact([], [.remove(.part(position: 3, process: 7, index: 4))])
    let (found, tail) = try await restoration(scene, place(scene, 2, turn: 2))
    #expect(tail.damage?.position == 3 && tail.damage?.reason.contains("parts") == true)
    let (log, name) = (scene.log, LogHistory(id: 10, store: found.store))
    try await scene.run { () throws(OperatedLogError) in try await log.change(found.cutting(tail, to: name), to: name) }
    var parts: LogReading?
    scene.store.read(.parts(position: 3, process: 7, count: 9)) { parts = $1 }
    #expect(await loop.pump(until: { parts != nil }))
    guard case .parts(let left)? = parts else { Issue.record("\(String(describing: parts))"); return }
    #expect(left.isEmpty)
  }

  /// `restore` begins the log with the last entry of a journal, whose turn may be a large one. No node reads its parts.
  @Test func aLogThatBeginsWithALargeTurnIsWhole() async throws {
    let scene = try await Scene(on: loop)
    try await scene.transact([], [.put(.beat, [0])])
    let (log, first) = (scene.log, entries[2])
    try await scene.run { () throws(OperatedLogError) in
      let found = try await log.inspect(at: 3)
      let name = LogHistory(id: 10, store: found.store)
      try await log.change(found.beginning(with: first, in: name), to: name)
    }
    scene.history = LogHistory(id: 10, store: scene.history.store)
    #expect(try await scene.verify(place(scene, 3, turn: 3)).differences == [])
    // A node whose journal ends before it would need them.
    #expect(try await scene.verify(place(scene, 2, turn: 2)).differences.contains(.missingParts(3)))
  }

  @Test func anEtcdThatDoesNotAnswerIsNoDifference() async throws {
    var reasons: [String] = []
    // If this thread is paused, a short time passes before the first attempt.
    for milliseconds in [200, 2000, 20_000] {
      let scene = try await Scene(
        on: loop, callTimeout: .milliseconds(milliseconds / 2), timeout: .milliseconds(milliseconds))
      scene.server.kill(0)
      let error = await #expect(throws: OperatedLogError.self) { try await scene.verify(place(scene)) }
      guard case .noAnswer(let reason)? = error else { Issue.record("\(String(describing: error))"); return }
      if reason.contains("127.0.0.1") { return }
      reasons.append(reason)
    }
    Issue.record("\(reasons)")
  }

  // MARK: Removing a node

  @Test func aNodeThatDoesNotRunIsRemovedOnce() async throws {
    let scene = try await scene()
    func remove(_ node: String) async throws -> OperatedLog.Removal {
      try await scene.run { () throws(OperatedLogError) in
        try await scene.log.remove(Self.name(node), waiting: .milliseconds(600))
      }
    }
    #expect(try await remove("b") == .leads(term: 2))
    #expect(try await scene.registration(of: Self.name("b"))?.ordinal == 4)
    #expect(try await remove("a") == .removed(position: 2))
    #expect(try await scene.registration(of: Self.name("a")) == .removal(position: 2))
    #expect(try await remove("a") == .unchanged)
    // One that is not registered could register later.
    #expect(try await remove("d") == .removed(position: nil))
    #expect(try await scene.registration(of: Self.name("d")) == .removal(position: 0))
    #expect(try await remove("d") == .unchanged)
  }

  /// Neither `verify` nor `restore` misses the journal of a removed node.
  @Test func aRemovedNodeIsTakenBack() async throws {
    let scene = try await scene()
    let node = Self.name("a")
    func add(_ node: NodeName) async throws -> Bool {
      try await scene.run { () throws(OperatedLogError) in try await scene.log.add(node) }
    }
    try await scene.transact([], [.put(.node(node), NodeRegistration.removal(position: 99).encoded())])
    #expect(try await scene.verify(place(scene)).differences.isEmpty)
    let nodes = try await scene.run { () throws(OperatedLogError) in try await scene.log.nodes(thatHave: 2) }
    #expect(nodes == [Self.name("b")])
    #expect(try await add(node))
    #expect(try await scene.registration(of: node) == nil)
    #expect(try await !add(node))
    // A node that runs is no removed one.
    #expect(try await !add(Self.name("b")))
    #expect(try await scene.registration(of: Self.name("b"))?.ordinal == 4)
  }

  /// A process looks at its registration now and then. If another one is in its place, it restores its own.
  @Test func aNodeThatRunsStays() async throws {
    let scene = try await scene()
    let node = Self.name("a")
    let own = NodeRegistration(process: 1, ordinal: 4, position: 2)
    var result: OperatedLog.Removal?
    let task = Task { result = try await scene.log.remove(node, waiting: .seconds(240)) }
    var restored: NodeRegistration?
    while restored == nil, result == nil {
      let found = try await scene.registration(of: node)
      if found != own { restored = found }
    }
    #expect(restored?.ordinal == 5 && restored?.position == 2)
    try await scene.transact([], [.put(.node(node), own.encoded())])
    #expect(await loop.pump(until: { result != nil }))
    try await task.value
    #expect(result == .runs)
    #expect(try await scene.registration(of: node) == own)
  }
}
