import ComposableArchitecture
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// A feature whose view sets fields, without a case of its own for each of them, in a hub.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BindingTests {
  nonisolated struct Form: Reducer, Sendable {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var title = ""
      var settings = Settings()
      var changes = 0
      var loudTitle: String {
        get { title.uppercased() }
        set { title = newValue.lowercased() }
      }
    }

    @Replicated
    struct Settings: Equatable, Sendable {
      var volume = 0
    }

    @Replicated
    enum Action: BindableAction, Sendable {
      case binding(BindingAction<State>)
      case reset
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .binding(\.title): state.changes += 1
        case .binding: break
        case .reset: return .run { await $0(.binding(.set(\.settings.volume, 1))) }
        }
        return .none
      }
    }
  }

  @Test func oneClientsBindingsReachTheOther() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Form.State(), reducer: Form())
    let log = Log(program: "test", level: .error, descriptor: -1)
    let server = try HubServer(engine, loop: bench.loop, path: bench.path, log: log)
    let (one, two) = (
      try StoreClient<Form.State, Form.Action>(loop: bench.loop, path: bench.path),
      try StoreClient<Form.State, Form.Action>(loop: bench.loop, path: bench.path, predictingWith: Form())
    )
    one.start()
    two.start()
    #expect(await bench.until { one.store != nil && two.store != nil })
    one.store?.title = "bread"
    #expect(await bench.until { two.store?.title == "bread" })
    two.store?.binding(\.settings.volume).wrappedValue = 7
    #expect(await bench.until { one.store?.settings.volume == 7 })
    one.store?.send(.reset)
    #expect(await bench.until { one.store?.settings.volume == 1 && two.store?.settings.volume == 1 })
    #expect(engine.state.changes == 1)
    // A computed property is no field that the hub could set.
    let refused = one.store?.send(.binding(.set(\.loudTitle, "MILK")))
    await #expect {
      try await refused?.taken()
    } throws: {
      if case .unreadable? = $0 as? ActionError { true } else { false }
    }
    #expect(engine.state.title == "bread")
    one.close()
    two.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
