import ComposableArchitecture
import TerminalUI

/// A feature with all that views show.
@Reducer
struct Queue {
  @ObservableState
  struct Job: Equatable, Identifiable {
    var id: Int
    var name: String
    var phase = "waiting"
    var age = Duration.seconds(0)
  }

  @ObservableState
  struct State: Equatable {
    var jobs: IdentifiedArrayOf<Job> = []
    var selected: Int?
    var name = ""
    var notes = ""
    var isUrgent = false
    var size = Size.small
    var unrelated = 0
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Size: String, CaseIterable { case small, medium, large }

  enum JobAction: Equatable { case started }

  @CasePathable
  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case jobs(IdentifiedActionOf<JobReducer>)
    case addButtonTapped
    case deleteButtonTapped(Int)
    case unrelatedChanged
    case alert(PresentationAction<Alert>)

    @CasePathable
    enum Alert: Equatable { case deleteConfirmed(Int) }
  }

  @Reducer
  struct JobReducer {
    typealias State = Job
    @CasePathable
    enum Action { case started }
    var body: some Reducer<Job, Action> {
      Reduce { state, _ in
        state.phase = "building"
        return .none
      }
    }
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.jobs.append(Job(id: (state.jobs.last?.id ?? 0) + 1, name: state.name))
        state.name = ""
      case .deleteButtonTapped(let id):
        state.alert = AlertState {
          TextState("Delete it?")
        } actions: {
          ButtonState(role: .destructive, action: .deleteConfirmed(id)) { TextState("Delete") }
          ButtonState(role: .cancel) { TextState("Keep") }
        }
      case .alert(.presented(.deleteConfirmed(let id))): state.jobs.remove(id: id)
      case .unrelatedChanged: state.unrelated += 1
      case .binding, .jobs, .alert: break
      }
      return .none
    }
    .forEach(\.jobs, action: \.jobs) { JobReducer() }
    .ifLet(\.$alert, action: \.alert)
  }

  @MainActor static func store(_ count: Int = 3) -> StoreOf<Queue> {
    Store(
      initialState: State(
        jobs: IdentifiedArray(
          uniqueElements: (1...max(count, 1)).prefix(count).map {
            Job(id: $0, name: "job \($0)", age: .seconds(60 * $0))
          }))
    ) { Queue() }
  }
}

/// The view of the example.
struct QueueView: TerminalView {
  let store: StoreOf<Queue>

  var body: some TerminalView {
    Column {
      Text("\(store.jobs.count) jobs").bold()
      Table(store.scope(state: \.jobs, action: \.jobs), selection: store.binding(\.selected)) {
        TableColumn("Job") { $0.name }
        TableColumn("State") { Cell($0.phase, color: $0.phase == "building" ? .green : .standard) }
        TableColumn("Age", alignment: .trailing) { Cell($0.age) }
      }
      .rowKey("d", "delete") { store.send(.deleteButtonTapped($0)) }
      .rowKey("enter", "start") { store.send(.jobs(.element(id: $0, action: .started))) }
      .marksChanges()
      .searchable()
    }
    .key("a", "add") { store.send(.addButtonTapped) }
    .alert(store, state: \.alert, action: \.alert)
  }
}
