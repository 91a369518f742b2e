import ComposableArchitecture
import Observation
import ReplicatedArchitecture
import Synchronization
import TestSupport
import Testing
import Wire

struct Child {
  @ObservableState
  @Replicated
  struct State: Equatable, Identifiable {
    let id: Int
    var name = ""
    var clicks = 0
  }

  @Replicated
  enum Action: Equatable {
    case clicked
    case renamed(String)
  }
}

enum Destination {
  @ObservableState
  @Replicated
  enum State: Equatable {
    case child(Child.State)
    case alert(AlertState<Question>)
  }

  @Replicated
  enum Action: Equatable {
    case child(Child.Action)
    case alert(Question)
  }

  @Replicated
  enum Question: Equatable {
    case yes
  }
}

struct Parent {
  @ObservableState
  @Replicated
  struct State: Equatable {
    var count = 0
    var title: String
    var child = Child.State(id: 0)
    @Presents var destination: Destination.State?
    var path = StackState<Child.State>()
    var rows: IdentifiedArrayOf<Child.State> = []
    @ObservationStateIgnored var quiet = 0
    @Replicated(omit) var cache = 1
  }

  @Replicated
  enum Action: Equatable {
    case child(Child.Action)
    case destination(PresentationAction<Destination.Action>)
    case path(StackAction<Child.State, Child.Action>)
    case rows(IdentifiedAction<Int, Child.Action>)
  }
}

/// A stack to which peers and the reducer push.
private struct Pile: Reducer {
  @Replicated
  struct State {
    var path = StackState<Child.State>()
  }

  @CasePathable
  @Replicated
  enum Action {
    case path(StackAction<Child.State, Child.Action>)
    case append
    case removeAll
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .append: state.path.append(Child.State(id: 0))
      case .removeAll: state.path.removeAll()
      case .path: break
      }
      return .none
    }
    .forEach(\.path, action: \.path) { EmptyReducer<Child.State, Child.Action>() }
  }
}

@Suite struct ArchitectureTests {
  /// Returns true if a delta notifies the observers of the fields that `read` reads.
  private func isTold(_ state: inout Parent.State, _ delta: [UInt8], _ read: (Parent.State) -> Void) throws -> Bool {
    let told = Mutex(false)
    withObservationTracking {
      read(state)
    } onChange: {
      told.withLock { $0 = true }
    }
    var decoder = CBORDecoder(delta.span.bytes)
    try state.apply(delta: &decoder)
    return told.withLock(\.self)
  }

  private func state() -> Parent.State {
    var state = Parent.State(title: "a")
    state.destination = .child(Child.State(id: 7))
    state.path.append(Child.State(id: 1))
    state.path.append(Child.State(id: 2))
    state.rows = [Child.State(id: 1), Child.State(id: 2)]
    return state
  }

  @Test func everyPartOfAFeatureTravels() throws {
    let old = state()
    #expect(try Parent.State(decoding: old.encoded().span.bytes) == old)
    var new = old
    new.count = 3
    new.quiet = 4
    new.child.clicks = 5
    new.destination = .child(Child.State(id: 7, name: "child"))
    new.path.append(Child.State(id: 9))
    new.path[0].name = "first"
    new.rows[id: 2]?.name = "row"
    #expect(try old.applying(new.delta(from: old)) == new)
    #expect(try old.applying(new.delta(from: old)).encoded() == new.encoded())
    new.destination = .alert(
      AlertState {
        TextState("Sure? ").bold() + TextState("Really").foregroundColor(.rgb(red: 1, green: 2, blue: 3))
      } actions: {
        ButtonState(role: .destructive, action: .yes) { TextState("Yes") }
        ButtonState(role: .cancel) { TextState("No").italic().fontWeight(.heavy).accessibilityLabel("Never") }
      } message: {
        TextState("Think")
      })
    new.path.removeAll()
    let applied = try old.applying(new.delta(from: old))
    #expect(applied == new)
    #expect(try Parent.State(decoding: new.encoded().span.bytes).encoded() == applied.encoded())
  }

  @Test func dialogsTravel() throws {
    let dialog = ConfirmationDialogState<Destination.Question>(titleVisibility: .visible) {
      TextState("Choose")
    } actions: {
      ButtonState(action: .yes) { TextState("Yes") }
    }
    #expect(try ConfirmationDialogState(decoding: dialog.encoded().span.bytes) == dialog)
  }

