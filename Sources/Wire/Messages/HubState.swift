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
  /// The process when it connected, according to the kernel.
  public var process: Int32
  /// The effective user of the process.
  public var user: UInt32

  /// Creates an attendee.
  public init(id: UInt64, name: String, process: Int32, user: UInt32) {
    (self.id, self.name, self.process, self.user) = (id, name, process, user)
  }
}
