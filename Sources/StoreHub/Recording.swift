public import HubCore
public import TurnLog

/// How a hub is recorded, so that it goes on after a restart where it was.
public nonisolated struct Recording: Sendable {
  /// Where turns are stored.
  public let log: any TurnLog
  /// Where the log's events come in.
  public let mailbox: LogMailbox
  /// When acknowledgements, deltas and effects leave.
  public let durability: Durability

  /// Creates a recording.
  public init(log: any TurnLog, mailbox: LogMailbox, durability: Durability) {
    (self.log, self.mailbox, self.durability) = (log, mailbox, durability)
  }
}
