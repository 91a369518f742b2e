import ComposableArchitecture
import EventLoop
import FoundationEssentials
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// A reducer refuses an action: through a real hub, its sender learns the reason.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RefusalTests {
  @Reducer
  struct Room {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      var isOpen = true
      var owner = ""
      var guests = 0
    }

    @Replicated
    enum Action: Sendable {
      case claim(String)
      case close(by: String)
      case enter
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .claim(let name): state.owner = name
        case .close(let name):
          state.isOpen = false
          guard name == state.owner else { throw Refusal("only \(state.owner) may close it") }
        case .enter: state.guests += 1
        }
        return .none
      }
    }
  }

  private typealias RoomClient = StoreClient<Room.State, Room.Action>

  @Test(arguments: [false, true]) func theSenderLearnsTheReason(predicts: Bool) async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Room.State(), reducer: Room())
    let server = try bench.serve(engine)
    let client =
      predicts
      ? try RoomClient(loop: bench.loop, path: bench.path, predictingWith: Room())
      : try RoomClient(loop: bench.loop, path: bench.path)
    client.start()
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)

    let tasks = [Room.Action.claim("ann"), .enter, .close(by: "bob"), .enter].map { store.send($0) }
    if predicts {
      // What the reducer refuses here is not shown, and the actions around it are.
      #expect(store.isOpen && store.guests == 2 && store.owner == "ann")
    }
    #expect(await bench.until { tasks.allSatisfy(\.isOver) })
    let error = await #expect(throws: ActionError.self) { try await tasks[2].taken() }
    #expect(error == .rejected(code: RejectionCode.refused.rawValue, reason: "only ann may close it"))
    for index in [0, 1, 3] { try await tasks[index].taken() }
    #expect(await bench.until { client.pendingActionCount == 0 && store.guests == 2 })
    #expect(store.isOpen && engine.state.isOpen && engine.revision == 3)

    let last = store.send(.close(by: "ann"))
    #expect(await bench.until { last.isOver && !store.isOpen })
    try await last.taken()
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
