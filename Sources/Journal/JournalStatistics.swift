/// What a journal has done since it was opened.
public struct JournalStatistics: Equatable, Sendable {
  /// How many times turns were committed.
  public internal(set) var commits = 0
  /// How many turns were stored.
  public internal(set) var turns: UInt64 = 0
  /// How often the write-ahead log was copied into the database.
  public internal(set) var checkpoints = 0
  /// How many turns got the time of the turn before, because the clock went backwards.
  public internal(set) var clockSteps = 0
}
