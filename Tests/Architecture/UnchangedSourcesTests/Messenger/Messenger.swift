// A messenger: an inbox with a search, sheets and prompts above it, conversations on a stack, a stream of incoming
// messages, a typing indicator, messages that are sent again, and settings that several screens share.
import ComposableArchitecture

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
