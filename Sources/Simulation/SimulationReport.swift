/// What happened in a simulation, in numbers.
public struct SimulationReport: Equatable, Sendable {
  /// How many steps there were.
  public var steps = 0
  /// Actions that clients took, whether they could keep them or not.
  public var sent = 0
  /// Clients' actions and echoes that took effect; those that were lost with a hub count too.
  public var applied = 0
  /// Actions that were refused.
  public var rejected = 0
  /// Actions whose outcome their clients will never know.
  public var unknown = 0
  /// Actions that clients did not keep.
  public var refusedLocally = 0
  /// Connections that were made.
  public var connections = 0
  /// Sessions that were resumed.
  public var resumptions = 0
  /// Connections that were cut for both sides.
  public var cuts = 0
  /// Connections that were cut for one side alone.
  public var halfOpen = 0
  /// Streams whose client's direction was closed.
  public var halfCloses = 0
  /// Times for which a client did not read.
  public var stuckReaders = 0
  /// Hubs that crashed.
  public var hubCrashes = 0
  /// Hubs that were stopped.
  public var hubStops = 0
  /// Hubs that were replaced by a newer version.
  public var upgrades = 0
  /// Clients that crashed.
  public var clientCrashes = 0
  /// Clients that crashed and went on with their sessions.
  public var clientRestarts = 0
  /// Logs that failed.
  public var logFailures = 0
  /// Turns that hubs handed to their logs.
  public var turns = 0
  /// Snapshots that were saved.
  public var snapshots = 0
  /// Recoveries that began with a snapshot.
  public var snapshotRecoveries = 0
  /// Turns that were applied in recoveries.
  public var turnsRecovered = 0
  /// Frames that hubs wrote.
  public var frames = 0
  /// Effects that sent something or ended.
  public var effects = 0
  /// Seconds of simulated time.
  public var virtualSeconds = 0
  /// Events in the trace.
  public var events = 0
  /// The hash of the trace.
  public var hash: UInt64 = 0

  /// Creates a report of nothing.
  public init() {}

  private static var fields: [(String, WritableKeyPath<Self, Int>)] {
    [
      ("steps", \.steps), ("actions sent", \.sent), ("applied", \.applied), ("rejected", \.rejected),
      ("outcome unknown", \.unknown), ("not kept", \.refusedLocally), ("connections", \.connections),
      ("resumed", \.resumptions), ("cuts", \.cuts), ("half open", \.halfOpen), ("half closes", \.halfCloses),
      ("stuck readers", \.stuckReaders), ("hub crashes", \.hubCrashes), ("hub stops", \.hubStops),
      ("upgrades", \.upgrades), ("client crashes", \.clientCrashes),
      ("client restarts", \.clientRestarts), ("log failures", \.logFailures),
      ("turns logged", \.turns), ("snapshots", \.snapshots), ("recoveries from one", \.snapshotRecoveries),
      ("turns recovered", \.turnsRecovered), ("frames", \.frames), ("effects", \.effects),
      ("simulated seconds", \.virtualSeconds),
    ]
  }

  /// The numbers, for `init(numbers:)`.
  public var numbers: [Int] { Self.fields.map { self[keyPath: $0.1] } }

  /// Creates a report of sums of numbers.
  public init(numbers: [Int]) {
    for (field, number) in zip(Self.fields, numbers) { self[keyPath: field.1] = number }
  }

  /// The numbers with their names, for people.
  public var text: String { Self.fields.map { "\($0.0) \(self[keyPath: $0.1])" }.joined(separator: ", ") }
}
