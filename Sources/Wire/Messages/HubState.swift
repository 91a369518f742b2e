public import IdentifiedCollections

/// What a hub tells of itself, as replicated state under `StateRoot.hub`.
@Replicated
public struct HubState: Equatable, Sendable {
  /// Who is attached: every open session, in the order in which they came.
  public var attendees: IdentifiedArrayOf<Attendee> = []

  /// Creates the state of a hub that nobody has come to.
  public init() {}
}

/// One who is attached to a hub.
@Replicated
public struct Attendee: Equatable, Identifiable, Sendable {
  /// A number that the hub gave the connection; never given again.
  public var id: UInt64
  /// What the client calls itself.
  public var name: String
  /// The process at the time it connected, as the kernel says.
  public var process: Int32
  /// Its effective user.
  public var user: UInt32

  /// Creates an attendee.
  public init(id: UInt64, name: String, process: Int32, user: UInt32) {
    (self.id, self.name, self.process, self.user) = (id, name, process, user)
  }
}
