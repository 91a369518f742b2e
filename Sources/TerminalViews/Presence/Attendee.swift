/// Somebody who is attached to the hub.
public nonisolated struct Attendee: Equatable, Identifiable, Sendable {
  /// Tells attachments apart; one process may have several.
  public var id: UInt64
  /// What the client calls itself.
  public var name: String
  /// The client's process.
  public var process: Int32
  /// The user whose process it is.
  public var user: UInt32

  /// Creates an attendee.
  public init(id: UInt64, name: String, process: Int32, user: UInt32) {
    (self.id, self.name, self.process, self.user) = (id, name, process, user)
  }
}
