import ComposableArchitecture
import HubCore
import IdentifiedCollections
import ReplicaCore
import TestSupport
import Testing
import Wire

/// Paths that no hub takes, because of long ids, are refused without a request: the connection and its other parts go on.
@Suite(.computing) struct LongPathTests {
  struct Shelf: Reducer, Sendable {
    @Replicated
    struct Book: Equatable, Identifiable, Sendable {
      let id: String
      var parts: IdentifiedArrayOf<Book> = []
    }

    @Replicated
    struct State: Equatable, Sendable {
      var books: IdentifiedArrayOf<Book> = []
      var count = 0
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case added(String)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .added(let id): state.books.append(Book(id: id))
        }
        state.count += 1
        return .none
      }
    }
  }

  private typealias ShelfWorld = World<Shelf.State, Shelf.Action>

  private func world() -> ShelfWorld {
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    return ShelfWorld(
      seed: 1, clientCount: 1, engine: FeatureEngine(initialState: Shelf.State(), reducer: Shelf()), options: options
    ) { _, _ in .added("") }
  }

  /// The path of a book: its bytes are six more than those of the id.
  private func path(_ id: String) -> [PathStep] { [0, .id(id.encoded())] }

  @Test func aPathWithALongIDIsRefusedAlone() throws {
    let world = world()
    let client = world.clients[0]
    let longest = String(repeating: "x", count: 4_090)
    let (count, book, refused) = (TypedMirror<Int>(), TypedMirror<Shelf.Book>(), TypedMirror<Shelf.Book>())
    client.subscribe(count, to: [1])
    client.subscribe(book, to: path(longest))
    client.replica.subscribe(refused, to: path(longest + "x"))
    for number in 1...2 {
      if number == 2 { world.cut(client) }
      try world.send(.added(number == 1 ? longest : "short"), from: client)
      try world.settle()
      let connection = client.replica.connection
      #expect(connection == .live && client.pending.isEmpty && count.part == number && book.part?.id == longest)
      #expect(
        client.replica.refusal(of: refused) == "the path has 4097 bytes, and hubs take 4096: use shorter ids in it")
      // Not the code of a limit: there is no room for it later.
      #expect(client.replica.refusalCode(of: refused) == .unknownScope && refused.part == nil)
    }
    client.replica.move(refused, to: path("short"))
    try world.settle()
    #expect(client.replica.refusal(of: refused) == nil && refused.part?.id == "short")
    client.replica.move(refused, to: path(longest + longest))
    try world.settle()
    #expect(client.replica.refusalCode(of: refused) == .unknownScope && refused.part == nil)
    #expect(client.replica.connection == .live)
  }

  @Test func aPathOfManyStepsIsRefusedAlone() throws {
    let world = world()
    let client = world.clients[0]
    let (count, refused) = (TypedMirror<Int>(), TypedMirror<Shelf.Book>())
    client.subscribe(count, to: [1])
    let steps: [PathStep] =
      [0, .id("a".encoded())] + Array(repeating: [1, .id("a".encoded())], count: 16).flatMap { $0 }
    client.replica.subscribe(refused, to: steps)
    try world.settle()
    #expect(client.replica.refusal(of: refused) == "the path has 34 steps; hubs take 32")
    #expect(client.replica.connection == .live && count.part == 0)
  }
}
