import ComposableArchitecture
import Testing

/// Features that are their own children.
@MainActor @Suite(.timeLimit(.minutes(30))) struct RecursionTests {
  @Reducer struct Folder {
    @ObservableState struct State: Equatable, Identifiable {
      var id = 0
      var name = ""
      var folders: IdentifiedArrayOf<State> = []
      @Presents var open: State?
    }

    indirect enum Action: Sendable {
      case rename(String)
      case run(Effect<Action>)
      case remove(Int)
      case folders(IdentifiedActionOf<Folder>)
      case open(PresentationAction<Action>)
      case close
    }

    @Dependency(\.dismiss) var dismiss

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .rename(let name): state.name = name
        case .run(let effect): return effect
        case .remove(let id): state.folders.remove(id: id)
        case .close: return .run { [dismiss] _ in await dismiss() }
        case .folders, .open: break
        }
        return .none
      }
      .forEach(\.folders, action: \.folders) { Folder() }
      .ifLet(\.$open, action: \.open) { Folder() }
    }
  }

  private func tree(depth: Int) -> Folder.State {
    var state = Folder.State(id: depth)
    for level in (0..<depth).reversed() { state = Folder.State(id: level, folders: [state]) }
    return state
  }

  private func action(_ action: Folder.Action, depth: Int) -> Folder.Action {
    var action = action
    for level in (1...depth).reversed() { action = .folders(.element(id: level, action: action)) }
    return action
  }

  @Test func aFolderInAFolderIsReached() async {
    let store = Store(initialState: tree(depth: 5)) { Folder() }
    store.send(action(.rename("deep"), depth: 5))
    var state = store.state
    while let inner = state.folders.first { state = inner }
    #expect(state.name == "deep")
    #expect(store.name == "")

    await store.send(action(.run(.run { await $0(.rename("deeper")) }), depth: 5)).finish()
    state = store.state
    while let inner = state.folders.first { state = inner }
    #expect(state.name == "deeper")
  }

  @Test func effectsEndWithTheFolderThatTheyAreIn() async {
    let store = Store(initialState: tree(depth: 4)) { Folder() }
    let (cancelled, gate) = (Gate(), Gate())
    store.send(action(.run(.endless(cancelled)), depth: 4))
    let kept = store.send(action(.run(.after(gate, .rename("kept"))), depth: 1))
    store.send(action(.remove(2), depth: 1))
    await cancelled.wait()
    gate.open()
    await kept.finish()
    #expect(store.folders.first?.name == "kept")
    #expect(store.folders.first?.folders.isEmpty == true)
  }

  @Test func theInnermostFolderIsClosed() async {
    let store = Store(initialState: Folder.State(open: Folder.State(open: Folder.State()))) { Folder() }
    await store.send(.open(.presented(.open(.presented(.close))))).finish()
    #expect(store.open != nil)
    #expect(store.open?.open == nil)
    await store.send(.open(.presented(.close))).finish()
    #expect(store.open == nil)
  }

  @Test func aDeepTreeFitsOnTheStack() {
    let store = Store(initialState: tree(depth: 60)) { Folder() }
    store.send(action(.rename("deep"), depth: 60))
    var depth = 0
    var state = store.state
    while let inner = state.folders.first { (state, depth) = (inner, depth + 1) }
    #expect(depth == 60 && state.name == "deep")
  }

  /// A state and an action of many kilobytes, in several levels, as in large apps.
  struct Large: Equatable, Sendable {
    typealias Row = (Int, Int, Int, Int, Int, Int, Int, Int)
    struct Block: Equatable, Sendable {
      var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0
    }
    struct Page: Equatable, Sendable {
      var a = Block(), b = Block(), c = Block(), d = Block(), e = Block(), f = Block(), g = Block(), h = Block()
    }
    var a = Page(), b = Page(), c = Page(), d = Page(), e = Page(), f = Page(), g = Page(), h = Page()
  }

  @Reducer struct Heavy {
    @ObservableState struct State: Equatable {
      var first = Large()
      var second = Large()
      @Presents var child: Leaf.State?
    }

    enum Action: Sendable {
      case child(PresentationAction<Leaf.Action>)
      case bump
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .bump = action { state.second.h.h.h += 1 }
        return .none
      }
      .ifLet(\.$child, action: \.child) { Leaf() }
    }
  }

  @Reducer struct Leaf {
    @ObservableState struct State: Equatable {
      var first = Large()
      var second = Large()
      var path = StackState<Heavy.State>()
    }

    indirect enum Action: Sendable {
      case path(StackActionOf<Heavy>)
      case large(Large)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .large(let large) = action { state.second = large }
        return .none
      }
      .forEach(\.path, action: \.path) { Heavy() }
    }
  }

  @Test func largeStatesFitOnASmallStack() async {
    // Secondary threads have a stack of a megabyte on other systems; eight levels of sixteen kilobytes fit into it.
    var state = Heavy.State()
    for _ in 0..<4 { state = Heavy.State(child: Leaf.State(path: StackState([state]))) }
    let store = Store(initialState: state) { Heavy() }
    var action = Heavy.Action.bump
    var ids: [StackElementID] = []
    var walk = store.state
    while let child = walk.child, let id = child.path.ids.first, let next = child.path.first {
      ids.append(id)
      walk = next
    }
    for id in ids.reversed() { action = .child(.presented(.path(.element(id: id, action: action)))) }
    store.send(action)
    var leaf = store.state
    while let next = leaf.child?.path.first { leaf = next }
    #expect(leaf.second.h.h.h == 1)
    #expect(ids.count == 4)
  }
}
