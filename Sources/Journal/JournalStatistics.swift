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
  /// The duration of the last commit of turns, with its sync; nil before the first.
  public internal(set) var lastCommit: Duration?
  /// The newest complete snapshot, also one of an earlier process; nil if there is none.
  public internal(set) var snapshot: Snapshot?

  /// The place of a snapshot.
  public struct Snapshot: Equatable, Sendable {
    /// The last turn that it includes.
    public let position: UInt64
    /// Its revision.
    public let revision: UInt64
    /// The time of that turn, in milliseconds since 1970.
    public let time: Int64

    init(_ row: SnapshotRow) { (position, revision, time) = (row.position, row.revision, row.time) }
  }
}
