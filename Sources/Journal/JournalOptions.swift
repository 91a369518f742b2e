/// How a journal stores turns, and for how long.
public struct JournalOptions: Equatable, Sendable {
  /// When turns are committed.
  public enum Durability: Equatable, Sendable {
    /// As soon as the commit before is done; all turns that wait are one commit.
    case sync
    /// At most once in this time.
    case async(window: Duration)
  }

  /// When turns are committed.
  public var durability = Durability.sync
  /// How many sessions are kept; beyond it the one whose last activity is oldest is forgotten.
  public var sessionLimit = 16_384
  /// How long a session is kept after its last activity, in the time of the journal: that of its last turn.
  public var sessionExpiry = Duration.seconds(7 * 24 * 3600)
  /// How long turns are kept that recovery does not need.
  public var retention = Duration.seconds(30 * 24 * 3600)
  /// How many bytes of turns are kept if recovery does not need them.
  public var retainedBytes = 1 << 30
  /// How many bytes of turns may wait for the writer; `append` blocks while there are more.
  ///
  /// This bounds memory as a last resort. A hub stops reading from its clients long before.
  public var queueBytes = 64 << 20
  /// The largest piece of a snapshot in one row.
  public var pieceBytes = 60 << 10
  /// The largest file, in bytes, whose structure is checked when it is opened; `verify` checks any.
  public var checkedBytes = 64 << 20
  /// The name of the SQLite VFS that does the I/O; nil for the ordinary one. For tests.
  package var vfs: String?
  /// How large the write-ahead log grows before it is copied into the database, in pages. For tests.
  package var checkpointPages = 4096

  /// The size of the pages of a new database. For tests.
  package var pageSize = 4096

  /// Creates the options of a service: nothing acknowledged is lost, and turns are kept for 30 days or 1 GiB.
  public init() {}
}

extension JournalOptions.Durability {
  /// Commits at most ten times a second.
  public static let async = Self.async(window: .milliseconds(100))
}

extension Duration {
  /// The duration in whole milliseconds.
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
