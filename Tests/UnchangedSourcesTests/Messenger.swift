// A messenger: an inbox with a search, sheets and prompts above it, conversations on a stack, a stream of incoming
// messages, a typing indicator, messages that are sent again, and settings that several screens share.
import ComposableArchitecture
import Foundation

struct Contact: Codable, Equatable, Hashable, Identifiable, Sendable {
  let id: UUID
  var name: String
}

struct Message: Codable, Equatable, Identifiable, Sendable {
  enum Status: String, Codable, Sendable { case sending, sent, failed }
  let id: UUID
  var conversation: UUID
  var text: String
  var isMine = true
  var status = Status.sent
}

struct ChatThread: Codable, Equatable, Identifiable, Sendable {
  let id: UUID
  var contact: Contact
  var unread = 0
  var lastLine = ""
}

struct MessengerSettings: Codable, Equatable, Sendable {
  var isMuted = false
  var sendsReceipts = true
  var signature = ""
}

extension SharedReaderKey where Self == InMemoryKey<MessengerSettings>.Default {
  static var messengerSettings: Self { Self[.inMemory("messengerSettings"), default: MessengerSettings()] }
}

@DependencyClient
struct MessengerClient: Sendable {
  enum Event: Equatable, Sendable { case message(Message), typing(UUID) }
  struct Offline: Error, Equatable {}

  var threads: @Sendable () async throws -> [ChatThread]
  var messages: @Sendable (_ in: UUID) async throws -> [Message]
  var send: @Sendable (_ message: Message) async throws -> Void
  var delete: @Sendable (_ id: Message.ID) async throws -> Void
  var search: @Sendable (_ query: String) async throws -> [ChatThread]
  var events: @Sendable () -> AsyncStream<Event> = { .finished }
  var signOut: @Sendable () async -> Void
}

extension MessengerClient: TestDependencyKey {
  static let testValue = Self()
  static let previewValue = Self(
    threads: { [] }, messages: { _ in [] }, send: { _ in }, delete: { _ in }, search: { _ in [] },
    events: { AsyncStream { $0.finish() } }, signOut: {}
  )
}

extension DependencyValues {
  var messenger: MessengerClient {
    get { self[MessengerClient.self] }
    set { self[MessengerClient.self] = newValue }
  }
}

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

@Reducer
struct ContactScreen {
  @ObservableState
  struct State: Equatable {
    let contact: Contact
    var isBlocked = false
    @Shared(.messengerSettings) var settings
  }

  enum Action {
    case blockButtonTapped
    case closeButtonTapped
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .blockButtonTapped:
        state.isBlocked.toggle()
        state.$settings.isMuted.withLock { $0 = true }
        return .none
      case .closeButtonTapped:
        guard isPresented else { return .none }
        return .run { _ in await dismiss() }
      }
    }
  }
}

@Reducer
struct Inbox {
  @Reducer
  struct Destination {
    @ObservableState
    enum State: Equatable {
      case alert(AlertState<Action.Alert>)
      case compose(ComposeSheet.State)
      case settings(SettingsSheet.State)
    }

    enum Action {
      case alert(Alert)
      case compose(ComposeSheet.Action)
      case settings(SettingsSheet.Action)

      @CasePathable
      enum Alert { case retry }
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.compose, action: \.compose) { ComposeSheet() }
      Scope(state: \.settings, action: \.settings) { SettingsSheet() }
    }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    var isSearching = false
    var query = ""
    var results: IdentifiedArrayOf<ChatThread>?
    var threads: IdentifiedArrayOf<ChatThread> = []

    var visible: IdentifiedArrayOf<ChatThread> { results ?? threads }
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case composeButtonTapped
    case delegate(Delegate)
    case destination(PresentationAction<Destination.Action>)
    case refresh
    case searchResponse(Result<[ChatThread], any Error>)
    case settingsButtonTapped
    case threadTapped(ChatThread.ID)
    case threadsResponse(Result<[ChatThread], any Error>)

