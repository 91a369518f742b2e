/// The durability and retention of a journal's turns.
public struct JournalOptions: Equatable, Sendable {
  /// The time at which turns are committed.
  public enum CommitSchedule: Equatable, Sendable {
    /// As soon as the previous commit is done. All waiting turns form one commit.
    case sync
    /// At most once per window.
    case async(window: Duration)
  }

  /// The time at which turns are committed.
  public var commits = CommitSchedule.sync
  /// The number of sessions to keep. Beyond it, the least recently active session is removed.
  public var sessionLimit = 16_384
  /// The time for which a session is kept after its last activity, measured by the journal's time: that of its last
  /// turn. A step of the clock by more than an hour counts after an hour.
  public var sessionExpiry = Duration.seconds(7 * 24 * 3600)
  /// The time for which turns are kept that recovery does not need.
  public var retention = Duration.seconds(30 * 24 * 3600)
  /// The number of bytes of turns to keep if recovery does not need them.
  public var retainedBytes = 1 << 30
  /// The largest piece of a snapshot in one row.
  public var pieceBytes = 60 << 10
  /// The largest file, in bytes, whose structure is checked when it is opened. `verify` checks files of any size.
  public var checkedBytes = 64 << 20
  /// The largest step of the clock that counts at once, and the time for which a larger one must last. For tests.
  package var longestClockStep = Duration.seconds(3600)
  /// The name of the SQLite VFS that does the I/O; nil for the default. For tests.
  package var vfs: String?
  /// The size in pages at which the write-ahead log is copied into the database. For tests.
  package var checkpointPages = 1024
  /// The number of bytes after which a copy of the write-ahead log into the database is synced. For tests.
  package var copiedBytesPerSync = 128 << 10
  /// The number of pages by which the file of the write-ahead log is extended before they are needed. For tests.
  package var extensionPages = 64
  /// The number of turns after which the sessions that they changed are written to the table `sessions`. For tests.
  package var sessionTurns: UInt64 = 4096
  /// The page size of a new database. For tests.
  package var pageSize = 4096

  /// Creates the options of a service: no acknowledged action is lost, and turns are kept for 30 days or 1 GiB.
  public init() {}
}

extension JournalOptions.CommitSchedule {
  /// Commits at most ten times a second.
  public static let async = Self.async(window: .milliseconds(100))
}

extension Duration {
  /// The duration in whole milliseconds.
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
