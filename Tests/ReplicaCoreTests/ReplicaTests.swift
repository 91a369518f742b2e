import Features
import HubCore
import ReplicaCore
import TestSupport
import Testing
import Wire

@Suite struct ReplicaTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)

  private func live(_ world: AppWorld) throws -> AppWorld.Client {
    try world.settle()
    let client = world.clients[0]
    let connection = client.replica.connection
    try #require(connection == .live)
    return client
  }

  @Test func aClientIsLiveWithTheHubsState() throws {
    let client = try live(AppWorld(seed: 1, clientCount: 1))
    #expect(client.state == AppFeature.State())
    #expect(client.replica.deadline == nil)
  }

  @Test func aRefusalComesWithItsCodeAndTheOthersAreApplied() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    let client = try live(world)
    try world.send(.incrementButtonTapped, from: client)
    try world.turn()
    // The action's key is corrupted on its way.
    let last = client.toHub.count - 1
    client.toHub[last] = 0x17
    try world.send(.incrementButtonTapped, from: client)
    try world.settle()

    #expect(world.engine.state.counter.count == 1)
    #expect(client.applied == 1)
    #expect(client.failed.count == 1)
    guard case .rejected(let code, _)? = client.failed.first else {
      Issue.record("a refusal was expected")
      return
    }
    #expect(code == RejectionCode.unknownAction.rawValue)
  }

  @Test func whatAHubThatRestartedMayHaveSeenIsNeverSentAgain() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    let client = try live(world)
    try world.send(.incrementButtonTapped, from: client)
    try world.turn()
    // Sent, but never answered, because another hub takes over.
    world.deliver(client, atMost: .max)
    client.fromHub = []
    world.cut(client)
    try world.send(.incrementButtonTapped, from: client)
    world.restartHub(FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()))
    client.lastRevisions = [:]
    try world.settle()

    #expect(client.failed == [.outcomeUnknown])
    #expect(client.applied == 1)
    #expect(world.engine.state.counter.count == 1)
    #expect(client.state == world.engine.state)
  }

  /// After a hub has lost its state, it may give the id of a lost todo to another one.
  @Test func actionsThatWaitMayBeMeantForAStateThatIsLost() throws {
    var options = ReplicaOptions()
    options.sendsAfterLoss = false
    let world = AppWorld(seed: 1, clientCount: 1, options: options)
    let client = try live(world)
    world.cut(client)
    for _ in 0..<2 { try world.send(.incrementButtonTapped, from: client) }
    try world.settle()
    #expect(client.applied == 2 && client.failed.isEmpty)

    world.cut(client)
    for _ in 0..<2 { try world.send(.incrementButtonTapped, from: client) }
    world.restartHub(FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()))
    client.lastRevisions = [:]
    try world.settle()
    #expect(client.failed == [.stateLost, .stateLost])
    #expect(world.engine.state.counter.count == 0)
    try world.send(.decrementButtonTapped, from: client)
    try world.settle()
    #expect(world.engine.state.counter.count == -1 && client.state == world.engine.state)
  }

  @Test func actionsSentWhileAwayTakeEffectInOrder() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    let client = try live(world)
    world.cut(client)
    for _ in 0..<5 { try world.send(.incrementButtonTapped, from: client) }
    try world.send(.decrementButtonTapped, from: client)
    try world.settle()

    #expect(world.engine.state.counter.count == 4)
    #expect(client.applied == 6)
  }

  @Test func tooManyActionsAreRefusedHereAndNotKept() throws {
    var options = ReplicaOptions()
    options.pendingActions = 2
    var replica = ReplicaCore(schema: Self.schema, options: options)
    _ = try replica.send(AppFeature.Action.counter(.incrementButtonTapped))
    _ = try replica.send(AppFeature.Action.counter(.incrementButtonTapped))
    do {
      _ = try replica.send(AppFeature.Action.counter(.incrementButtonTapped))
      Issue.record("a third action was taken")
    } catch {
      #expect(error == .tooManyPending(limit: 2))
    }
    #expect(replica.pendingActionCount == 2)
  }

  @Test func attemptsToReconnectComeLessAndLessOften() {
    var replica = ReplicaCore(schema: Self.schema, random: SplitMix(seed: 1))
    replica.start()
    var now = Duration.zero
    var delays: [Duration] = []
    for _ in 0..<12 {
      replica.disconnected(reason: "refused", at: now)
      guard let deadline = replica.deadline else { break }
      delays.append(deadline - now)
      now = deadline
      replica.expire(at: now)
    }
    #expect(delays.count == 12)
    #expect(delays[0] <= .milliseconds(50))
    #expect(delays.allSatisfy { $0 <= .seconds(5) && $0 >= .milliseconds(25) })
    #expect(delays[11] >= .milliseconds(2500))
  }

  /// Each attempt opens a session, whose snapshot cannot be decoded.
  @Test func attemptsComeLessOftenUntilTheStateCanBeUsed() throws {
    var replica = ReplicaCore(schema: Self.schema, random: SplitMix(seed: 1))
    let counter = replica.subscribe(to: StatePath<AppFeature.State, AppFeature.State>().counter)
    replica.start()
    var now = Duration.zero
    func open(_ replica: inout ReplicaCore, with snapshot: [UInt8]) {
      var writer = FrameWriter()
      writer.frame(
        Welcome(
          version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20,
          hub: "", schema: Self.schema.fingerprint))
      writer.frame(FrameHeader(kind: .snapshot, flags: SnapshotPiece.finalFlag)) {
        SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: snapshot.count, to: &$0)
        $0.append(snapshot.span.bytes)
      }
      let bytes = writer.bytes
      replica.connected(at: now)
      replica.received(bytes.span.bytes, at: now)
      replica.clear()
    }
    var delays: [Duration] = []
    for _ in 0..<12 {
      open(&replica, with: [0xff])
      guard let deadline = replica.deadline else { break }
      delays.append(deadline - now)
      now = deadline
      replica.expire(at: now)
    }
    #expect(delays.count == 12)
    #expect(delays[0] <= .milliseconds(50))
    #expect(delays[11] >= .milliseconds(2500))

    open(&replica, with: Counter.State().encoded())
    #expect(replica.connection == .live)
    #expect(counter.part == Counter.State())
    replica.disconnected(reason: "cut", at: now)
    let due = replica.deadline
    #expect(try #require(due) <= now + .milliseconds(50))
  }

  @Test func aHubThatDoesNotAnswerIsGivenUp() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    let client = try live(world)
    try world.send(.incrementButtonTapped, from: client)
    try world.turn()
    let due = client.replica.deadline
    let deadline = try #require(due)
    #expect(deadline == world.now + .seconds(10))
    client.replica.expire(at: deadline)

    guard case .stale(_, _, let reason) = client.replica.connection else {
      Issue.record("the state should be stale, not \(client.replica.connection)")
      return
    }
    #expect(reason.contains("not answered"))
  }

  @Test func anIncompatibleHubIsNotTriedAgain() throws {
    var replica = ReplicaCore(schema: Self.schema)
    replica.start()
    replica.connected(at: .zero)
    _ = try replica.send(AppFeature.Action.counter(.incrementButtonTapped))
    var writer = FrameWriter()
    writer.frame(PeerError(.unsupportedVersion, "too old"))
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)

    #expect(replica.connection == .refused(reason: "too old"))
    #expect(replica.deadline == nil)
    #expect(replica.pendingActionCount == 0)
  }

  @Test func aDeltaThatDoesNotFitIsRefusedAndHealedByASnapshot() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    let client = try live(world)
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .delta, revision: 9)) {
      $0.arrayHeader(count: 2)
      $0.unsigned(8)
      $0.mapHeader(count: 0)
    }
    let bytes = writer.bytes
    client.replica.received(bytes.span.bytes, at: world.now)
    #expect(client.whole?.revision == 0)
    #expect(client.replica.connection != .live)

    try world.settle()
    #expect(client.replica.connection == .live)
    #expect(client.state == world.engine.state)
  }
}
