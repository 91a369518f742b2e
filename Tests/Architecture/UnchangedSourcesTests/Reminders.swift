// A feature in the style of TCA 1.7, with only `import SwiftUI` removed.
import ComposableArchitecture
import Foundation

struct Reminder: Equatable, Identifiable {
  let id: UUID
  var title = ""
  var isDone = false
}

@DependencyClient
struct ReminderClient {
  var load: @Sendable () async throws -> [String]
  var save: @Sendable (_ titles: [String]) async throws -> Void
}

extension ReminderClient: DependencyKey {
  static let liveValue = ReminderClient(load: { [] }, save: { _ in })
  static let testValue = ReminderClient()
}

extension DependencyValues {
  var reminders: ReminderClient {
    get { self[ReminderClient.self] }
    set { self[ReminderClient.self] = newValue }
  }
}

@Reducer
struct EditReminder {
  @ObservableState
  struct State: Equatable {
    var reminder: Reminder
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action: BindableAction {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case cancelButtonTapped
    case deleteButtonTapped
    case delegate(Delegate)

    @CasePathable
    enum Alert: Equatable { case confirmDeletion }
    @CasePathable
    enum Delegate: Equatable { case delete(Reminder.ID) }
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .alert(.presented(.confirmDeletion)):
        return .run { [id = state.reminder.id] send in
          await send(.delegate(.delete(id)), animation: .default)
          await self.dismiss()
        }
      case .alert, .binding, .delegate:
        return .none
      case .cancelButtonTapped:
        return .run { _ in await self.dismiss() }
      case .deleteButtonTapped:
        state.alert = AlertState {
          TextState("Delete?")
        } actions: {
          ButtonState(role: .destructive, action: .send(.confirmDeletion, animation: .default)) {
            TextState("Delete")
          }
          ButtonState(role: .cancel) { TextState("Keep") }
        }
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
struct Reminders {
  @ObservableState
  struct State: Equatable {
    var query = ""
    var seconds = 0
    var isTicking = false
    var items: IdentifiedArrayOf<Reminder> = []
    @Presents var edit: EditReminder.State?
    @Shared(.inMemory("lastTitle")) var lastTitle: String? = nil
  }

  enum Action: BindableAction {
    case addButtonTapped
    case binding(BindingAction<State>)
    case edit(PresentationAction<EditReminder.Action>)
    case itemTapped(id: Reminder.ID)
    case loaded(Result<[String], Error>)
    case searched(String)
    case task
    case timerTicked
    case toggleTimerButtonTapped
  }

  private enum CancelID { case search, timer }

  @Dependency(\.mainQueue) var mainQueue
  @Dependency(\.reminders) var reminders
  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    BindingReducer()
      .onChange(of: \.query) { _, query in
        Reduce { _, _ in
          .send(.searched(query), animation: .easeInOut)
            .debounce(id: CancelID.search, for: 0.3, scheduler: self.mainQueue)
        }
      }
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.items.append(Reminder(id: self.uuid(), title: "New"))
        state.$lastTitle.withLock { $0 = "New" }
        return .none

      case .binding:
        return .none

      case .edit(.presented(.delegate(.delete(let id)))):
        state.items.remove(id: id)
        return .none

      case .edit(.dismiss):
        if let reminder = state.edit?.reminder, state.items[id: reminder.id] != nil {
          state.items[id: reminder.id] = reminder
        }
        return .none

      case .edit:
        return .none

      case .itemTapped(let id):
        guard let reminder = state.items[id: id] else { return .none }
        state.edit = EditReminder.State(reminder: reminder)
        return .none

      case .loaded(.success(let titles)):
        state.items = IdentifiedArray(
          uncheckedUniqueElements: titles.map { Reminder(id: self.uuid(), title: $0) })
        return .none

      case .loaded(.failure):
        return .none

      case .searched(let query):
        state.items.removeAll { !$0.title.contains(query) }
        return .none

      case .task:
        return .run { send in
          await send(.loaded(Result { try await self.reminders.load() }), animation: .default)
        }

      case .timerTicked:
        state.seconds += 1
        return .none

      case .toggleTimerButtonTapped:
        state.isTicking.toggle()
        return .run { [isTicking = state.isTicking] send in
          guard isTicking else { return }
          for await _ in self.mainQueue.timer(interval: .seconds(1)) {
            await send(.timerTicked, animation: .interpolatingSpring(stiffness: 3000, damping: 40))
          }
        }
        .animation()
        .cancellable(id: CancelID.timer, cancelInFlight: true)
      }
    }
    .ifLet(\.$edit, action: \.edit) { EditReminder() }
  }
}
