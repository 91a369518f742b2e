/// How a replica behaves towards its hub.
public struct ReplicaOptions: Sendable {
  /// What the client calls itself in the hub's log and among the attendees; what is beyond 128 bytes is cut off.
  public var name = ""
  /// Whether the whole state is followed from the beginning; without, only what is asked for.
  public var followsWholeState = true
  /// The time before the first attempt to reconnect; it doubles with each further one.
  public var shortestDelay = Duration.milliseconds(50)
  /// The longest time between two attempts to reconnect.
  public var longestDelay = Duration.seconds(5)
  /// How long a hub may be silent while it owes an answer, before it is taken for dead.
  public var patience = Duration.seconds(10)
  /// How many actions are kept that the hub has not yet answered; one more is refused here.
  public var unansweredActions = 65_536
  /// The largest state accepted, in bytes.
  public var stateBytes = 1 << 30

  /// Creates the default options.
  public init() {}
}
