public import IdentifiedCollections

/// The figures of a hub, as replicated state under `StateRoot.metrics`.
///
/// Counters start at zero with the hub's process; the other figures are current values. They are published at most once
/// a second, and only while a client has attached them.
@Replicated
public struct HubMetrics: Equatable, Sendable {
  /// The revision of the feature's state: the actions that have taken effect.
  public var revision: UInt64 = 0
  /// Counter: reads from clients' sockets.
  public var reads: UInt64 = 0
  /// Counter: connections that were accepted.
  public var accepted: UInt64 = 0
  /// Counter: connections and scopes that were refused for lack of rights.
  public var refused: UInt64 = 0
  /// Counter: connections that were closed for any other error.
  public var failed: UInt64 = 0
  /// Counter: actions that were rejected.
  public var rejected: UInt64 = 0
  /// Counter: sessions that were opened.
  public var opened: UInt64 = 0
  /// Counter: sessions that were resumed.
  public var resumed: UInt64 = 0
  /// The number of open connections.
  public var connections: UInt64 = 0
  /// The number of sessions without a connection.
  public var detachedSessions: UInt64 = 0
  /// The number of bytes held: incomplete frames, and output that clients have not read.
  public var heldBytes: UInt64 = 0
  /// The approximate size of the feature's encoded state in bytes.
  public var stateBytes: UInt64 = 0
  /// The number of kept versions of the feature's state.
  public var keptVersions: UInt64 = 0
  /// The number of turns that wait for the log.
  public var unstoredTurns: UInt64 = 0
  /// The numbers of turns of the loop that took less than 1, 2, 4, … milliseconds; the last bucket takes all longer
  /// ones.
  public var turnTimes: [UInt64] = []
  /// The numbers of turns that waited less than 64, 128, … microseconds for the log; the last bucket takes all longer
  /// ones.
  public var storeTimes: [UInt64] = []
  /// The duration of the longest turn of the loop, in microseconds, at most 2 ms too long; 0 if none took a
  /// millisecond.
  public var longestTurn: UInt64 = 0
  /// The number of attached scopes of all connections.
  public var subscriptions: UInt64 = 0
  /// The places with subscribers, those with the most subscribers first: at most `placeLimit` of the first
  /// `examinedPlaceLimit` places.
  public var places: [SubscribedPlace] = []
  /// The time at which actions are acknowledged: `sync`, after they are stored; `async`, before; `memory`, nothing is
  /// stored. Empty for a hub of an older version.
  public var durability = ""
  /// The attached clients that have sent actions, in the order in which they came; if there are more than `senderLimit`,
  /// those that have sent the most.
  public var senders: IdentifiedArrayOf<ActionSender> = []
  /// The declared views that were computed since the hub started, those that have taken the most time first.
  public var views: [ViewFigures] = []
  /// The hub's part in its cluster; nil for a hub without one, or of an older version.
  public var cluster: ClusterStatus?

  /// Creates the figures of a hub that has just started.
  public init() {}
}

/// An attached client that has sent actions.
@Replicated
public struct ActionSender: Equatable, Identifiable, Sendable {
  /// The client's number among the attendees.
  public var id: UInt64
  /// Its user.
  public var user: UInt32
  /// Counter: the actions that the hub has processed on its connection, also rejected ones.
  public var actions: UInt64

  /// Creates a sender.
  public init(id: UInt64, user: UInt32, actions: UInt64) { (self.id, self.user, self.actions) = (id, user, actions) }
}

/// What a declared view has cost.
@Replicated
public struct ViewFigures: Equatable, Sendable {
  /// Its name.
  public var name: String
  /// The number of its values that clients have: one for each parameter and user.
  public var values: UInt64
  /// Counter: its computations.
  public var computations: UInt64
  /// Counter: the microseconds that they have taken.
  public var microseconds: UInt64
  /// The microseconds of the longest.
  public var longest: UInt64

  /// Creates the figures of a view.
  public init(name: String, values: UInt64, computations: UInt64, microseconds: UInt64, longest: UInt64) {
    (self.name, self.values, self.computations) = (name, values, computations)
    (self.microseconds, self.longest) = (microseconds, longest)
  }
}

/// A place in a state, and the number of its subscribers.
@Replicated
public struct SubscribedPlace: Equatable, Sendable {
  /// The number of the state (`StateRoot`).
  public var root: UInt64
  /// The path in users' notation; empty for the whole state. A path of more than 256 characters is cut.
  public var path: String
  /// The number of scopes that are attached to exactly this place.
  public var subscribers: UInt64

  /// Creates a place.
  public init(root: UInt64, path: String, subscribers: UInt64) {
    (self.root, self.path, self.subscribers) = (root, path, subscribers)
  }
}

extension HubMetrics {
  /// The maximum number of `places`.
  package static var placeLimit: Int { 100 }
  /// The maximum number of `senders`.
  package static var senderLimit: Int { 1000 }
  /// The number of places in each state that are examined for `places`.
  package static var examinedPlaceLimit: Int { 4096 }

  /// The number of buckets of a histogram.
  package static var bucketCount: Int { 14 }
}
