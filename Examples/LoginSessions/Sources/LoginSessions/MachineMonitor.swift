public import ReplicatedArchitecture

/// Watches the machine, and retries after the service disappears.
@Reducer
public struct MachineMonitor: Sendable {
  /// The last known state of the machine.
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    /// Nil while it is unknown.
    public var status: MachineStatus?
    /// The reason why it is unknown.
    public var failure: String?

    /// Creates an unknown state.
    public init() {}
  }

  /// The actions of the monitor.
  @CasePathable @Replicated
  public enum Action: Equatable, Sendable {
    /// The program starts watching.
    case started
    case statusChanged(MachineStatus)
    case failed(MachineError)
  }

  private enum CancelID { case watch }
  /// The time between two attempts to reach the service.
  public static let retryInterval = Duration.seconds(30)

  @Dependency(\.machine) var machine
  @Dependency(\.continuousClock) var clock

  /// Creates the feature.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .started: return watch
      case .statusChanged(let status):
        (state.status, state.failure) = (status, nil)
        return .none
      case .failed(let error):
        (state.status, state.failure) = (nil, error.message)
        return .concatenate(
          .run { _ in try await clock.sleep(for: Self.retryInterval) }.cancellable(id: CancelID.watch), .send(.started))
      }
    }
  }

  private var watch: Effect<Action> {
    .run { send in
      do {
        for try await status in await machine.statuses() { await send(.statusChanged(status)) }
      } catch let error as MachineError {
        await send(.failed(error))
      }
    }
    .cancellable(id: CancelID.watch, cancelInFlight: true)
  }
}
