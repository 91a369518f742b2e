import ComposableArchitecture
import EventLoop
import HubCore
import ReplicaCore
import StoreClient
import Testing
import Wire

/// Through a real hub, a client learns that what it acted on is gone.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LateActionTests {
  typealias App = StackIDTests.App

  @Test(arguments: [false, true]) func theSlowerOfTwoClientsLearnsIt(predicts: Bool) async throws {
    let bench = try Bench()
    let id = StackElementID(integerLiteral: 7)
    var state = App.State()
    state.path[id: id] = StackIDTests.Screen.State(author: "ann")
    let engine = FeatureEngine(initialState: state, reducer: App())
    let server = try bench.serve(engine)
    let clients = try (1...2).map { _ in
      predicts
        ? try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path, predictingWith: App())
        : try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path)
    }
    for client in clients { client.start() }
    #expect(await bench.until { clients.allSatisfy { $0.store != nil } })
    let stores = try clients.map { try #require($0.store) }

    let pop = stores[0].send(.path(.popFrom(id: id)))
    #expect(await bench.until { pop.isOver })
    // For the hub, it does not matter whether the second client has seen that.
    let edit = stores[1].send(.path(.element(id: id, action: .edited("late"))))
    #expect(await bench.until { edit.isOver && clients[1].pendingActionCount == 0 })
    let error = await #expect(throws: ActionError.self) { try await edit.taken() }
    #expect(error == .rejected(code: RejectionCode.late.rawValue, reason: "its element is gone"))
    #expect(engine.state.path.isEmpty && engine.revision == 1)
    for (client, store) in zip(clients, stores) {
      #expect(await bench.until { store.path.isEmpty })
      client.close()
    }
    #expect(await bench.stop(server))
    bench.clean()
  }
}
