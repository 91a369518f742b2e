import ComposableArchitectureClassic
import EventLoop
import FeatureCore
import Foundation
import HubCore
import ReplicaCore
import RxComposableArchitecture
import StoreClient
import StoreHub
import Testing

/// The seeds' apps of each generation, in a hub over a real socket.
@MainActor @Suite(.serialized, .timeLimit(.minutes(30))) struct HubTests {
  /// A temporary directory, a loop, and a hub.
  @MainActor final class Bench {
    let loop: EventLoop
    let directory: String
    private var server: HubServer?
    private var path: String { directory + "/hub.sock" }

    init() throws {
      loop = try EventLoop()
      directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func serve<State, Action>(_ engine: FeatureEngine<State, Action>) throws {
      server = try HubServer(
        engine, name: "test hub", loop: loop, path: path, log: Log(program: "test", level: .error))
    }

    func attach<State, Action>(
      _: State.Type, _: Action.Type
    ) async throws -> StoreClient<State, Action> {
      let client = try StoreClient<State, Action>(loop: loop, path: path, options: ReplicaOptions())
      client.start()
      #expect(await loop.pump { client.store != nil })
      return client
    }

    func end() async {
      var isStopped = false
      server?.stop(reason: "the test stops it") { isStopped = true }
      #expect(await loop.pump { isStopped })
      loop.close()
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  @Test func theAppOfSeeds000And003() async throws {
    let bench = try Bench()
    try bench.serve(
      FeatureEngine(initialState: AppState(), reducer: Reduce(classicReducer, environment: ClassicEnvironment.live)))
    let client = try await bench.attach(AppState.self, AppAction.self)
    let other = try await bench.attach(AppState.self, AppAction.self)
    let store = try #require(client.store)
    let screen = ClassicScreen(store: ComposableArchitectureClassic.Store(try #require(other.store)))

    store.send(.incrementButtonTapped)
    store.send(.numberFactButtonTapped)
    #expect(await bench.loop.pump { screen.viewStore.numberFactAlert == "1 is a good number Brent" })
    screen.viewStore.send(.factAlertDismissed)
    #expect(await bench.loop.pump { store.state.numberFactAlert == nil })
    // Otherwise a slow client may learn of this and of the next alert at once.
    #expect(await bench.loop.pump { screen.alerts.count == 3 })
    store.send(.decrementButtonTapped)
    store.send(.decrementButtonTapped)
    store.send(.numberFactButtonTapped)
    #expect(await bench.loop.pump { screen.viewStore.numberFactAlert == "Could not load a number fact :(" })
    #expect(screen.alerts == [nil, "1 is a good number Brent", nil, "Could not load a number fact :("])
    await bench.end()
  }

  @Test func streamsThatSendAtOnce() async throws {
    let bench = try Bench()
    let environment = ClassicEnvironment(mainQueue: .immediate, numberFact: { .init(value: "\($0)!") })
    try bench.serve(
      FeatureEngine(initialState: AppState(), reducer: Reduce(classicReducer, environment: environment)))
    let client = try await bench.attach(AppState.self, AppAction.self)
    let store = try #require(client.store)
    store.send(.numberFactButtonTapped)
    #expect(await bench.loop.pump { store.state.numberFactAlert == "0!" })
    await bench.end()
  }

  @Test func theAppOfSeed002() async throws {
    let bench = try Bench()
    try bench.serve(
      FeatureEngine(initialState: AppState(), reducer: Reduce(rxReducer, environment: RxEnvironment.live)))
    let client = try await bench.attach(AppState.self, AppAction.self)
    let screen = RxScreen(store: RxComposableArchitecture.Store(try #require(client.store)))

    screen.store.send(.incrementButtonTapped)
    screen.store.send(.numberFactButtonTapped)
    #expect(await bench.loop.pump { screen.store.state.numberFactAlert == "1 is a good number Brent" })
    #expect(screen.counts == [0, 1])
    await bench.end()
  }

  @Test func theAppOfSeed001() async throws {
    let bench = try Bench()
    try bench.serve(
      FeatureEngine(
        initialState: CounterReducer.State(), reducer: CounterReducer().dependency(\.numberFact, .liveValue)))
    let client = try await bench.attach(CounterReducer.State.self, CounterReducer.Action.self)
    let store = try #require(client.store)

    store.send(.incrementButtonTapped)
    store.send(.numberFactButtonTapped)
    #expect(await bench.loop.pump { store.numberFact == "1 is a good number Brent" })
    store.send(.toggleTimerButtonTapped)
    #expect(await bench.loop.pump { store.count > 3 })
    store.send(.toggleTimerButtonTapped)
    #expect(await bench.loop.pump { !store.isTimerOn })
    await bench.end()
  }
}
