import Deploy
import Foundation
import TerminalApp

/// The state of one terminal, which is not shared: the form, the open question, and the time.
@Reducer
struct Desk {
  @ObservableState
  struct State: Equatable {
    var now = Date.distantPast
    var isFormOpen = false
    var service = ""
    var version = ""
    var environment = Job.Environment.staging
    /// The reason why the hub has refused the form.
    var refusal: String?
    @Presents var alert: AlertState<Action.Alert>?
  }

  @CasePathable
  enum Action: BindableAction {
    case started
    case ticked(Date)
    case binding(BindingAction<State>)
    case submitButtonTapped
    case submissionTaken
    case submissionRefused(String)
    case approveButtonTapped(Job)
    case cancelButtonTapped(Job)
    case repeatButtonTapped(Job.ID)
    case alert(PresentationAction<Alert>)

    @CasePathable
    enum Alert: Equatable {
      case approveConfirmed(Job.ID)
      case rejected(Job.ID)
      case cancelConfirmed(Job.ID)
    }
  }

  @Dependency(\.continuousClock) private var clock
  @Dependency(\.date) private var date
  /// Sends an action to the hub, and waits for its outcome.
  private let hub: @MainActor @Sendable (Deploy.Action) async throws -> Void

  init(hub: @escaping @MainActor @Sendable (Deploy.Action) async throws -> Void) { self.hub = hub }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .started:
        state.now = date.now
        return .run { [clock, date] send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked(date.now)) }
        }

      case .ticked(let now):
        state.now = now
        return .none

      case .binding:
        state.refusal = nil
        return .none

      case .submitButtonTapped:
        let job = Deploy.Action.submitted(
          service: state.service, version: state.version, environment: state.environment)
        return .run { [hub] send in
          try await hub(job)
          await send(.submissionTaken)
        } catch: { error, send in
          await send(.submissionRefused(Self.reason(of: error)))
        }

      case .submissionTaken:
        (state.isFormOpen, state.version) = (false, "")
        return .none

      case .submissionRefused(let reason):
        state.refusal = reason
        return .none

      case .approveButtonTapped(let job):
        guard job.stage == .waiting else { return .none }
        state.alert = AlertState {
          TextState("Deploy \(job.service) \(job.version) to \(job.environment)?")
        } actions: {
          ButtonState(action: .approveConfirmed(job.id)) { TextState("Approve") }
          ButtonState(role: .destructive, action: .rejected(job.id)) { TextState("Reject") }
          ButtonState(role: .cancel) { TextState("Later") }
        } message: {
          TextState("Job \(job.id)")
        }
        return .none

      case .cancelButtonTapped(let job):
        state.alert = AlertState {
          TextState("Cancel job \(job.id)?")
        } actions: {
          ButtonState(role: .destructive, action: .cancelConfirmed(job.id)) { TextState("Cancel it") }
          ButtonState(role: .cancel) { TextState("Keep it") }
        } message: {
          TextState(job.stage == .running ? "It is running." : "It has not begun.")
        }
        return .none

      case .repeatButtonTapped(let id): return send(.repeated(id))
      case .alert(.presented(.approveConfirmed(let id))): return send(.approved(id))
      case .alert(.presented(.rejected(let id))): return send(.cancelled(id, reason: "rejected"))
      case .alert(.presented(.cancelConfirmed(let id))): return send(.cancelled(id, reason: "cancelled"))
      case .alert(.dismiss): return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }

  /// The reason alone, of a refusal by the hub: the form says what was refused.
  private static func reason(of error: any Error) -> String {
    if case .rejected(_, let reason)? = error as? ActionError { reason } else { "\(error)" }
  }

  /// Sends an action whose refusal the last line of the screen shows.
  private func send(_ action: Deploy.Action) -> Effect<Action> {
    .run { [hub] _ in try? await hub(action) }
  }
}
