import ComposableArchitecture
import FeatureCore
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A client cancels in the hub what its own actions have started.
@Suite struct ClientCancellationTests {
  @Reducer
  struct Feed {
    @Replicated
    struct State: Equatable, Sendable { var received = 0 }

    @CasePathable @Replicated
    enum Action: Sendable { case watch, share, nothing, received }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .watch: return .run { _ in }
        case .share: return .run { _ in }.shared(id: "feed")
        case .nothing: return .none
        case .received:
          state.received += 1
          return .none
        }
      }
    }
  }

  /// A hub and its clients.
  final class Feeds {
    var core: HubCore
    /// The time of all that happens.
    var now = Duration.zero
    private var sent: [ConnectionID: UInt64] = [:]
    private(set) var started: [EffectID] = []
    private(set) var cancelled: [EffectID] = []
    /// The frames of one kind that each connection was sent, in order.
    private var received: [ConnectionID: [(kind: FrameKind?, payload: [UInt8])]] = [:]

    /// - Parameter sessions: Those of an earlier process.
    init(_ sessions: [LoggedSession] = [], limits: HubLimits = HubLimits()) {
      core = HubCore(
        FeatureEngine(initialState: Feed.State(), reducer: Feed()), limits: limits,
        history: HubHistory(id: 1, isLogged: false, position: 0, sessions: sessions, versions: []),
        random: SplitMix(seed: 3))
    }

    /// The next process of a hub.
    init(taking handOver: HandOver) throws {
      let engine = FeatureEngine(initialState: Feed.State(), reducer: Feed())
      let history = try handOver.restore(engine, id: 2)
      core = HubCore(engine, history: history?.continuing(handOver), random: SplitMix(seed: 4))
    }

    func connect(_ hello: Hello = Hello(), sent count: UInt64 = 0) -> ConnectionID {
      let id = core.connected(Peer(process: 1, user: 1, group: 1), at: now)
      sent[id] = count
      write(id) { $0.frame(hello) }
      return id
    }

    func send(_ actions: [Feed.Action], from id: ConnectionID, mayCancel: Bool = true) {
      let first = sent[id, default: 0] + 1
      sent[id] = first + UInt64(actions.count) - 1
      write(id) { writer in
        writer.frame(.actions(seen: nil, mayCancel: mayCancel)) { encoder in
          encoder.unsigned(first)
          encoder.unsigned(0)
          for action in actions { action.encode(to: &encoder) }
        }
      }
    }

    func cancel(_ number: UInt64, from id: ConnectionID) {
      write(id) { $0.frame(FrameHeader(kind: .cancel)) { $0.unsigned(number) } }
    }

    /// The numbers in the *released* frames of a connection.
    func released(on id: ConnectionID) throws -> [UInt64] {
      try received[id, default: []].filter { $0.kind == .released }.map { try UInt64(decoding: $0.payload.span.bytes) }
    }

    /// Cuts a connection, and returns its session.
    func cut(_ id: ConnectionID) throws -> SessionID {
      let found = session(of: id)
      core.ended(id)
      turn()
      return try #require(found)
    }

    /// Lets time pass as the shell does, which wakes the hub at its deadline only.
    func wait(_ time: Duration) {
      let end = now + time
      while let deadline = core.deadline, deadline <= end {
        now = max(now, deadline)
        core.expire(at: now)
        turn()
      }
      now = end
    }

    func leave(_ id: ConnectionID) { write(id) { $0.frame(FrameHeader(kind: .leave)) { _ in } } }

    func session(of id: ConnectionID) -> SessionID? {
      core.liveSessions.values.first { $0.id == id }?.session.id
    }

    private func write(_ id: ConnectionID, _ write: (inout FrameWriter) -> Void) {
      var writer = FrameWriter()
      write(&writer)
      let bytes = writer.bytes
      core.received(bytes.span.bytes, on: id, at: now)
      turn()
    }

    func turn() {
      core.endTurn(at: now)
      for case .write(let id, let run) in core.commands {
        var decoder = FrameDecoder(payloadLimit: 1 << 24)
        let bytes = core.ranges[run].flatMap { core.output.bytes[$0] }
        try? decoder.feed(bytes.span.bytes) { header, payload in
          received[id, default: []].append((FrameKind(rawValue: header.kind), payload.withUnsafeBytes { [UInt8]($0) }))
        }
      }
      for command in core.effectCommands {
        switch command {
        case .start(let effect, _, _): started.append(effect)
        case .cancel(let effect): cancelled.append(effect)
        case .cancelTasks: break
        }
      }
      core.clear()
    }
  }

  @Test func aClientCancelsTheEffectsOfItsActions() {
    let feeds = Feeds()
    let client = feeds.connect()
    feeds.send([.nothing, .watch, .watch, .nothing, .watch], from: client)
    #expect(feeds.started.count == 3 && feeds.core.clientEffects.count == 3)
    feeds.cancel(3, from: client)
    #expect(feeds.cancelled == [feeds.started[1]])
    feeds.cancel(5, from: client)
    #expect(feeds.cancelled == [feeds.started[1], feeds.started[2]])
    // Again, without effects, and not sent yet.
    for number: UInt64 in [3, 1, 99] { feeds.cancel(number, from: client) }
    #expect(feeds.cancelled.count == 2 && feeds.session(of: client) != nil)
    feeds.core.finish(feeds.started[0])
    feeds.turn()
    #expect(feeds.core.clientEffects.count == 0)
  }

  @Test func noClientCancelsWhatAnotherHasStarted() {
    let feeds = Feeds()
    let (first, second) = (feeds.connect(), feeds.connect())
    feeds.send([.watch], from: first)
    feeds.send([.nothing], from: second)
    feeds.cancel(1, from: second)
    #expect(feeds.cancelled.isEmpty)
    feeds.cancel(1, from: first)
    #expect(feeds.cancelled.count == 1)
  }

  @Test func aSharedEffectEndsWithTheLastOfItsClients() throws {
    let feeds = Feeds()
    let clients = (0..<3).map { _ in feeds.connect() }
    for client in clients { feeds.send([.share, .share, .watch], from: client) }
    #expect(feeds.started.count == 4)
    for client in clients { feeds.cancel(1, from: client) }
    #expect(feeds.cancelled.isEmpty)
    feeds.cancel(2, from: clients[0])
    // A client that leaves lets go of what it shares; what it has started alone goes on.
    feeds.leave(clients[1])
    #expect(feeds.cancelled.isEmpty)
    // A connection that ends is no end of the session.
    let session = try #require(feeds.session(of: clients[2]))
    feeds.core.ended(clients[2])
    feeds.turn()
    #expect(feeds.cancelled.isEmpty)
    let again = feeds.connect(Hello(session: session), sent: 3)
    feeds.cancel(2, from: again)
    #expect(feeds.cancelled == [feeds.started[0]])
  }

  // MARK: Clients without a connection

  @Test func aClientWithoutAConnectionHoldsASharedEffectForATimeOnly() throws {
    let feeds = Feeds()
    let (killed, other) = (feeds.connect(), feeds.connect())
    feeds.send([.nothing, .share, .watch], from: killed)
    let session = try feeds.cut(killed)
    feeds.wait(HubLimits().holdTimeout - .milliseconds(1))
    #expect(feeds.cancelled.isEmpty)
    feeds.wait(.milliseconds(1))
    // What it alone has started goes on.
    #expect(feeds.cancelled == [feeds.started[0]] && feeds.core.clientEffects.count == 1)
    #expect(feeds.core.detachedSessionCount == 1)

    // If the client comes back, it learns of it, on each connection.
    for _ in 0..<2 {
      let again = feeds.connect(Hello(session: session), sent: 3)
      #expect(try feeds.released(on: again) == [3])
      feeds.send([.nothing], from: again)
      #expect(try feeds.cut(again) == session)
    }
    let last = feeds.connect(Hello(session: session), sent: 4)
    #expect(try feeds.released(on: last) == [3])
    feeds.cancel(3, from: last)
    #expect(feeds.cancelled == feeds.started)
    feeds.send([.share], from: last)
    #expect(feeds.started.count == 3)
    #expect(try feeds.released(on: other) == [])
  }

  @Test func aClientThatReturnsInTimeHoldsItsEffects() throws {
    let feeds = Feeds()
    let first = feeds.connect()
    feeds.send([.share], from: first)
    var session = try feeds.cut(first)
    for _ in 0..<3 {
      feeds.wait(HubLimits().holdTimeout / 2)
      let again = feeds.connect(Hello(session: session), sent: 1)
      feeds.wait(HubLimits().holdTimeout * 2)
      #expect(try feeds.released(on: again) == [])
      session = try feeds.cut(again)
    }
    #expect(feeds.cancelled.isEmpty)
    // A session that is resumed before its first connection has ended, too.
    let (old, new) = (feeds.connect(Hello(session: session), sent: 1), feeds.connect(Hello(session: session), sent: 1))
    feeds.core.ended(old)
    feeds.wait(HubLimits().holdTimeout * 2)
    #expect(feeds.cancelled.isEmpty)
    feeds.cancel(1, from: new)
    #expect(feeds.cancelled.count == 1)
  }

  @Test func whatOthersHoldGoesOn() throws {
    let feeds = Feeds()
    let (killed, other) = (feeds.connect(), feeds.connect())
    for client in [killed, other] { feeds.send([.share], from: client) }
    _ = try feeds.cut(killed)
    feeds.wait(.seconds(3600))
    #expect(feeds.started.count == 1 && feeds.cancelled.isEmpty)
    feeds.cancel(1, from: other)
    #expect(feeds.cancelled == feeds.started)
    #expect(feeds.core.clientEffects.count == 0)
  }

  /// A client that has nothing to show would begin its own effects again.
  @Test func aClientThatHeldNothingIsToldNothing() throws {
    let feeds = Feeds()
    let client = feeds.connect()
    feeds.send([.watch, .nothing], from: client)
    let session = try feeds.cut(client)
    feeds.wait(.seconds(3600))
    let again = feeds.connect(Hello(session: session), sent: 2)
    #expect(try feeds.released(on: again) == [])
    feeds.cancel(1, from: again)
    #expect(feeds.cancelled.count == 1)
  }

  /// An effect that runs on may begin a shared one when its client is gone.
  @Test func anEffectOfAClientThatIsGoneHoldsNothingForLong() throws {
    let feeds = Feeds()
    let client = feeds.connect()
    feeds.send([.watch], from: client)
    _ = try feeds.cut(client)
    feeds.wait(.seconds(60))
    let isApplied = feeds.core.apply(AnyAction(Feed.Action.share), from: feeds.started[0])
    #expect(isApplied)
    feeds.turn()
    #expect(feeds.started.count == 2)
    feeds.wait(HubLimits().holdTimeout)
    #expect(feeds.cancelled == [feeds.started[1]])
  }

  @Test func aRestartedHubTellsThatItsClientsHoldNothing() throws {
    let session = LoggedSession(
      id: SessionID(high: 1, low: 2), user: 1, process: 1, name: "a", processed: 7, rejections: [])
    let feeds = Feeds([session])
    let client = feeds.connect(Hello(session: session.id, acknowledged: 7), sent: 7)
    #expect(try feeds.released(on: client) == [7])
  }

  /// No welcome tells it, since the connection goes on.
  @Test func aClientThatIsTakenOverLearnsThatItsEffectsHaveEnded() throws {
    for action in [Feed.Action.share, .nothing] {
      let old = Feeds()
      let id = old.connect()
      old.send([action], from: id)
      let record = old.core.handOver { _ in (token: 1, unsent: []) }
      let bytes = try #require(record).encoded()
      let next = try Feeds(taking: try HandOver(reading: bytes))
      next.core.start()
      let taken = next.core.connected(Peer(process: 1, user: 1, group: 1), at: .zero, isTakenOver: true)
      let isRead = next.core.takeOver(try HandOver(reading: bytes), 0, on: taken, at: .zero)
      #expect(isRead)
      next.turn()
      #expect(try next.released(on: taken) == (action.is(\.share) ? [1] : []))
    }
  }

  @Test func anEndedSessionHasNoTimeLimit() throws {
    var limits = HubLimits()
    limits.detachedSessions = 1
    let feeds = Feeds(limits: limits)
    for _ in 0..<3 {
      let client = feeds.connect()
      feeds.send([.share], from: client)
      _ = try feeds.cut(client)
    }
    feeds.wait(.seconds(60))
    #expect(feeds.started.count == 1 && feeds.cancelled == feeds.started)
    #expect(feeds.core.clientEffects.count == 0 && feeds.core.deadline == nil)
  }

  @Test func withoutTheFlagNothingIsKept() {
    let feeds = Feeds()
    let (first, second) = (feeds.connect(), feeds.connect())
    feeds.send([.share], from: first, mayCancel: false)
    feeds.send([.share], from: second)
    feeds.cancel(1, from: first)
    feeds.cancel(1, from: second)
    #expect(feeds.cancelled.isEmpty && feeds.core.clientEffects.count == 0)
  }

  @Test func theNumberOfActionsOfOneClientIsLimited() {
    let feeds = Feeds()
    let client = feeds.connect()
    feeds.send(Array(repeating: .watch, count: ClientEffects.limit + 10), from: client)
    #expect(feeds.core.clientEffects.count == ClientEffects.limit)
    feeds.cancel(UInt64(ClientEffects.limit) + 1, from: client)
    #expect(feeds.cancelled.isEmpty)
    feeds.leave(client)
    #expect(feeds.core.clientEffects.count == 0)
  }

  @Test func beyondTheLimitAClientHoldsNothing() {
    let feeds = Feeds()
    let (first, second) = (feeds.connect(), feeds.connect())
    feeds.send([.share], from: first)
    feeds.send(Array(repeating: .watch, count: ClientEffects.limit), from: second)
    feeds.send([.share, .share], from: second)
    #expect(feeds.cancelled.isEmpty)
    feeds.cancel(1, from: first)
    #expect(feeds.cancelled == [feeds.started[0]])
    // Its name is free again.
    feeds.send([.share], from: first)
    #expect(feeds.started.count == ClientEffects.limit + 2)
  }
}
