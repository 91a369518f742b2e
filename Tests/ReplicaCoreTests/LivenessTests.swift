import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The detection of a stopped hub by its client, in simulated time.
@Suite struct LivenessTests {
  @Test func aClientThatHasNothingPendingWaitsForNothing() throws {
    let conversation = try Conversation(probeInterval: nil)
    let deadline = conversation.replica.deadline
    #expect(deadline == nil)
  }

  @Test func aHubThatAnswersProbesIsProbedAgain() throws {
    var conversation = try Conversation(probeInterval: .seconds(2))
    for number in 1...3 {
      let due = conversation.replica.deadline
      let deadline = try #require(due)
      let now = conversation.now
      #expect(deadline == now + .seconds(2))
      conversation.expire(at: deadline)
      let pings = conversation.pings
      #expect(pings == [UInt64(number)])
      let next = conversation.replica.deadline
      #expect(next == deadline + .seconds(3))
      conversation.receive(Pong(number: UInt64(number)), at: deadline + .milliseconds(1))
      let connection = conversation.replica.connection
      #expect(connection == .live)
    }
  }

  @Test func aHubThatStopsIsNoticedWithoutAnyAction() throws {
    var conversation = try Conversation(probeInterval: .seconds(2))
    let heard = conversation.now
    conversation.expire(at: heard + .seconds(2))
    conversation.expire(at: heard + .seconds(5))
    guard case .stale(let since, _, let reason) = conversation.replica.connection else {
      Issue.record("the hub counts as live")
      return
    }
    // Not the time of the detection.
    #expect(since == heard)
    #expect(reason.contains("not answered"))
  }

  /// A hub that answers may be cut off from its cluster.
  @Test func aConnectedHubSaysSinceWhenItsStateMayBeStale() throws {
    var conversation = try Conversation(probeInterval: .seconds(2))
    let now = conversation.now
    let before = conversation.replica.hubStaleSince
    #expect(before == nil)
    conversation.receive(HubStanding(staleMilliseconds: 2000), at: now + .seconds(5))
    let (waiting, connection) = (conversation.replica.hubStaleSince, conversation.replica.connection)
    #expect(waiting == now + .seconds(3) && connection == .live)
    conversation.receive(HubStanding(staleMilliseconds: nil), at: now + .seconds(6))
    let current = conversation.replica.hubStaleSince
    #expect(current == nil)
    conversation.receive(HubStanding(staleMilliseconds: 0), at: now + .seconds(7))
    conversation.replica.disconnected(reason: "cut", at: now + .seconds(8))
    let lost = conversation.replica.hubStaleSince
    #expect(lost == nil)
  }

  @Test func probesCanBePausedWhileNobodyWatches() throws {
    var conversation = try Conversation(probeInterval: .seconds(2))
    // One whose answer is awaited is not forgotten.
    conversation.expire(at: conversation.now + .seconds(2))
    conversation.replica.setProbing(false, at: conversation.now)
    let awaited = conversation.replica.deadline
    #expect(awaited == conversation.now + .seconds(3))
    conversation.receive(Pong(number: 1), at: conversation.now)
    let paused = conversation.replica.deadline
    #expect(paused == nil)
    conversation.replica.setProbing(true, at: conversation.now + .seconds(60))
    let resumed = conversation.replica.deadline
    #expect(resumed == conversation.now + .seconds(62))
  }

  @Test func aGoodbyeIsKnownUntilTheNextSession() throws {
    var conversation = try Conversation(probeInterval: .seconds(2))
    let before = conversation.replica.goodbye
    conversation.receive(Goodbye(.shuttingDown, "the hub stops: received SIGTERM"), at: conversation.now)
    // Failed attempts to reconnect have reasons of their own.
    conversation.expire(at: conversation.now + .seconds(60))
    conversation.replica.disconnected(reason: "refused", at: conversation.now)
    let after = conversation.replica.goodbye
    #expect(before == nil && after == "the hub stops: received SIGTERM")
    let connection = conversation.replica.connection
    guard case .stale(_, _, reason: "refused") = connection else {
      Issue.record("the connection is \(connection)")
      return
    }
  }

  @Test func theAgeOfAStaleStateIsCountedFromTheLastSignOfLife() throws {
    var conversation = try Conversation(probeInterval: nil)
    let heard = conversation.now
    conversation.now += .seconds(60)
    try conversation.replica.send(Board.Action.setCount(1))
    conversation.replica.endTurn(at: conversation.now)
    let due = conversation.replica.deadline
    let deadline = try #require(due)
    let now = conversation.now
    #expect(deadline == now + .seconds(3))
    conversation.expire(at: deadline)
    guard case .stale(let since, _, _) = conversation.replica.connection else {
      Issue.record("the hub counts as live")
      return
    }
    #expect(since == heard)
  }

  @Test func theEndOfAConnectionIsASignOfLife() throws {
    var conversation = try Conversation(probeInterval: nil)
    conversation.now += .seconds(60)
    conversation.replica.disconnected(reason: "the hub closed the connection", at: conversation.now)
    guard case .stale(let since, _, _) = conversation.replica.connection else {
      Issue.record("the hub counts as live")
      return
    }
    let now = conversation.now
    #expect(since == now)
  }

  @Test func aHubThatNeverSendsTheStateIsGivenUp() throws {
    var replica = ReplicaCore(schema: Conversation.schema, random: SplitMix(seed: 1))
    _ = replica.subscribe(to: StatePath<Board.State, Board.State>())
    replica.start()
    replica.connected(at: .zero)
    let bytes = Conversation.welcome
    replica.received(bytes.span.bytes, at: .zero)
    let due = replica.deadline
    let deadline = try #require(due)
    #expect(deadline == .seconds(10))
    replica.expire(at: deadline)
    let phase = replica.phase
    #expect(phase == .down)
  }
}

/// A live client without subscriptions.
private struct Conversation: ~Copyable {
  var replica: ReplicaCore
  var now = Duration.seconds(100)
  /// The numbers of the last pings.
  private(set) var pings: [UInt64] = []

  static let schema = Schema(state: Board.State.self, action: Board.Action.self)

  static var welcome: [UInt8] {
    var writer = FrameWriter()
    writer.frame(
      Welcome(
        version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20, hub: "",
        schema: schema.fingerprint))
    return writer.bytes
  }

  init(probeInterval: Duration?) throws {
    var options = ReplicaOptions()
    (options.probeInterval, options.timeout) = (probeInterval, .seconds(3))
    replica = ReplicaCore(schema: Self.schema, options: options, random: SplitMix(seed: 1))
    replica.start()
    replica.connected(at: now)
    let bytes = Self.welcome
    replica.received(bytes.span.bytes, at: now)
    replica.clear()
    let connection = replica.connection
    try #require(connection == .live)
  }

  mutating func receive(_ message: some Message, at time: Duration) {
    now = time
    var writer = FrameWriter()
    writer.frame(message)
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: now)
  }

  mutating func expire(at time: Duration) {
    now = time
    replica.expire(at: now)
    pings = []
    let commands = replica.commands
    for case .write(let range) in commands where replica.output.bytes[range.lowerBound + 4] == FrameKind.ping.rawValue {
      let payload = Array(replica.output.bytes[range].dropFirst(FrameHeader.byteCount))
      if let ping = try? Ping(decoding: payload.span.bytes) { pings.append(ping.number) }
    }
    replica.clear()
  }
}
