import Wire

/// The limits that a hub sets for its peers.
///
/// Numbers and the sizes of frames are checked before memory is allocated. Held bytes are counted after a read, and the
/// state's size after an action.
public struct HubLimits: Sendable {
  /// The number of open connections; a further one is sent an error and closed.
  public var connections = 4096
  /// The number of open connections of one user.
  public var connectionsPerUser = Int.max
  /// The number of further connections, beyond both limits, of users whose own grant has the right `admin`, so that an
  /// operator can look at a hub that is full.
  public var connectionsForAdmins = 8
  /// The number of bytes held for all connections of one user: incomplete and waiting frames, output that they do not
  /// read, rejections that they do not acknowledge, and refused scopes of which they were not told. Beyond it the
  /// connection that holds the most is closed.
  public var heldBytesPerUser = 64 << 20
  /// The number of such bytes held for all users. Each user's share shrinks as the number of users grows.
  public var heldBytes = 1 << 30
  /// After a peak of such bytes beyond this number, memory is returned to the system.
  public var heldPeakBytes = 16 << 20
  /// The average number of actions and other frames that one user may send per second; nil for no limit. Beyond it they
  /// wait.
  public var actionsPerSecond: Int?
  /// The number of closing connections, beyond which they are aborted.
  public var closingConnections = 64
  /// The largest payload of one frame from a client, in bytes.
  public var payloadBytes = 1 << 20
  /// The time within which a new connection must send *hello*.
  public var helloTimeout = Duration.seconds(5)
  /// The time for the rest of an incomplete frame, and for a peer that has half-closed to read all pending output.
  public var frameTimeout = Duration.seconds(10)
  /// The time within which a closing connection must read its last frames.
  public var closeTimeout = Duration.seconds(1)
  /// The time for which a session without a connection holds the shared effects of its actions. Then those that nobody
  /// else holds are cancelled, and the client learns of it if it resumes the session.
  public var holdTimeout = Duration.seconds(10)
  /// The number of sessions that are kept without a connection. Beyond it, the user with the most loses its oldest. A
  /// session counts once more for each 4 KiB of its unacknowledged rejections.
  public var detachedSessions = 4096

  /// The number of sessions that a hub may have at a time, with and without a connection.
  package var sessionCount: Int {
    let (sum, overflows) = connections.addingReportingOverflow(detachedSessions)
    return overflows ? .max : sum
  }

  /// The number of unacknowledged rejections of one session.
  public var rejections = 1024
  /// The time, per subscriber of a change, over which changes are coalesced before they are sent to clients that did
  /// not act themselves. It leaves time to handle actions when there are many subscribers.
  ///
  /// A change with fewer subscribers than `coalescingThreshold`, or after a quiet period, is sent immediately. Changes
  /// wait no longer than `longestCoalescing`.
  public var coalescing = Duration.microseconds(2)
  /// The number of subscribers from which changes are coalesced.
  public var coalescingThreshold = 32
  /// The maximum time for which a change is held back.
  public var longestCoalescing = Duration.milliseconds(50)
  /// The number of attached scopes of one connection.
  public var scopes = 64
  /// The work for the first values of views of elements in a turn, in steps of about a quarter of a microsecond.
  public var viewSteps = 4096
  /// The number of scopes of one connection that are in declared views. It bounds the values that the hub computes for
  /// the connection.
  public var views = 16
  /// The number of such scopes of all connections of one user.
  public var viewsPerUser = 256
  /// The number of revisions for which a view's value that no client has attached is kept for sessions that may resume.
  package var viewRetention: UInt64 = 1024
  /// The number of elements of all windows of collections that one connection has attached; 0 for a hub that serves no
  /// windows. It bounds the work that a change of the collections is for the windows.
  public var windowElements = 4096
  /// The number of elements of all windows that all connections of one user have attached; each window counts as
  /// `leastWindowCharge` at least, because a change outside of it costs O(log n).
  public var windowElementsPerUser = 65_536
  /// The number of elements as which a smaller window counts.
  package static let leastWindowCharge = 16
  /// The maximum size of the encoded state in bytes. An action that would exceed it is rejected; one that makes the
  /// state smaller never is. Actions that add over 4 KiB more than the bytes that they carry can exceed it once.
  public var stateBytes = 256 << 20
  /// The number of versions of the state kept for lagging clients and detached sessions. Beyond it they get a snapshot.
  public var versions = 64
  /// The estimated memory in bytes that these versions may take in addition to the current state, and the pieces of
  /// snapshots for stalled readers in addition to both.
  public var versionBytes = 64 << 20
  /// The maximum size of a delta in bytes; a snapshot is sent instead of a larger one.
  public var deltaBytes = 16 << 20

  /// The size beyond which a snapshot is sent instead of a delta: it is written piece by piece, while a delta that a
  /// reader leaves unread is held whole, and must not exhaust what is held for its user.
  package var longestDelta: Int { min(deltaBytes, heldBytesPerUser / 4) }

  /// The number of snapshot bytes written in one turn, so that other clients do not wait for them.
  public var snapshotBytesPerTurn = SnapshotPiece.byteLimit
  /// The number of pieces of one snapshot, of 60 KiB each, kept for readers slower than the fastest. A reader that lags
  /// further starts again.
  public var snapshotPieces = 128
  /// The number of states, no longer kept as versions, that stalled readers of snapshots may keep.
  public var extraSnapshotStates = 4
  /// The time without reading after which the snapshot of a stalled reader may be discarded, if others need the memory.
  public var snapshotTimeout = Duration.seconds(2)
  /// The number of revisions after which a subscriber of an unchanged part is sent the hub's revision.
  public var bookmarkInterval: UInt64 = 1024
  /// The number of revisions after which the hash of a changed part is sent for the client to compare; `.max` for
  /// never.
  ///
  /// The first hash of an identified array costs O(n), about 0.2 s for 1,000,000 elements; later ones O(changes).
  public var hashInterval: UInt64 = 65_536
  /// The number of bytes that are hashed in one turn, each element of an identified array counting for 64 more. A hash
  /// of a large state takes several turns. What is outside identified arrays is hashed as a whole.
  public var hashedBytesPerTurn = 256 << 10
  /// The number of turns waiting for the log beyond which the hub handles no further frames, and no actions of its own.
  public var unstoredTurns = 1024
  /// The number of bytes of waiting turns beyond which the hub handles no further frames, and no actions of its own.
  public var unstoredBytes = 16 << 20
  /// The number of actions of effects, waiting for the log with the frames, from which effects are suspended until some
  /// were handled: no task of the main actor runs.
  public var postponedActions = 4096
  /// The number of bytes of stored turns, also of earlier processes, after which a snapshot is saved in the log.
  public var snapshotInterval = 64 << 20

  /// The limits for one value of a view, of which there may be many: a share of the memory for versions of the state.
  var forViews: HubLimits {
    var limits = self
    (limits.versions, limits.versionBytes) = (min(versions, 16), versionBytes / 16)
    return limits
  }

  /// Creates the default limits.
  public init() {}
}