    @CasePathable
    enum Delegate { case opened(ChatThread), signedOut }
  }

  enum CancelID { case search, refresh }

  @Dependency(\.mainQueue) var mainQueue
  @Dependency(\.messenger) var messenger

  var body: some Reducer<State, Action> {
    BindingReducer()
      .onChange(of: \.query) { _, query in
        Reduce { state, _ in
          guard !query.isEmpty else {
            state.results = nil
            state.isSearching = false
            return .cancel(id: CancelID.search)
          }
          state.isSearching = true
          return .run { send in
            await send(.searchResponse(Result { try await messenger.search(query: query) }))
          }
          .debounce(id: CancelID.search, for: .milliseconds(300), scheduler: mainQueue)
        }
      }

    Reduce { state, action in
      switch action {
      case .binding, .delegate:
        return .none

      case .composeButtonTapped:
        state.destination = .compose(ComposeSheet.State(contacts: state.threads.map(\.contact)))
        return .none

      case .destination(.presented(.alert(.retry))):
        return .send(.refresh)

      case let .destination(.presented(.compose(.delegate(.picked(contact))))):
        guard let thread = state.threads.first(where: { $0.contact == contact }) else { return .none }
        return .send(.delegate(.opened(thread)))

      case .destination(.presented(.settings(.delegate(.signedOut)))):
        return .send(.delegate(.signedOut), animation: .spring())

      case .destination:
        return .none

      case .refresh:
        return .run { send in
          await send(.threadsResponse(Result { try await messenger.threads() }), animation: .default)
        }
        .cancellable(id: CancelID.refresh, cancelInFlight: true)

      case let .searchResponse(result):
        state.isSearching = false
        state.results = (try? result.get()).map { IdentifiedArray(uniqueElements: $0) }
        return .none

      case .settingsButtonTapped:
        state.destination = .settings(SettingsSheet.State())
        return .none

      case let .threadTapped(id):
        state.threads[id: id]?.unread = 0
        guard let thread = state.visible[id: id] else { return .none }
        return .send(.delegate(.opened(thread)))

      case let .threadsResponse(.success(threads)):
        state.threads = IdentifiedArrayOf(uniqueElements: threads)
        return .none

      case let .threadsResponse(.failure(error)):
        state.destination = .alert(
          AlertState {
            TextState("No connection")
          } actions: {
            ButtonState(action: .retry) { TextState("Retry") }
            ButtonState(role: .cancel) { TextState("Cancel") }
          } message: {
            TextState("\(String(describing: error))")
          }
        )
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination) {
      Destination()
    }
  }
}

@Reducer
struct ComposeSheet {
  @ObservableState
  struct State: Equatable {
    var contacts: [Contact]
    var seconds = 0
  }

  enum Action {
    case cancelButtonTapped
    case contactTapped(Contact)
    case delegate(Delegate)
    case task
    case ticked

    @CasePathable
    enum Delegate { case picked(Contact) }
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cancelButtonTapped:
        return .run { _ in await dismiss() }
      case let .contactTapped(contact):
        return .run { send in
          await send(.delegate(.picked(contact)))
          await dismiss()
        }
      case .delegate:
        return .none
      case .task:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) {
            await send(.ticked)
          }
        }
      case .ticked:
        state.seconds += 1
        // Nobody has picked a contact for a minute.
        return state.seconds == 60 ? .run { _ in await dismiss() } : .none
      }
    }
  }
}

@Reducer
struct Messenger {
  @Reducer
  struct Path {
    @ObservableState
    @CasePathable
    enum State: Equatable {
      case contact(ContactScreen.State)
      case conversation(ConversationScreen.State)
    }

    enum Action {
      case contact(ContactScreen.Action)
      case conversation(ConversationScreen.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.contact, action: \.contact, child: ContactScreen.init)
      Scope(state: \.conversation, action: \.conversation) {
        ConversationScreen()
      }
    }
  }

  @ObservableState
  struct State: Equatable {
    var inbox = Inbox.State()
    var path = StackState<Path.State>()
    var isSignedIn = true
  }

  enum Action {
    case event(MessengerClient.Event)
    case inbox(Inbox.Action)
    case path(StackAction<Path.State, Path.Action>)
    case task
  }

  enum CancelID { case events }

  @Dependency(\.messenger) var messenger

  var body: some ReducerOf<Self> {
    Scope(state: \.inbox, action: \.inbox) {
      Inbox()
    }
    Reduce { state, action in
      switch action {
      case let .event(.message(message)):
        for (id, element) in zip(state.path.ids, state.path) {
          guard case let .conversation(screen) = element, screen.thread.id == message.conversation else { continue }
          return .send(.path(.element(id: id, action: .conversation(.received(message)))))
        }
        state.inbox.threads[id: message.conversation]?.unread += 1
        state.inbox.threads[id: message.conversation]?.lastLine = message.text
        return .none

      case let .event(.typing(thread)):
        guard let id = state.path.ids.last, state.path[id: id, case: \.conversation]?.thread.id == thread
        else { return .none }
        return .send(.path(.element(id: id, action: .conversation(.contactTyping))))

      case let .inbox(.delegate(.opened(thread))):
        state.path.append(.conversation(ConversationScreen.State(thread: thread)))
        return .none

      case .inbox(.delegate(.signedOut)):
        state.path.removeAll()
        state.isSignedIn = false
        state.inbox.threads = []
        return .cancel(id: CancelID.events)

      case .inbox:
        return .none

      case let .path(.element(id: _, action: .conversation(.delegate(action)))):
        switch action {
        case let .contactSelected(contact):
          state.path.append(.contact(ContactScreen.State(contact: contact)))
        case let .lineChanged(id, text):
          state.inbox.threads[id: id]?.lastLine = text
        }
        return .none

      case .path:
        return .none

      case .task:
        return .merge(
          .send(.inbox(.refresh)),
          .run { send in
            for await event in messenger.events() {
              await send(.event(event))
            }
          }
          .cancellable(id: CancelID.events)
        )
      }
    }
    .forEach(\.path, action: \.path) {
      Path()
    }
    ._printChanges(.actionLabels)
  }
}
