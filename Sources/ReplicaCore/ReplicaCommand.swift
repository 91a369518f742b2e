public import Wire

/// Names an action that this client sent; later ones have greater numbers, whatever session they go through.
public struct ActionTicket: Hashable, Comparable, Sendable {
  let number: UInt64

  public static func < (lhs: ActionTicket, rhs: ActionTicket) -> Bool { lhs.number < rhs.number }
}

/// What the shell must do for the replica, in order.
///
/// A `context` is the object that the shell gave with the action or the subscription.
public enum ReplicaCommand {
  /// Try to connect; answer with `connected` or `disconnected`.
  case connect
  /// Close the connection; nothing more is expected of it.
  case disconnect
  /// Write a range of `ReplicaCore.output`; call `drained` later if the socket did not take all of it at once.
  case write(Range<Int>)
  /// A mirror has another value, has one again, or has none any more. It comes once for each mirror between two `clear()`.
  case changed(any Mirror, context: AnyObject?)
  /// A mirror has not the value that the hub has, though it should; it is being replaced.
  case diverged(any Mirror, Divergence)
  /// `connection` is another one.
  case connectionChanged
  /// The hub applied an action.
  case applied(ActionTicket, context: AnyObject?)
  /// An action did not take effect, or may not have.
  case failed(ActionTicket, context: AnyObject?, ActionError)
}

/// Two states that should be the same and are not: a defect in the code of the hub or of the client.
public struct Divergence: Equatable, Sendable {
  /// The hub's revision when it was noticed.
  public let revision: UInt64
  /// The hash of the state that was here.
  public let here: StateHash
  /// The hash of the hub's.
  public let there: StateHash
}

extension Divergence: CustomStringConvertible {
  /// What happened, and what became of it.
  public var description: String {
    """
    at revision \(revision) the state here had the hash \(here) and the hub's \(there): one of the two is defective; the hub's \
    state is taken
    """
  }
}
