import ComposableArchitecture
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Actions for children that are gone: their sender learns it, nothing is reported, and nothing takes effect.
@Suite struct LateActionTests {
  @Reducer
  struct Item {
    @Replicated @ObservableState
    struct State: Equatable, Identifiable, Sendable {
      let id: Int
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

  @Reducer(state: .equatable, .sendable, action: .sendable)
  @Replicated
  enum Destination {
    case item(Item)
    case other(Item)
  }

  @Reducer
  struct Board {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      var received = 0
      var items: IdentifiedArrayOf<Item.State> = [Item.State(id: 1)]
      var path = StackState<Item.State>()
      var chosen: Item.State?
      @Presents var destination: Destination.State?
    }

    @Replicated
    enum Action: Sendable {
      case items(IdentifiedActionOf<Item>)
      case path(StackActionOf<Item>)
      case chosen(Item.Action)
      case destination(PresentationAction<Destination.Action>)
      case show
      case editLater
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.received += 1
        switch action {
        case .show: state.destination = .other(Item.State(id: 5))
        case .editLater: return .send(.items(.element(id: 9, action: .edited("of the program"))))
        case .items, .path, .chosen, .destination: break
        }
        return .none
      }
      .forEach(\.items, action: \.items) { Item() }
      .forEach(\.path, action: \.path) { Item() }
      .ifLet(\.chosen, action: \.chosen) { Item() }
      .ifLet(\.$destination, action: \.destination)
    }
  }

  /// A reducer that runs before those with children.
  struct Counting: Reducer {
    /// True if it refuses something, so that the hub can take back what it does.
    let refuses: Bool

    var body: some Reducer<Board.State, Board.Action> {
      Reduce { state, _ in
        state.received += 100
        return .none
      }
      if refuses {
        Reduce { state, _ throws(Refusal) in
          guard state.received < 1000 else { throw Refusal("it is full") }
          return .none
        }
      }
      Board()
    }
  }

  /// Board is behind a binding reducer and a `Scope` for other actions.
  struct Wrapped: Reducer {
    @Replicated
    struct State: Equatable, Sendable {
      var first = Item.State(id: 0)
      var board = Board.State()
    }

    @CasePathable @Replicated
    enum Action: Sendable {
      case first(Item.Action)
      case board(Board.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.first, action: \.first) { Item() }
      Scope(state: \.board, action: \.board) { Board() }
    }
  }

  static let late: [Board.Action] = [
    .items(.element(id: 9, action: .edited("a"))), .path(.element(id: 9, action: .edited("a"))),
    .path(.popFrom(id: 9)), .chosen(.edited("a")), .destination(.dismiss),
    .destination(.presented(.item(.edited("a")))),
  ]

  @Test(arguments: late.indices) func itsSenderLearnsIt(index: Int) throws {
    let hub = try FeatureHub(Board.State(), Board(), isLogged: true)
    let action = Self.late[index]
    try hub.send([.items(.element(id: 1, action: .edited("x"))), action, action, .show])
    #expect(hub.rejections.map(\.code) == [.late, .late] && hub.rejections.map(\.sequence) == [2, 3])
    #expect(hub.engine.state.received == 2 && hub.engine.revision == 2)
    #expect(hub.replica == hub.engine.state)
    #expect(hub.turns.last?.revision == 2)
  }

  @Test func anActionForWhatWasReplacedIsLate() throws {
    let hub = try FeatureHub(Board.State(), Board())
    try hub.send([.show, .destination(.presented(.item(.edited("a")))), .destination(.presented(.other(.edited("b"))))])
    #expect(hub.rejections == [Rejected(sequence: 2, code: .late, reason: "something else is shown now")])
    #expect(hub.engine.state.destination == .other(Item.State(id: 5, text: "b")))
    #expect(hub.engine.state.received == 2)
  }

  @Test func aSecondPushWithOneIDIsRefused() throws {
    let hub = try FeatureHub(Board.State(), Board())
    let pushes = [1, 2].map { Board.Action.path(.push(id: 0, state: Item.State(id: $0))) }
    try hub.send(pushes)
    #expect(hub.rejections == [Rejected(sequence: 2, code: .late, reason: "another element has the id #0 already")])
    #expect(hub.engine.state.path.map(\.id) == [1] && hub.engine.state.received == 1)
  }

  @Test(arguments: late.indices) func itIsFoundBehindReducersOfOtherActions(index: Int) throws {
    let hub = try FeatureHub(Wrapped.State(), Wrapped())
    #expect(!hub.engine.mayRefuse)
    try hub.send([.board(Self.late[index]), .first(.edited("x"))])
    #expect(hub.rejections.map(\.code) == [.late])
    #expect(hub.engine.state.board == Board.State() && hub.engine.revision == 1)
  }

  /// What a reducer before has changed is taken back in a feature that may refuse, whose state is kept.
  @Test func whatWasChangedBeforeIsTakenBack() throws {
    let hub = try FeatureHub(Board.State(), Counting(refuses: true))
    try hub.send([Self.late[0]])
    #expect(hub.rejections.map(\.code) == [.late])
    #expect(hub.engine.state == Board.State() && hub.engine.revision == 0)
  }

  /// In another feature the state is kept only for an action whose target is gone.
  @Test(arguments: late.indices) func itIsFoundBeforeAnythingChanges(index: Int) throws {
    let hub = try FeatureHub(Board.State(), Counting(refuses: false), isLogged: true)
    #expect(!hub.engine.mayRefuse)
    let action = Self.late[index]
    try hub.send([.items(.element(id: 1, action: .edited("x"))), action, action, .show])
    #expect(hub.rejections.map(\.code) == [.late, .late] && hub.rejections.map(\.sequence) == [2, 3])
    #expect(hub.engine.state.received == 202 && hub.engine.revision == 2)
    #expect(hub.replica == hub.engine.state && hub.turns.last?.revision == 2)
  }

  /// No user is late then; the program has an error.
  @Test func theProgramsOwnActionsAreIssues() throws {
    let hub = try FeatureHub(Board.State(), Board())
    withKnownIssue {
      hub.sendOwn(Self.late[0])
    } matching: {
      $0.description.contains("missing element")
    }
    try withKnownIssue {
      try hub.send([.editLater])
    } matching: {
      $0.description.contains("missing element")
    }
    #expect(hub.rejections.isEmpty && hub.engine.state.received == 3)
  }
}
