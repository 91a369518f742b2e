internal import ReplicaCore

/// An action that a client has taken, and sends until its outcome is known.
///
/// ```swift
/// let sent = try await hub.begin(.todos(.addButtonTapped("oat milk")))
/// try await sent.applied()
/// ```
public struct SentAction: Sendable {
  private let connection: AsyncConnection
  private let ticket: ActionTicket
  private let outcome: ActionOutcome

  init(connection: AsyncConnection, ticket: ActionTicket, outcome: ActionOutcome) {
    (self.connection, self.ticket, self.outcome) = (connection, ticket, outcome)
  }

  /// Returns when the hub has applied the action, and has stored it if it has a journal.
  ///
  /// - Throws: `ActionError`, which says why the action has no effect, or that its outcome is unknown. If the task is
  ///   cancelled first, `CancellationError`: the action is not taken back.
  public func applied() async throws { try await outcome.wait() }

  /// Cancels the effects that the action has started in the hub and that still run. The action itself stays.
  public func cancelEffects() async { await connection.cancelEffects(of: ticket) }
}
