public import Wire

/// Identifies a sent action. Later actions have greater numbers, across sessions.
public struct ActionTicket: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }

  public static func < (lhs: ActionTicket, rhs: ActionTicket) -> Bool { lhs.number < rhs.number }
}

/// A command that the shell must execute for the replica, in order.
///
/// A `context` is the object that the shell passed with the action or the subscription.
public enum ReplicaCommand {
  /// Try to connect; then call `connected` or `disconnected`.
  case connect
  /// Close the connection; no further calls about it are expected.
  case disconnect
  /// Write a range of `ReplicaCore.output`. Call `drained` later if the socket did not accept all of it at once.
  case write(Range<Int>)
  /// Store the changes of the outbox (`ReplicaCore.takeOutboxChanges`), before the commands after this one. Only for a
  /// replica with an outbox.
  case store
  /// The value of a mirror was replaced, added or removed; at most one command per mirror between two `clear()`.
  case changed(any Mirror, context: AnyObject?)
  /// The value of a mirror differs from the hub's because of a defect, and is being replaced.
  case diverged(any Mirror, Divergence)
  /// `connection` has changed.
  case connectionChanged
  /// The hub applied an action.
  case applied(ActionTicket, context: AnyObject?)
  /// An action did not, or may not, take effect.
  case failed(ActionTicket, context: AnyObject?, ActionError)
}

/// Two states that should be equal but differ, because of a defect in the code of the hub or the client.
public struct Divergence: Equatable, Sendable {
  /// The hub's revision at which the difference was detected.
  public let revision: UInt64
  /// The hash of the client's state.
  public let here: StateHash
  /// The hash of the hub's state.
  public let there: StateHash
}

extension Divergence: CustomStringConvertible {
  /// A description of the problem and of its correction.
  public var description: String {
    """
    at revision \(revision) the state here had the hash \(here) and the hub's \(there): one of the two is defective; the hub's \
    state is taken
    """
  }
}
