public import ReplicatedArchitecture

/// What the service manager knows of the machine.
@Replicated
public struct MachineStatus: Equatable, Sendable {
  /// How many users' sessions there are.
  public var sessions: Int
  /// Whether no session was used for a while.
  public var isIdle: Bool
  /// Whether the machine is about to shut down or to restart.
  public var isShuttingDown: Bool

  /// Creates a status.
  public init(sessions: Int, isIdle: Bool = false, isShuttingDown: Bool = false) {
    (self.sessions, self.isIdle, self.isShuttingDown) = (sessions, isIdle, isShuttingDown)
  }
}

/// Why nothing is known of the machine.
@Replicated
public struct MachineError: Error, Equatable, Sendable {
  /// What happened, for people.
  public var message: String

  /// Creates an error.
  public init(message: String) {
    self.message = message
  }
}

/// Where the status of the machine comes from. `SystemBus` has a live one: `.login(over:)`.
public struct MachineClient: Sendable {
  /// The status, and again after each change; an error ends the stream.
  public var statuses: @Sendable () async -> AsyncThrowingStream<MachineStatus, any Error>

  /// Creates a client.
  public init(statuses: @escaping @Sendable () async -> AsyncThrowingStream<MachineStatus, any Error>) {
    self.statuses = statuses
  }

  /// A client that only fails.
  public static func failing(_ message: String) -> MachineClient {
    MachineClient(statuses: { AsyncThrowingStream { $0.finish(throwing: MachineError(message: message)) } })
  }
}

extension MachineClient: DependencyKey {
  /// Fails: a program says which bus it uses.
  public static let liveValue = MachineClient.failing("this program has not connected to a message bus")

  /// Refuses, so that a test says what it wants of the machine.
  public static let testValue = MachineClient.failing("this test did not say what machine.statuses gives")
}

extension DependencyValues {
  /// Where the status of the machine comes from.
  public var machine: MachineClient {
    get { self[MachineClient.self] }
    set { self[MachineClient.self] = newValue }
  }
}
