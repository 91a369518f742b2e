public import ReplicatedArchitecture

/// The state of the machine according to the service manager.
@Replicated
public struct MachineStatus: Equatable, Sendable {
  /// The number of users' sessions.
  public var sessions: Int
  /// True if the machine is about to shut down or restart.
  public var isShuttingDown: Bool

  /// Creates a status.
  public init(sessions: Int, isShuttingDown: Bool = false) {
    (self.sessions, self.isShuttingDown) = (sessions, isShuttingDown)
  }
}

/// The reason why the state of the machine is unknown.
@Replicated
public struct MachineError: Error, Equatable, Sendable {
  /// A description for people.
  public var message: String

  /// Creates an error.
  public init(message: String) {
    self.message = message
  }
}

/// The source of the machine's status. `sessionshub` has a live one: `.login(over:)`.
public struct MachineClient: Sendable {
  /// The status, repeated after each change; an error ends the stream.
  public var statuses: @Sendable () async -> AsyncThrowingStream<MachineStatus, any Error>

  /// Creates a client.
  public init(statuses: @escaping @Sendable () async -> AsyncThrowingStream<MachineStatus, any Error>) {
    self.statuses = statuses
  }

  /// A client that always fails.
  public static func failing(_ message: String) -> MachineClient {
    MachineClient(statuses: { AsyncThrowingStream { $0.finish(throwing: MachineError(message: message)) } })
  }
}

extension MachineClient: DependencyKey {
  /// Fails: a program must choose its bus.
  public static let liveValue = MachineClient.failing("this program has not connected to a message bus")

  /// Fails, so that a test must provide the status.
  public static let testValue = MachineClient.failing("this test did not say what machine.statuses gives")
}

extension DependencyValues {
  /// The source of the machine's status.
  public var machine: MachineClient {
    get { self[MachineClient.self] }
    set { self[MachineClient.self] = newValue }
  }
}
