import ComposableArchitecture
import Features
import StoreClient
import Wire

/// A user's desk: what is on it is the user's own, and the todos are the hub's.
@Reducer struct Desk {
  @ObservableState struct State: Equatable {
    var hub = Todos.State()
    var connection = ConnectionState.connecting(attempt: 0, failure: nil)
    var cursor = 0
    /// The numbers of todos that the hub has had, each with the cursor's position at that time.
    var counts: [[Int]] = []
    var refusals: [String] = []
    @Presents var note: Note.State?
    var path = StackState<Note.State>()
  }

  enum Action {
    case cursorMoved(Int)
    case noteTapped
    case opened
    case todoScribbled
    case addLater(String)
    case addTwice(String)
    case note(PresentationAction<Note.Action>)
    case path(StackActionOf<Note>)
    case hub(Todos.Action)
    case hubEvent(MirrorEvent<Todos.Action>)
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cursorMoved(let steps): state.cursor += steps
      case .noteTapped: state.note = Note.State(text: state.hub.todos.first?.text ?? "")
      case .opened: state.path.append(Note.State(text: "page"))
      case .todoScribbled: state.hub.nextID = 100
      case .addLater(let text):
        return .run { send in
          try await clock.sleep(for: .milliseconds(1))
          await send(.hub(.addButtonTapped(text: text)))
        }
      case .addTwice(let text):
        return .merge(.send(.hub(.addButtonTapped(text: text))), .send(.hub(.addButtonTapped(text: text))))
      case .hubEvent(.connection(let connection)): state.connection = connection
      case .hubEvent(.failed(_, let error)): state.refusals.append("\(error)")
      case .hubEvent(.changed), .hub, .note, .path: break
      }
      return .none
    }
    .ifLet(\.$note, action: \.note) { Note() }
    .forEach(\.path, action: \.path) { Note() }
    .hub(\.hub, action: \.hub, event: \.hubEvent) { Todos() }
    .onChange(of: \.hub.todos.count) { _, state in
      state.counts.append([state.hub.todos.count, state.cursor])
      return .none
    }
  }
}

/// A sheet or a page of one client.
@Reducer struct Note {
  @ObservableState struct State: Equatable { var text: String }
  enum Action { case textChanged(String) }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .textChanged(let text) = action { state.text = text }
      return .none
    }
  }
}

/// A feature that takes no events, and shows a part that may be absent.
@Reducer struct Glance {
  @ObservableState struct State: Equatable {
    var todo: Todo.State?
    var looks = 0
  }

  enum Action {
    case looked
    case todo(Todo.Action)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .looked = action { state.looks += 1 }
      return .none
    }
    .hub(\.todo, action: \.todo) { Todo() }
  }
}

/// A feature that has the hub's part in a child.
@Reducer struct Shelf {
  @ObservableState struct State: Equatable { var glance = Glance.State() }
  enum Action { case glance(Glance.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.glance, action: \.glance) { Glance() } }
}
