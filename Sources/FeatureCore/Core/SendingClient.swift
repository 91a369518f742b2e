/// The client whose actions a hub reduces.
public struct SendingClient: Sendable {
  /// Its session; 0 for the hub itself.
  @usableFromInline package let session: UInt64
  /// The revision of the last state that it had received when it sent the actions; nil if it has not said so.
  @usableFromInline package let seenRevision: UInt64?

  /// Creates the sender of a frame.
  package init(session: UInt64, seenRevision: UInt64?) {
    (self.session, self.seenRevision) = (session, seenRevision)
  }

  /// The hub itself, which has seen everything.
  package static let hub = SendingClient(session: 0, seenRevision: nil)
}
