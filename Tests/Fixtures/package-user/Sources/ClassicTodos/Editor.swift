import ComposableArchitectureClassic

// A screen with an editor in a case, bindable fields and an alert, in the style of 2020.

public struct EditorState: Equatable {
  @BindableState public var title = ""
  public var alert: AlertState<EditorAction>?
  public var saves = 0
}

public enum EditorAction: BindableAction, Equatable {
  case binding(BindingAction<EditorState>)
  case saveButtonTapped
  case saved(TaskResult<Int>)
  case discardButtonTapped
  case alertDismissed
}

public struct EditorEnvironment {
  public var save: (String) async throws -> Int

  public init(save: @escaping (String) async throws -> Int) { self.save = save }
}

public enum Screen: Equatable {
  case list
  case editor(EditorState)
}

public struct ScreenState: Equatable {
  public var screen = Screen.list
}

public enum ScreenAction: Equatable {
  case editor(EditorAction)
  case editButtonTapped
}

let editorReducer = Reducer<EditorState, EditorAction, EditorEnvironment> { state, action, environment in
  enum SaveID {}
  switch action {
  case .binding(\.$title):
    state.title = String(state.title.prefix(10))
    return .cancel(id: SaveID.self)
  case .binding:
    return .none
  case .saveButtonTapped:
    return .task { [title = state.title] in
      await .saved(TaskResult { try await environment.save(title) })
    }
    .cancellable(id: SaveID.self, cancelInFlight: true)
  case let .saved(.success(count)):
    state.saves = count
    return .none
  case let .saved(.failure(error)):
    state.alert = .init(title: "Not saved", message: "\(error)", dismissButton: .default("OK", send: .alertDismissed))
    return .none
  case .discardButtonTapped:
    state.alert = .init(
      title: "Discard?", primaryButton: .destructive("Discard", send: .alertDismissed), secondaryButton: .cancel())
    return .none
  case .alertDismissed:
    state.alert = nil
    return .none
  }
}
.binding()

public let screenReducer = Reducer<ScreenState, ScreenAction, EditorEnvironment>.combine(
  editorReducer.pullback(
    state: (\ScreenState.screen) .. /Screen.editor,
    action: /ScreenAction.editor,
    environment: { $0 }
  ),
  Reducer { state, action, _ in
    if action == .editButtonTapped { state.screen = .editor(EditorState()) }
    return .none
  }
)
