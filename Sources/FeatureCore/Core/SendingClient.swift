/// The client whose actions a hub reduces.
public struct SendingClient: Sendable {
  /// Its session; 0 for the hub itself.
  @usableFromInline package let session: UInt64
  /// The revision of the last state that it had received when it sent the actions; nil if it has not said so.
  @usableFromInline package let seenRevision: UInt64?
  /// The number of its first action, if the client may cancel the effects of its actions by their numbers; otherwise 0.
  @usableFromInline package var firstNumber: UInt64

  /// Creates the sender of a frame.
  package init(session: UInt64, seenRevision: UInt64?, firstNumber: UInt64 = 0) {
    (self.session, self.seenRevision, self.firstNumber) = (session, seenRevision, firstNumber)
  }

  /// The hub itself, which has seen everything.
  package static let hub = SendingClient(session: 0, seenRevision: nil)
}
