import ComposableArchitecture

@Reducer
struct ConversationScreen {
  @ObservableState
  struct State: Equatable {
    @Presents var dialog: ConfirmationDialogState<Action.Dialog>?
    @Shared(.messengerSettings) var settings
    var draft = ""
    var isContactTyping = false
    var isLoading = false
    var messages: IdentifiedArrayOf<Message> = []
    var thread: ChatThread

    var canSend: Bool { !draft.trimmingCharacters(in: .whitespaces).isEmpty }
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case contactButtonTapped
    case contactTyping
    case delegate(Delegate)
    case deleteFailed
    case dialog(PresentationAction<Dialog>)
    case failedMessageTapped(id: Message.ID)
    case messageLongPressed(id: Message.ID)
    case messagesResponse(Result<[Message], Error>)
    case received(Message)
    case sendButtonTapped
    case sendResponse(id: Message.ID, TaskResult<Message.ID>)
    case task
    case typingTimedOut

    @CasePathable
    enum Dialog: Equatable { case delete(id: Message.ID), copy(String) }
    @CasePathable
    enum Delegate: Equatable { case contactSelected(Contact), lineChanged(ChatThread.ID, String) }
  }

  private enum CancelID { case typing }
  private struct SendID: Hashable { let message: Message.ID }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.messenger) var messenger
  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce<State, Action> { state, action in
      switch action {
      case .binding, .delegate:
        return .none

      case .contactButtonTapped:
        return .send(.delegate(.contactSelected(state.thread.contact)))

      case .contactTyping:
        state.isContactTyping = true
        return .run { send in
          try await clock.sleep(for: .seconds(5))
          await send(.typingTimedOut, animation: .default)
        }
        .cancellable(id: CancelID.typing, cancelInFlight: true)

      case .deleteFailed:
        return .send(.task)

      case let .dialog(.presented(.delete(id))):
        state.messages.remove(id: id)
        return .merge(
          .cancel(id: SendID(message: id)),
          .run { _ in
            try await messenger.delete(id: id)
          } catch: { error, send in
            await send(.deleteFailed)
          }
        )

      case .dialog:
        return .none

      case let .failedMessageTapped(id):
        guard let message = state.messages[id: id], message.status == .failed else { return .none }
        return send(message, &state)

      case let .messageLongPressed(id):
        guard let message = state.messages[id: id] else { return .none }
        state.dialog = ConfirmationDialogState(titleVisibility: .hidden) {
          TextState("Message")
        } actions: {
          ButtonState(role: .destructive, action: .delete(id: id)) { TextState("Delete") }
          if message.status == .sent {
            ButtonState(action: .copy(message.text)) { TextState("Copy") }
          }
        }
        return .none

      case let .messagesResponse(.success(messages)):
        state.isLoading = false
        state.messages = IdentifiedArray(uniqueElements: messages)
        return .none

      case .messagesResponse(.failure):
        state.isLoading = false
        return .none

      case let .received(message):
        state.isContactTyping = false
        state.messages[id: message.id] = message
        return .concatenate(
          .cancel(id: CancelID.typing),
          .send(.delegate(.lineChanged(state.thread.id, message.text)))
        )

      case .sendButtonTapped:
        guard state.canSend else { return .none }
        var text = state.draft
        if !state.settings.signature.isEmpty { text += "\n\(state.settings.signature)" }
        let message = Message(id: uuid(), conversation: state.thread.id, text: text, status: .sending)
        state.draft = ""
        return send(message, &state)

      case let .sendResponse(id, .success):
        state.messages[id: id]?.status = .sent
        guard let message = state.messages[id: id] else { return .none }
        return .send(.delegate(.lineChanged(state.thread.id, message.text)))

      case let .sendResponse(id, .failure):
        state.messages[id: id]?.status = .failed
        return .none

      case .task:
        guard state.messages.isEmpty else { return .none }
        state.isLoading = true
        return .run { [id = state.thread.id] send in
          await send(.messagesResponse(Result { try await messenger.messages(in: id) }))
        }

      case .typingTimedOut:
        state.isContactTyping = false
        return .none
      }
    }
    .ifLet(\.$dialog, action: \.dialog)
  }

  private func send(_ message: Message, _ state: inout State) -> Effect<Action> {
    var message = message
    message.status = .sending
    state.messages.updateOrAppend(message)
    return .run { [message] send in
      await send(
        .sendResponse(
          id: message.id,
          TaskResult {
            try await messenger.send(message: message)
            return message.id
          }
        )
      )
    }
    .cancellable(id: SendID(message: message.id))
  }
}
