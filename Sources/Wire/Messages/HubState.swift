public import IdentifiedCollections

/// The hub's own state, replicated under `StateRoot.hub`.
@Replicated
public struct HubState: Equatable, Sendable {
  /// The attached clients: all open sessions, in order of arrival.
  public var attendees: IdentifiedArrayOf<Attendee> = []

  /// Creates the state of a hub without clients.
  public init() {}
}

/// A client that is attached to a hub.
@Replicated
public struct Attendee: Equatable, Identifiable, Sendable {
  /// The hub's number of the connection; it is never reused.
  public var id: UInt64
  /// The name that the client chose.
  public var name: String
  /// The process when it connected, according to the kernel; 0 if this hub's kernel does not know it.
  public var process: Int32
  /// The effective user of the process.
  public var user: UInt32
  /// The time at which the hub's process got the connection, in milliseconds since 1970; 0 if it is unknown.
  public var since: UInt64 = 0
  /// The parts that it has attached, the oldest first; at most `partLimit`.
  public var parts: [AttachedPart] = []
  /// The number of its scopes, including those that are not in `parts`.
  public var scopes: UInt64 = 0
  /// The number of bytes that the hub holds for it: unhandled input, and output that it has not read.
  public var heldBytes: UInt64 = 0
  /// The node of the cluster to whose hub it has connected; empty for a hub without a cluster.
  public var node: String = ""

  /// Creates an attendee without scopes.
  public init(id: UInt64, name: String, process: Int32, user: UInt32, since: UInt64 = 0) {
    (self.id, self.name, self.process, self.user, self.since) = (id, name, process, user, since)
  }

  /// The maximum number of `parts`.
  package static var partLimit: Int { 16 }
}

/// A part of a state to which a client subscribes.
@Replicated
public struct AttachedPart: Equatable, Sendable {
  /// The number of the state (`StateRoot`).
  public var root: UInt64
  /// The path in users' notation; empty for the whole state. A path of more than 256 characters is cut.
  public var path: String

  /// Creates a part.
  public init(root: UInt64, path: String) { (self.root, self.path) = (root, path) }
}
