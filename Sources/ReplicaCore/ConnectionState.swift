/// The state of a client's connection to its hub.
public enum ConnectionState: Equatable, Sendable {
  /// There is no state yet; `failure` says why the last attempt did not succeed.
  case connecting(attempt: Int, failure: String?)
  /// The state is the hub's.
  case live
  /// The connection is lost, and attempts to reconnect go on. The state is the hub's of `since`, a time of the client's
  /// clock: the hub's last sign of life.
  case stale(since: Duration, attempt: Int, reason: String)
  /// The hub and this client cannot work together; no attempt is made any more.
  case refused(reason: String)
  /// The client was closed.
  case closed
}

/// Why an action of this client did not take effect, or may not have.
public enum ActionError: Error, Equatable, Sendable {
  /// The hub refused it.
  case rejected(code: UInt64, reason: String)
  /// It was sent, and then the hub that could report its outcome was gone: it may or may not have taken effect.
  case outcomeUnknown
  /// Too many actions are pending; this one was not kept.
  case tooManyPending(limit: Int)
  /// It is larger than what the hub accepts.
  case tooLarge(bytes: Int, limit: Int)
  /// The client is closed, or the hub refuses to work with it.
  case notConnected(reason: String)
}

extension ActionError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .rejected(_, let reason): "the hub refused the action: \(reason)"
    case .outcomeUnknown: "the hub restarted before it answered: the action may or may not have taken effect"
    case .tooManyPending(let limit): "\(limit) actions are pending already; try again when the hub answers"
    case .tooLarge(let bytes, let limit): "the action has \(bytes) bytes and the hub takes at most \(limit)"
    case .notConnected(let reason): "not sent: \(reason)"
    }
  }
}
