import ComposableArchitecture
import EventLoop
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import TestFeatures
import Testing
import Wire

/// Parts of a hub's state as stores, over a real socket.
@Suite(.serialized, .timeLimit(.minutes(30))) struct AttachmentTests {
  typealias BoardClient = StoreClient<Board.State, Board.Action>

  /// A hub with its engine.
  struct BoardServer {
    let hub: HubServer
    let engine: FeatureEngine<Board.State, Board.Action>
    var state: Board.State { engine.state }
  }

  private func serve(_ bench: Bench, _ prepare: (inout Board.State) -> Void = { _ in }) throws -> BoardServer {
    var state = Board.State()
    prepare(&state)
    let engine = FeatureEngine(initialState: state, reducer: Board())
    return BoardServer(hub: try bench.serve(engine), engine: engine)
  }

  private func client(_ bench: Bench, name: String = "", whole: Bool = false) throws -> BoardClient {
    var options = ReplicaOptions()
    options.name = name
    options.subscribesToWholeState = whole
    options.shortestDelay = .milliseconds(5)
    options.longestDelay = .milliseconds(50)
    let client = try BoardClient(loop: bench.loop, path: bench.path, options: options)
    client.start()
    return client
  }

  private func stop(_ server: BoardServer, _ bench: Bench) async {
    var isStopped = false
    server.hub.stop(reason: "the test stops it") { isStopped = true }
    #expect(await bench.until { isStopped })
    bench.clean()
  }

  /// Nothing completes the actions of a client that is gone, so they fail instead of being reported as done.
  @Test func aReleasedClientFailsItsActions() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    var client: BoardClient? = try client(bench, whole: true)
    #expect(await bench.until { client?.store != nil })
    let store = try #require(client?.store)
    await stop(server, bench)
    let pending = store.send(.setCount(1))
    #expect(!pending.isOver)
    client = nil
    let released = ActionError.notConnected(reason: "the client was released")
    let closed = ActionError.notConnected(reason: "the client is closed")
    #expect(pending.isOver)
    await #expect(throws: closed) { try await pending.taken() }
    await #expect(throws: released) { try await store.send(.setCount(2)).taken() }
  }

  @Test func theLoopOfClientsPollsForTheLongestOfTheirTimes() throws {
    let bench = try Bench()
    func client(_ time: Duration) throws -> BoardClient {
      try BoardClient(loop: bench.loop, path: bench.path, options: ReplicaOptions(busyPoll: time))
    }
    let clients = [try client(.zero)]
    #expect(bench.loop.busyPoll == .zero)
    let others = [try client(.microseconds(80)), try client(.microseconds(50))]
    #expect(bench.loop.busyPoll == .microseconds(80))
    withExtendedLifetime(clients + others) {}
    bench.clean()
  }

  /// Otherwise the hub would keep the session for a client that cannot come back.
  @Test func aReleasedClientEndsItsSession() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    var client: BoardClient? = try client(bench, whole: true)
    #expect(await bench.until { client?.store != nil })
    #expect(server.hub.connectionCount == 1)
    client = nil
    #expect(await bench.until { server.hub.connectionCount == 0 })
    #expect(server.hub.metrics.detachedSessions == 0)
    await stop(server, bench)
  }

  @Test func aPartIsAStoreThatSendsAndFollows() async throws {
    let bench = try Bench()
    let server = try serve(bench) { $0.items = [Board.Item(id: 1, title: "one"), Board.Item(id: 2, title: "two")] }
    let client = try client(bench)
    let item = client.attach(to: { $0.items[id: 2] }, action: { Board.Action.setTitle(2, $0) })
    #expect(await bench.until { item.store != nil })
    let store = try #require(item.store)
    #expect(store.title == "two")
    #expect(client.store == nil)

    let task = store.send("other")
    #expect(await bench.until { task.isOver })
    try await task.taken()
    // Once the hub has accepted the action, its change has arrived.
    #expect(store.title == "other")
    #expect(server.state.items[id: 2]?.title == "other")
    client.close()
    await stop(server, bench)
  }

  @Test func whoObservesAnotherPartIsNotTold() async throws {
    let bench = try Bench()
    let server = try serve(bench) { $0.chosen = Board.Note(text: "note") }
    let client = try client(bench)
    let (count, note) = (
      client.attach(to: { $0.count }, action: { (_: Never) -> Board.Action in }),
      client.attach(to: { $0.chosen }, action: { (_: Never) -> Board.Action in })
    )
    let other = try self.client(bench, whole: true)
    #expect(await bench.until { count.store != nil && note.store != nil && other.store != nil })
    var notifications = 0
    let subscription = try #require(note.store).subscribe(\.self) { _ in notifications += 1 }
    let before = notifications
    for number in 1...5 {
      other.store?.send(.setCount(number))
      #expect(await bench.until { count.store?.state == number })
    }
    #expect(notifications == before)
    subscription.cancel()
    client.close()
    other.close()
    await stop(server, bench)
  }

  @Test func aPartThatGoesAndComesBackIsAnotherStore() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    let client = try client(bench, whole: true)
    let item = client.attach(to: { $0.items[id: 0] }, action: { Board.Action.setTitle(0, $0) })
    var changes = 0
    item.onChange = { changes += 1 }
    #expect(await bench.until { item.isKnown })
    #expect(item.store == nil && changes == 1)

    client.store?.send(.addItems(1))
    #expect(await bench.until { item.store != nil })
    let first = try #require(item.store)
    #expect(first.title == "item 0")

    // Seeds that remove the element and add it again, found by trying.
    var seed: UInt64 = 0
    func change(until isThere: Bool) async {
      while (server.state.items[id: 0] != nil) != isThere {
        client.store?.send(.change(seed))
        seed += 1
        _ = await bench.until { client.pendingActionCount == 0 }
      }
    }
    await change(until: false)
    #expect(await bench.until { item.store == nil })
    let last = first.title
    await change(until: true)
    #expect(await bench.until { item.store != nil })
    #expect(item.store != first)
    #expect(first.title == last)
    #expect(changes == 4)
    client.close()
    await stop(server, bench)
  }

  /// Otherwise a screen would say for ever that it loads what the hub refuses.
  @Test func theOwnerLearnsOfARefusal() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    let client = try client(bench, whole: true)
    #expect(await bench.until { client.store != nil })
    let window = client.attach(to: { $0.items[window: 0..<1_000_000] }, action: { Board.Action.setTitle(0, $0) })
    var refusals: [String?] = []
    window.onChange = { refusals.append(client.refusal(of: window)) }
    #expect(await bench.until { !refusals.isEmpty })
    #expect(refusals.count == 1 && refusals.first??.isEmpty == false && window.store == nil)
    client.close()
    await stop(server, bench)
  }

  /// A later callback of the turn in which the part has disappeared, such as a view that draws, may read its store.
  @Test func aPartThatHasJustGoneShowsItsLastState() async throws {
    let bench = try Bench()
    let server = try serve(bench) { $0.items = [Board.Item(id: 0, title: "one")] }
    let client = try client(bench, whole: true)
    let item = client.attach(to: { $0.items[id: 0] }, action: { Board.Action.setTitle(0, $0) })
    let detached = client.attach(to: { $0.items[id: 0] }, action: { Board.Action.setTitle(0, $0) })
    #expect(await bench.until { item.store != nil && detached.store != nil && client.store != nil })
    let (store, other) = (try #require(item.store), try #require(detached.store))
    // The hooks that were added last run first, hence between the client's reading and the end of its turn.
    var titles: [String] = []
    let hooks = try TurnHooks(on: bench.loop) {
      guard item.revision > 0, item.store != nil else { return }
      client.detach(detached)
      titles += [store.title, other.title]
    }
    let removal = try #require(
      (UInt64(0)...).first { seed in
        var state = server.state
        _ = Board().reduce(into: &state, action: .change(seed))
        return state.items[id: 0] == nil
      })
    client.store?.send(.change(removal))
    #expect(await bench.until { item.store == nil })
    #expect(titles == ["one", "one"])
    #expect(store.title == "one" && other.title == "one")
    withExtendedLifetime(hooks) {}
    client.close()
    await stop(server, bench)
  }

  @Test func partsComeBackWithTheHub() async throws {
    let bench = try Bench()
    var server = try serve(bench) { $0.count = 3 }
    let client = try client(bench)
    let count = client.attach(to: { $0.count }, action: { Board.Action.setCount($0) })
    #expect(await bench.until { count.store?.state == 3 })
    let store = try #require(count.store)
    var isStopped = false
    server.hub.stop(reason: "the test stops it") { isStopped = true }
    #expect(await bench.until { isStopped && client.connection != .live })
    #expect(store.state == 3)

    server = try serve(bench) { $0.count = 8 }
    #expect(await bench.until { store.state == 8 })
    #expect(client.connection == .live)
    #expect(count.store == store)
    client.close()
    await stop(server, bench)
  }

  @Test func whatIsDetachedStaysAsItWas() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    let client = try client(bench, whole: true)
    let count = client.attach(to: { $0.count }, action: { Board.Action.setCount($0) })
    #expect(await bench.until { count.store != nil && client.store != nil })
    client.detach(count)
    client.store?.send(.setCount(4))
    #expect(await bench.until { client.store?.count == 4 })
    #expect(count.store?.state == 0)
    client.close()
    await stop(server, bench)
  }

  @Test func aClientMayBeClosedByWhatItTells() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    var options = ReplicaOptions()
    options.name = "closed at once"
    let client = try BoardClient(loop: bench.loop, path: bench.path, options: options)
    client.onStore = { _ in client.close() }
    client.start()
    #expect(await bench.until { client.connection == .closed })
    // The hub detects it: the session has ended, and nothing keeps the socket open.
    #expect(await bench.until { server.hub.connectionCount == 0 })
    await stop(server, bench)
  }

  @Test func everyoneSeesWhoIsAttached() async throws {
    let bench = try Bench()
    let server = try serve(bench)
    let first = try client(bench, name: "first")
    let who = first.attachToHub { $0.attendees }
    #expect(await bench.until { who.store?.state.map(\.name) == ["first"] })
    let second = try client(bench, name: "second")
    #expect(await bench.until { who.store?.state.map(\.name) == ["first", "second"] })
    second.close()
    #expect(await bench.until { who.store?.state.map(\.name) == ["first"] })
    first.close()
    await stop(server, bench)
  }
}
