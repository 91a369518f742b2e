import ComposableArchitecture

@Reducer
struct SettingsSheet {
  @ObservableState
  struct State: Equatable {
    @Shared(.messengerSettings) var settings
    @Presents var alert: AlertState<Action.Alert>?
    var signature = ""
  }

  enum Action: BindableAction, Sendable {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case delegate(Delegate)
    case doneButtonTapped
    case muteToggled(Bool)
    case signOutButtonTapped

    @CasePathable
    enum Alert: Sendable { case confirmSignOut }
    @CasePathable
    enum Delegate: Sendable { case signedOut }
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.messenger.signOut) var signOut

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .alert(.presented(.confirmSignOut)):
        return .run { send in
          await signOut()
          await send(.delegate(.signedOut), animation: .default)
          await dismiss()
        }

      case .alert, .delegate:
        return .none

      case .binding(\.signature):
        state.signature = String(state.signature.prefix(12))
        return .none

      case .binding:
        return .none

      case .doneButtonTapped:
        state.$settings.withLock { [signature = state.signature] in $0.signature = signature }
        return .run { _ in await dismiss(animation: .easeInOut) }

      case let .muteToggled(isMuted):
        state.$settings.withLock { $0.isMuted = isMuted }
        return .none

      case .signOutButtonTapped:
        state.alert = .signOut
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

extension AlertState where Action == SettingsSheet.Action.Alert {
  static let signOut = Self {
    TextState("Sign out?")
  } actions: {
    ButtonState(role: .destructive, action: .send(.confirmSignOut, animation: .default)) {
      TextState("Sign out")
    }
    ButtonState(role: .cancel) {
      TextState("Cancel")
    }
  } message: {
    TextState("Your drafts will be lost.")
  }
}
