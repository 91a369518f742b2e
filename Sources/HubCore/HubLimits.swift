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
  /// How many old versions of the state are kept for slow clients; beyond it they get a snapshot.
  public var versions = 64

  /// Creates the default limits.
  public init() {}
}
