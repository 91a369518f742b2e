/// What one hub grants its peers. Everything is checked before memory is spent on it.
public struct HubLimits: Sendable {
  /// How many connections are served at once; one more is told so and closed.
  public var connections = 4096
  /// The largest payload of one frame from a client, in bytes.
  public var payloadBytes = 1 << 20
  /// How long a new connection may take to say hello.
  public var greeting = Duration.seconds(5)
  /// How long the rest of a begun frame may take.
  public var frame = Duration.seconds(10)
  /// How long a closing connection may take to read what it was sent last.
  public var linger = Duration.seconds(1)
  /// How many sessions without a connection are remembered; the longest absent is forgotten first.
  public var detachedSessions = 4096
  /// How many refusals one session may leave unread or unacknowledged.
  public var rejections = 1024
  /// For how long changes are gathered, for each follower of what has changed, before they are sent again to those who did
  /// not act themselves: so that watching takes about half of the hub's time at most, however many watch.
  ///
  /// Nothing is held back from fewer than `fewFollowers`, nor after a quiet time, nor for more than `longestGathering`.
  public var gathering = Duration.microseconds(25)
  /// How many followers are always told in the same turn.
  public var fewFollowers = 32
  /// How long a change is held back at the most.
  public var longestGathering = Duration.milliseconds(50)
  /// How many scopes one connection may follow.
  public var scopes = 64
  /// How many versions of the state are kept for who is behind or away; beyond it they get a snapshot.
  public var versions = 64
  /// How much memory those versions may need beside the current state, as an estimate in bytes.
  public var versionBytes = 64 << 20
  /// The largest delta that is sent, in bytes; instead of a larger one goes a snapshot.
  public var deltaBytes = 16 << 20
  /// How many bytes of snapshots are written in one turn, so that others do not wait for them.
  public var snapshotBytesPerTurn = 128 << 10
  /// How many pieces of one snapshot, of 60 KiB each, are kept for readers that are slower than the fastest; who is
  /// further behind begins anew.
  public var snapshotPieces = 128
  /// After how many revisions one who follows a part that does not change is told how far the hub is.
  public var bookmarkInterval: UInt64 = 1024
  /// After how many revisions a hash of what changed is sent along, for the client to compare; `.max` for never.
  ///
  /// The first hash of an identified array costs O(n), about 0.2 s for 1,000,000 elements; further ones what changed.
  public var hashInterval: UInt64 = 65_536

  /// Creates the default limits.
  public init() {}
}
