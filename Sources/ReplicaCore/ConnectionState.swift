/// The state of a client's connection to its hub.
public enum ConnectionState: Equatable, Sendable {
  /// The client has no state yet; `failure` is the reason why the last attempt failed.
  case connecting(attempt: Int, failure: String?)
  /// The client's state is up to date.
  case live
  /// The connection is lost, and attempts to reconnect continue. The client's state is that of `since`, the time of the
  /// hub's last sign of life on the client's clock.
  case stale(since: Duration, attempt: Int, reason: String)
  /// The hub and this client are incompatible; there are no further attempts.
  case refused(reason: String)
  /// The client was closed.
  case closed
}

/// The reasons why an action of this client did not, or may not, take effect.
public enum ActionError: Error, Equatable, Sendable {
  /// The hub rejected it.
  case rejected(code: UInt64, reason: String)
  /// It was sent, but the connection to the hub was lost before its outcome was known. It may have taken effect.
  case outcomeUnknown
  /// It waited to be sent, and the hub came back without states that this client may have seen
  /// (`ReplicaOptions.sendsAfterLoss`). It has no effect on the hub's state.
  case stateLost
  /// Too many actions are pending; this one was discarded.
  case tooManyPending(limit: Int)
  /// It is larger than the hub's limit.
  case tooLarge(bytes: Int, limit: Int)
  /// The hub could not read it, for example because its values are nested too deep; it was not sent.
  case unreadable(reason: String)
  /// The actions that wait in the outbox have too many bytes; this one was discarded.
  case outboxFull(limit: Int)
  /// The outbox could not store it, so it was not sent.
  case notStored(reason: String)
  /// The client was closed before its outcome was known. The outbox keeps it, and the next client with this outbox sends
  /// it, or learns its outcome.
  case keptInOutbox
  /// The client is closed, or the hub refused it.
  case notConnected(reason: String)
}

extension ActionError: CustomStringConvertible {
  /// The problem, and the remedy.
  public var description: String {
    switch self {
    case .rejected(_, let reason): "the hub refused the action: \(reason)"
    case .outcomeUnknown: "the hub restarted before it answered: the action may or may not have taken effect"
    case .stateLost: "not sent: the hub came back without its last state; see what it has now, and repeat it if needed"
    case .tooManyPending(let limit): "\(limit) actions are pending already; try again when the hub answers"
    case .tooLarge(let bytes, let limit): "the action has \(bytes) bytes and the hub takes at most \(limit)"
    case .unreadable(let reason): "not sent, because the hub could not read the action: \(reason)"
    case .outboxFull(let limit): "actions of \(limit) bytes wait in the outbox already; try again when the hub answers"
    case .notStored(let reason): "not sent, because the outbox could not store the action: \(reason)"
    case .keptInOutbox: "the client was closed before the hub answered; the outbox keeps the action for the next client"
    case .notConnected(let reason): "not sent: \(reason)"
    }
  }
}