  @Test(
    arguments: [
      .child(.clicked), .child(.renamed("a")), .destination(.dismiss), .destination(.presented(.child(.clicked))),
      .destination(.presented(.alert(.yes))), .path(.element(id: 3, action: .renamed("b"))), .path(.popFrom(id: 4)),
      .path(.push(id: 5, state: Child.State(id: 1))), .rows(.element(id: 6, action: .clicked)),
    ] as [Parent.Action])
  func actionsTravel(action: Parent.Action) throws {
    let bytes = action.encoded()
    #expect(try Parent.Action(decoding: bytes.span.bytes) == action)
    for count in bytes.indices {
      #expect(throws: WireError.self) { try Parent.Action(decoding: Array(bytes[..<count]).span.bytes) }
    }
  }

  @MainActor @Test(arguments: [[.max], [.max - 1], [.min], [-1], [.max - 1, .max, .min, 0, 5]] as [[Int]])
  func aPeerMayPushElementsWithAnyIDs(ids: [Int]) throws {
    let store = Store(initialState: Pile.State()) {
      Pile()
    } withDependencies: {
      // In a test, an id beyond the next one is an issue.
      $0.context = .live
      $0.stackElementID = StackElementIDGenerator()
    }
    func push(_ id: Int) throws {
      let bytes: [UInt8] = [0x82, 0x00, 0x83, 0x02] + id.encoded() + [0xa1, 0x00, 0x01]
      store.send(try Pile.Action(decoding: bytes.span.bytes))
    }
    for id in ids { try push(id) }
    for _ in 0..<3 { store.send(.append) }
    let all = store.withState(\.path.ids)
    #expect(all.prefix(ids.count).map(\.generation) == ids)
    #expect(all.count == ids.count + 3)
    #expect(Set(all).count == all.count)

    // Ids of elements that were pushed here are not used again, whatever a peer pushes.
    store.send(.removeAll)
    try push(7)
    store.send(.append)
    let last = try #require(store.withState(\.path.ids.last))
    #expect(!all.contains(last))
  }

  @Test func onlyTheObserversOfWhatADeltaChangesAreTold() throws {
    let old = state()
    var new = old
    new.count = 1
    new.child.clicks = 2
    new.destination = .child(Child.State(id: 7, clicks: 3))
    new.rows[id: 2]?.clicks = 4
    let delta = new.delta(from: old)
    /// Returns an unshared state of a replica.
    func replica() throws -> Parent.State { try Parent.State(decoding: old.encoded().span.bytes) }

    for (expected, read) in [
      (true, { _ = $0.count }), (false, { _ = $0.title }), (true, { _ = $0.child.clicks }),
      (false, { _ = $0.child.name }),
      (false, { _ = $0.path }), (false, { _ = $0.quiet }),
    ] as [(Bool, (Parent.State) -> Void)] {
      var state = try replica()
      #expect(try isTold(&state, delta, read) == expected)
      #expect(state == new)
    }
  }

  @MainActor @Test func aDeltaInPlaceLeavesIdentitiesAlone() throws {
    let old = state()
    var new = old
    new.child.clicks = 2
    var replica = try Parent.State(decoding: old.encoded().span.bytes)
    let (before, child) = (replica._$id, replica.child._$id)
    let delta = new.delta(from: old)
    var changes = MirroredChanges()
    changes.collect {
      var decoder = CBORDecoder(delta.span.bytes)
      try? replica.applyWhole(delta: &decoder)
    }
    #expect(replica == new)
    #expect(replica._$id == before && replica.child._$id == child)
  }

  @Test func aDeltaThatFailsInTheMiddleChangesNothing() throws {
    var replica = state()
    let before = replica.encoded()
    // The count, followed by something that is not a text.
    let delta: [UInt8] = [0xa2, 0x00, 0x05, 0x01, 0x05]
    #expect(throws: WireError(.typeMismatch(expected: "text"), at: 4)) {
      var decoder = CBORDecoder(delta.span.bytes)
      try replica.applyWhole(delta: &decoder)
    }
    #expect(replica.encoded() == before)
  }
}
