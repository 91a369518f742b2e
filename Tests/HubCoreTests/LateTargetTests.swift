import ComposableArchitecture
import Testing
import Wire

@testable import FeatureCore
@testable import HubCore

/// Actions for children that are gone, in features that change the state before the children are reached.
@Suite struct LateTargetTests {
  typealias Item = LateActionTests.Item

  /// A feature within itself, whose children are behind its own reducer.
  @Reducer
  struct Folder {
    @Replicated @ObservableState
    struct State: Equatable, Identifiable, Sendable {
      let id: Int
      var received = 0
      var folders: IdentifiedArrayOf<Folder.State> = []
      var path = StackState<Item.State>()
    }

    @Replicated
    enum Action: Sendable {
      indirect case folders(IdentifiedActionOf<Folder>)
      case path(StackActionOf<Item>)
      case create(Int)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.received += 1
        switch action {
        case .create(let id): state.folders[id: id] = State(id: id)
        // A child that this action creates is not missing.
        case .folders(.element(id: 7, action: _)): state.folders[id: 7] = State(id: 7)
        case .folders, .path: break
        }
        return .none
      }
      EmptyReducer()
        .forEach(\.folders, action: \.folders) { Folder() }
        .forEach(\.path, action: \.path) { Item() }
    }
  }

  /// Two reducers on one child, of which the second one is not first.
  struct Twice: Reducer {
    @Replicated
    struct State: Equatable, Sendable {
      var mode = Mode.item(Item.State(id: 0))
      var changes = 0
    }

    @CasePathable @Replicated
    enum Mode: Equatable, Sendable {
      case item(Item.State)
      case none
    }

    @CasePathable @Replicated
    enum Action: Sendable {
      case item(Item.Action)
      case hide
    }

    struct Modes: Reducer {
      var body: some Reducer<Mode, Action> {
        Reduce { state, action in
          if case .hide = action { state = .none }
          return .none
        }
        Scope(state: \.item, action: \.item) { Item() }
        EmptyReducer().ifCaseLet(\.item, action: \.item) { Item() }
      }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.changes += 1
        return .none
      }
      Scope(state: \.mode, action: \.self) { Modes() }
    }
  }

  private func edit(_ path: [Int]) -> Folder.Action {
    path.reversed().reduce(Folder.Action.path(.popFrom(id: 9))) { action, id in
      .folders(.element(id: id, action: action))
    }
  }

  @Test func itIsFoundAtAnyDepth() throws {
    let hub = try FeatureHub(Folder.State(id: 0), Folder())
    try hub.send([.create(1), .folders(.element(id: 1, action: .create(2)))])
    let before = hub.engine.state
    try hub.send([edit([]), edit([1]), edit([1, 2]), edit([1, 3]), edit([4])])
    #expect(hub.rejections.map(\.code) == Array(repeating: .late, count: 5))
    #expect(hub.engine.state == before && hub.engine.revision == 2)
  }

  /// A parent of one folder, whose reducer has lost its type.
  struct Shelf: Reducer {
    @Replicated
    struct State: Equatable, Sendable { var folder = Folder.State(id: 0) }

    @CasePathable @Replicated
    enum Action: Sendable { case folder(Folder.Action) }

    var body: some ReducerOf<Self> {
      Scope(state: \.folder, action: \.folder) { Reduce(Folder()) }
    }
  }

  @Test func itIsFoundBehindErasedTypes() throws {
    let hub = try FeatureHub(Folder.State(id: 0), Reduce(Folder()))
    try hub.send([.create(1), edit([]), edit([1]), edit([1, 2])])
    #expect(hub.rejections.map(\.code) == [.late, .late, .late] && hub.engine.revision == 1)
    #expect(hub.engine.state.received == 1 && hub.engine.state.folders[id: 1]?.received == 0)

    let shelf = try FeatureHub(Shelf.State(), Shelf())
    try shelf.send([.folder(.create(1)), .folder(edit([])), .folder(edit([1]))])
    #expect(shelf.rejections.map(\.code) == [.late, .late] && shelf.engine.revision == 1)
    #expect(shelf.engine.state.folder.received == 1)
  }

  /// Equal actions in a row are decoded once, but their targets are looked for each time.
  @Test func theFirstOfTwoEqualActionsMayRemoveTheTarget() throws {
    var state = Folder.State(id: 0)
    state.path[id: 9] = Item.State(id: 1)
    let hub = try FeatureHub(state, Folder())
    try hub.send([edit([]), edit([]), .create(5)])
    #expect(hub.rejections.map(\.sequence) == [2] && hub.engine.revision == 2)
    #expect(hub.engine.state.path.isEmpty && hub.engine.state.received == 2)
  }

  @Test func aTargetThatTheActionCreatesIsNotMissing() throws {
    let hub = try FeatureHub(Folder.State(id: 0), Folder())
    try hub.send([.folders(.element(id: 7, action: .create(1)))])
    #expect(hub.rejections.isEmpty && hub.engine.state.folders[id: 7]?.folders.count == 1)
  }

  @Test func otherCasesAreMissingTargets() throws {
    let hub = try FeatureHub(Twice.State(), Twice())
    try hub.send([.item(.edited("a")), .hide, .item(.edited("b"))])
    #expect(hub.rejections == [Rejected(sequence: 3, code: .late, reason: "something else is shown now")])
    #expect(hub.engine.state == Twice.State(mode: .none, changes: 2) && hub.engine.revision == 2)
  }

  /// Nothing is looked for beforehand in a feature whose children come first, as the architecture advises.
  @Test func childrenThatComeFirstNeedNoCheck() {
    #expect(ReducerCore(ofHub: LateActionTests.Board.State(), reducer: LateActionTests.Board()).targetCheck == nil)
    #expect(ReducerCore(ofHub: LateActionTests.Wrapped.State(), reducer: LateActionTests.Wrapped()).targetCheck == nil)
    let counting = LateActionTests.Counting(refuses: false)
    #expect(ReducerCore(ofHub: LateActionTests.Board.State(), reducer: counting).targetCheck != nil)
    // A store has no clients that could be late.
    let compiled = CompiledReducer(counting)
    #expect(ReducerCore(initialState: LateActionTests.Board.State(), reducer: compiled).targetCheck == nil)
  }
}
