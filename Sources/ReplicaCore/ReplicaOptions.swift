/// Options of a client towards its hub.
public struct ReplicaOptions: Sendable {
  /// The client's name in the hub's log and among the attendees; bytes beyond the 128th are cut off.
  public var name = ""
  /// True if a `StoreClient` subscribes to the whole state from the start; otherwise only to the parts it is asked for.
  public var subscribesToWholeState = true
  /// The time before the first attempt to reconnect; it doubles with each further one.
  public var shortestDelay = Duration.milliseconds(50)
  /// The longest time between two attempts to reconnect.
  public var longestDelay = Duration.seconds(5)
  /// The time that a hub may be silent while an answer is pending; then the connection counts as lost.
  public var timeout = Duration.seconds(10)
  /// The time of silence after which an idle client asks the hub for a sign of life; nil for never.
  ///
  /// Without it a client that has nothing pending does not notice that its hub has stopped. With it, each client wakes the hub
  /// once in each interval, so it is for clients that somebody watches. A stopped hub is noticed after `probeInterval`
  /// and `timeout` at the latest.
  public var probeInterval: Duration?
  /// The most actions that are pending at a time; one more is refused here.
  public var pendingActions = 65_536
  /// The largest state accepted, in bytes.
  public var stateBytes = 1 << 30

  /// Creates the default options.
  public init() {}
}
