import ComposableArchitecture
import EventLoop
import HubCore
import ReplicaCore
import StoreClient
import Testing
import Wire

/// Clients that push on one stack at the same time.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StackIDTests {
  @Reducer
  struct Screen {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      var author = ""
      var text = ""
    }

    @Replicated
    enum Action: Sendable { case edited(String) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .edited(let text) = action { state.text = text }
        return .none
      }
    }
  }

  @Reducer
  struct App {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      var path = StackState<Screen.State>()
    }

    @Replicated
    enum Action: Sendable {
      case path(StackActionOf<Screen>)
      case added(by: String)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .added(let author) = action { state.path.append(Screen.State(author: author)) }
        return .none
      }
      .forEach(\.path, action: \.path) { Screen() }
    }
  }

  /// The generator of a client's process.
  private func generator() -> StackElementIDGenerator { .random() }

  private func withRandomness<Result>(_ work: () throws -> Result) rethrows -> Result {
    try withDependencies {
      $0.withRandomNumberGenerator = WithRandomNumberGenerator(SystemRandomNumberGenerator())
    } operation: {
      try work()
    }
  }

  @Test func pushesAtTheSameTimeAreBothKept() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: App.State(), reducer: App())
    let server = try bench.serve(engine)
    let names = ["ann", "bob"]
    let clients = try names.map { _ in try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path) }
    for client in clients { client.start() }
    #expect(await bench.until { clients.allSatisfy { $0.store != nil } })

    // Each pushes and edits before it has seen the other's element, and so does the hub's own reducer.
    var tasks: [StoreTask] = []
    withRandomness {
      for (name, client) in zip(names, clients) {
        let generator = generator()
        for _ in 1...3 {
          let id = generator.next()
          for action in [
            App.Action.path(.push(id: id, state: Screen.State(author: name))),
            .path(.element(id: id, action: .edited("by \(name)"))),
          ] { client.store.map { tasks.append($0.send(action)) } }
        }
        client.store.map { tasks.append($0.send(.added(by: "the hub"))) }
      }
    }
    #expect(await bench.until { tasks.allSatisfy(\.isOver) })
    for task in tasks { try await task.taken() }
    #expect(engine.state.path.count == 8)
    #expect(Set(engine.state.path.ids).count == 8)
    for screen in engine.state.path {
      #expect(screen.text == (screen.author == "the hub" ? "" : "by \(screen.author)"))
    }
    for client in clients {
      #expect(await bench.until { client.store?.path == engine.state.path })
      client.close()
    }
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// What a process chooses tells nothing about another's, such as that of the hub before its restart.
  @Test func processesChooseDifferentIDs() async throws {
    var ids: [String] = []
    for _ in 1...2 {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        withDependencies {
          $0.withRandomNumberGenerator = WithRandomNumberGenerator(SystemRandomNumberGenerator())
        } operation: {
          for _ in 1...3 { print("id \(StackElementIDGenerator.liveValue.next().generation)") }
        }
      }
      let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
      ids += output.split(separator: "\n").filter { $0.hasPrefix("id ") }.map(String.init)
    }
    #expect(ids.count == 6 && Set(ids).count == 6, "\(ids)")
  }

  @Test func theNextIDIsTheOneThatWasAskedFor() {
    withRandomness {
      let generator = generator()
      let next = generator.peek()
      let copy = generator.copy()
      #expect(generator.next() == next && copy.next() == next)
      #expect(generator.next() != next)
      #expect((0..<(1 << 53)).contains(next.generation))
    }
  }
}
