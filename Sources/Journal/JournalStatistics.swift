/// Statistics of a journal since it was opened.
public struct JournalStatistics: Equatable, Sendable {
  /// The number of commits of turns.
  public internal(set) var commits = 0
  /// The number of stored turns.
  public internal(set) var turns: UInt64 = 0
  /// The number of times that the write-ahead log was copied into the database.
  public internal(set) var checkpoints = 0
  /// The number of turns that received the time of the previous turn because the clock went backwards.
  public internal(set) var clockSteps = 0
}
