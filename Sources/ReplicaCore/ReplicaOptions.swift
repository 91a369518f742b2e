/// The options of a client.
public struct ReplicaOptions: Sendable {
  /// The client's name in the hub's log and among the attendees; it is cut after 128 bytes.
  public var name: String
  /// True if a `StoreClient` subscribes to the whole state from the start; otherwise it subscribes only to attached
  /// parts.
  public var subscribesToWholeState: Bool
  /// The time before the first attempt to reconnect. It doubles with each further one.
  public var shortestDelay: Duration
  /// The longest time between two attempts to reconnect.
  public var longestDelay: Duration
  /// The time for which the hub may be silent while an answer is pending, before the connection counts as lost.
  public var timeout: Duration
  /// The time of silence after which an idle client sends a ping to the hub; nil for never.
  ///
  /// Without pings, an idle client does not notice that its hub has stopped. With them, each client wakes the hub once
  /// per interval, so use them for clients that a user watches. A stopped hub is detected after `probeInterval` and
  /// `timeout` at the latest.
  public var probeInterval: Duration?
  /// True if actions that wait for a hub are also sent to one that has lost states which this client may have seen;
  /// false to fail them with `ActionError.stateLost`.
  ///
  /// Set it to false if a user chooses actions by what is on the screen, such as "delete todo 7": the hub may have given
  /// the number 7 to another todo meanwhile. A hub that stores before it acknowledges (`--durability sync`) loses
  /// nothing, unless its operator restores an older journal.
  public var sendsAfterLoss: Bool
  /// True if a tool that takes its schema from the hub also requests the documentation, `ReplicaCore.documentation`.
  public var requestsDocumentation: Bool
  /// The maximum number of pending actions; a further one is rejected locally.
  public var pendingActions: Int
  /// The bytes of pending actions in an outbox at which a further one is rejected locally; without an outbox, there is no
  /// such limit.
  public var outboxBytes: Int
  /// The maximum size in bytes of an accepted state.
  public var stateBytes: Int

  /// The time for which the loop of a `StoreClient` polls without sleeping after it has received or sent something, at
  /// most 10 ms; zero for never. See `EventLoop.busyPoll`, which becomes at least this.
  public var busyPoll: Duration

  /// Creates options; each has the default of its property.
  ///
  /// ```swift
  /// let client = try StoreClient<Counter.State, Counter.Action>(
  ///   loop: loop, path: path, options: ReplicaOptions(name: "statusbar", probeInterval: .seconds(10)))
  /// ```
  public init(
    name: String = "", subscribesToWholeState: Bool = true, shortestDelay: Duration = .milliseconds(50),
    longestDelay: Duration = .seconds(5), timeout: Duration = .seconds(10), probeInterval: Duration? = nil,
    sendsAfterLoss: Bool = true, requestsDocumentation: Bool = false, pendingActions: Int = 65_536,
    outboxBytes: Int = 16 << 20, stateBytes: Int = 1 << 30, busyPoll: Duration = .zero
  ) {
    self.name = name
    self.subscribesToWholeState = subscribesToWholeState
    (self.shortestDelay, self.longestDelay) = (shortestDelay, longestDelay)
    (self.timeout, self.probeInterval) = (timeout, probeInterval)
    (self.sendsAfterLoss, self.requestsDocumentation) = (sendsAfterLoss, requestsDocumentation)
    (self.pendingActions, self.outboxBytes, self.stateBytes) = (pendingActions, outboxBytes, stateBytes)
    self.busyPoll = busyPoll
  }
}
