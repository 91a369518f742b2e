public import ReplicaCore
internal import Wire

/// The outcome of an action that an earlier process of a client has sent, or was about to.
///
/// ```swift
/// client.onRecoveredOutcome = { outcome in
///   if case .failure(let error) = outcome.result { print("\(outcome.action.map { "\($0)" } ?? "?"): \(error)") }
/// }
/// ```
public struct RecoveredOutcome<Action> {
  /// The action; nil if an earlier version of the program has stored it, and this one has no such action.
  public let action: Action?
  /// Success if it took effect, once; or the reason why it did not, or may not have.
  public let result: Result<Void, ActionError>

  /// Creates the outcome of an action.
  public init(action: Action?, result: Result<Void, ActionError>) { (self.action, self.result) = (action, result) }
}

/// An action of an earlier process, until its outcome is known.
final class RecoveredAction<Action: WireValue> {
  let action: Action?

  init(_ bytes: [UInt8]) { action = try? Action(decoding: bytes.span.bytes) }
}
