import ComposableArchitecture
import EventLoop
import HubCore
import ReplicaCore
import StoreClient
import Synchronization
import Testing
import Wire

/// Through a real hub, clients hold and cancel effects.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ClientEffectTests {
  /// The effects that run in the hub.
  final class Running: Sendable {
    private let counts = Mutex((now: 0, begun: 0))
    var now: Int { counts.withLock(\.now) }
    var begun: Int { counts.withLock(\.begun) }

    func run() async {
      counts.withLock { $0 = ($0.now + 1, $0.begun + 1) }
      let (stream, continuation) = AsyncStream<Never>.makeStream()
      for await _ in stream {}
      continuation.finish()
      counts.withLock { $0.now -= 1 }
    }
  }

  struct App: Reducer {
    @Replicated @ObservableState
    struct State: Equatable, Sendable { var tasks = 0 }

    @CasePathable @Replicated
    enum Action: Sendable { case task, own }

    let running: Running

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.tasks += 1
        let effect = Effect<Action>.run { [running] _ in await running.run() }
        return action.is(\.task) ? effect.shared(id: "task") : effect
      }
    }
  }

  @Test func theTaskOfTwoClientsIsOneEffect() async throws {
    let bench = try Bench()
    let running = Running()
    let server = try bench.serve(FeatureEngine(initialState: App.State(), reducer: App(running: running)))
    let clients = try (1...2).map { _ in try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path) }
    for client in clients { client.start() }
    #expect(await bench.until { clients.allSatisfy { $0.store != nil } })
    let stores = try clients.map { try #require($0.store) }

    let views = stores.map { store in Task { @MainActor in await store.send(.task).hold() } }
    #expect(await bench.until { stores.allSatisfy { $0.tasks == 2 } && running.now == 1 })
    views[0].cancel()
    await views[0].value
    let own = stores[0].send(.own)
    #expect(await bench.until { running.now == 2 && own.isOver })
    #expect(running.begun == 2)
    own.cancel()
    #expect(await bench.until { running.now == 1 })
    views[1].cancel()
    #expect(await bench.until { running.now == 0 })
    #expect(running.begun == 2)

    // Cancelled before the hub has applied it.
    stores[1].send(.own).cancel()
    #expect(await bench.until { running.begun == 3 || stores[1].tasks == 4 })
    #expect(await bench.until { running.now == 0 && clients[1].pendingActionCount == 0 })

    // A client that closes does not hold the shared effect any more.
    let last = stores[0].send(.task)
    #expect(await bench.until { last.isOver && running.now == 1 })
    clients[0].close()
    #expect(await bench.until { running.now == 0 })
    clients[1].close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
