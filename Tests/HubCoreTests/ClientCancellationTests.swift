import ComposableArchitecture
import FeatureCore
import TestSupport
import Testing
import Wire

@testable import HubCore

/// A client cancels in the hub what its own actions have started.
@Suite struct ClientCancellationTests {
  @Reducer
  struct Feed {
    @Replicated
    struct State: Equatable, Sendable { var received = 0 }

    @Replicated
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
    private var sent: [ConnectionID: UInt64] = [:]
    private(set) var started: [EffectID] = []
    private(set) var cancelled: [EffectID] = []

    init() {
      core = HubCore(FeatureEngine(initialState: Feed.State(), reducer: Feed()), random: SplitMix(seed: 3))
    }

    func connect(_ hello: Hello = Hello(), sent count: UInt64 = 0) -> ConnectionID {
      let id = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
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

    func leave(_ id: ConnectionID) { write(id) { $0.frame(FrameHeader(kind: .leave)) { _ in } } }

    func session(of id: ConnectionID) -> SessionID? {
      core.liveSessions.values.first { $0.id == id }?.session.id
    }

    private func write(_ id: ConnectionID, _ write: (inout FrameWriter) -> Void) {
      var writer = FrameWriter()
      write(&writer)
      let bytes = writer.bytes
      core.received(bytes.span.bytes, on: id, at: .zero)
      turn()
    }

    func turn() {
      core.endTurn(at: .zero)
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
