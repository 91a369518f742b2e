/// The limits that one hub sets its peers. Everything is checked before memory is spent on it.
public struct HubLimits: Sendable {
  /// How many connections are served at once; a further one gets an error and is closed.
  public var connections = 4096
  /// How many of them one user may have.
  public var connectionsPerUser = Int.max
  /// How many bytes are kept for all connections of one user: of unfinished and waiting frames, and of what they do not
  /// read. Beyond it the connection that holds most is closed.
  public var heldBytesPerUser = 64 << 20
  /// How many such bytes are kept for all users, of which each has a share that grows smaller the more users there are.
  public var heldBytes = 1 << 30
  /// A peak of such bytes beyond this is followed by giving memory back to the system.
  public var heldPeakBytes = 16 << 20
  /// How many actions and other frames one user may send in a second, on average; nil for as many as the hub has time for.
  /// Beyond it they wait.
  public var actionsPerSecond: Int?
  /// How many connections may be in the course of closing; beyond it they are aborted.
  public var closingConnections = 64
  /// The largest payload of one frame from a client, in bytes.
  public var payloadBytes = 1 << 20
  /// How long a new connection may take to say hello.
  public var helloTimeout = Duration.seconds(5)
  /// How long the rest of a begun frame may take, and a peer that has closed its direction to read what is queued.
  public var frameTimeout = Duration.seconds(10)
  /// How long a closing connection may take to read its last frames.
  public var closeTimeout = Duration.seconds(1)
  /// How many sessions without a connection are kept; the one that was detached first is dropped first.
  public var detachedSessions = 4096
  /// How many rejections one session may leave unread or unacknowledged.
  public var rejections = 1024
  /// The time over which changes are coalesced, for each subscriber of what has changed, before they are sent again to
  /// clients that did not act themselves, so that sending to subscribers leaves time for actions.
  ///
  /// Changes are sent at once to fewer subscribers than `coalescingThreshold`, and after a quiet time. They wait no
  /// longer than `longestCoalescing`.
  public var coalescing = Duration.microseconds(2)
  /// How many subscribers are always sent a change in the turn in which it happened.
  public var coalescingThreshold = 32
  /// How long a change is held back at most.
  public var longestCoalescing = Duration.milliseconds(50)
  /// How many scopes one connection may attach.
  public var scopes = 64
  /// The most bytes of the encoded state. An action that would make the state larger is rejected; one that makes it smaller
  /// never is. A single turn can exceed it if it lets the state grow by a quarter of it at once.
  public var stateBytes = 256 << 20
  /// How many versions of the state are kept for lagging clients and detached sessions; beyond it they get a snapshot.
  public var versions = 64
  /// How much memory those versions may need beside the current state, as an estimate in bytes.
  public var versionBytes = 64 << 20
  /// The largest delta that is sent, in bytes; a snapshot is sent instead of a larger one.
  public var deltaBytes = 16 << 20
  /// How many bytes of snapshots are written in one turn, so that other clients do not wait for them.
  public var snapshotBytesPerTurn = 128 << 10
  /// How many pieces of one snapshot, of 60 KiB each, are kept for readers that are slower than the fastest; one that
  /// lags further begins anew.
  public var snapshotPieces = 128
  /// After how many revisions a subscriber of a part that does not change is sent the hub's revision.
  public var bookmarkInterval: UInt64 = 1024
  /// After how many revisions a hash of a changed part is sent, for the client to compare; `.max` for never.
  ///
  /// The first hash of an identified array costs O(n), about 0.2 s for 1,000,000 elements; later ones what changed.
  public var hashInterval: UInt64 = 65_536
  /// How many turns may wait for the log before the hub handles no further frames.
  public var unstoredTurns = 1024
  /// How many bytes of turns may wait for the log before the hub handles no further frames.
  public var unstoredBytes = 16 << 20
  /// How many bytes of turns are stored before another snapshot is saved in the log.
  public var snapshotInterval = 64 << 20

  /// Creates the default limits.
  public init() {}
}
