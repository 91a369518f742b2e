public import CasePaths
public import ReplicaCore

/// What a feature learns of a hub whose state is a part of its own: the payload of the case that `hub` names as `event`.
@CasePathable
public nonisolated enum MirrorEvent<Action> {
  /// The hub's state has changed. The feature's state has the new one already.
  case changed
  /// An action that was sent to the hub had no effect, or its outcome is unknown.
  case failed(Action, ActionError)
  /// The connection to the hub has changed. It is also sent once when the store is created.
  case connection(ConnectionState)
}

extension MirrorEvent: Equatable where Action: Equatable {}
extension MirrorEvent: Sendable where Action: Sendable {}
