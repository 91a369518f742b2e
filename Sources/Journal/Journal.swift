internal import SQLite
internal import Synchronization
public import TurnLog
public import Wire

/// A log of turns in an SQLite database on this machine.
///
/// A separate thread writes them. Each commit takes all waiting turns (group commit). `docs/DURABILITY.md` describes
/// the guarantees, the tables and the failures.
///
/// ```swift
/// let opening = try JournalOpening(directory: "/var/lib/storehub")
/// while let turn = try opening.history.next() { … }
/// let journal = try opening.start { event in … }
/// journal.begin(schema: schema)
/// journal.append([turn])     // `onEvent(.stored(upTo: 1))` follows, on the journal's thread
/// journal.close()
/// ```
public final class Journal: TurnLog {
  /// The identity of the history.
  public let epoch: Epoch
  let directory: StateDirectory
  let options: JournalOptions
  private let writer: Writer
  private let isClosed = Mutex(false)
  private let lock: DirectoryLock
  private let reader = Mutex<ReaderBox>(ReaderBox())

  private struct ReaderBox: @unchecked Sendable {
    // Sendable: the reader is used only under the mutex.
    var reader: TurnReader?
  }

  init(
    _ opened: OpenedDatabase, in directory: StateDirectory, lock: DirectoryLock, options: JournalOptions,
    onEvent: @escaping @Sendable (LogEvent) -> Void
  ) throws(LogError) {
    (self.directory, self.lock, self.options, epoch) = (directory, lock, options, opened.head.epoch)
    var opened = opened
    writer = try directory.attempt { () throws(SQLiteError) in
      // The log may end with frames of an interrupted commit, which SQLite ignores. They must not follow later
      // commits, where `WALScan` could not tell them from damage. And after a failed sync, frames that SQLite has read
      // may not be on the disk; they reach the database before anything else is stored.
      let isEmptied = try opened.database.checkpoint(truncating: true)
      try opened.upgrade()
      let writer = try Writer(opened, in: directory, lock: lock, options: options, onEvent: onEvent)
      // Another program that reads the database may have prevented it.
      writer.hasAbortedFrames = !isEmptied
      return writer
    }
    try writer.start()
  }

  deinit { close() }

  /// Opens the journal in a directory, or creates one, and starts to write.
  ///
  /// - Parameters:
  ///   - directory: The directory of the files. It is created if missing, but its parents are not.
  ///   - options: The durability and retention of turns.
  ///   - onEvent: Receives the outcomes of appends and saves, in order, on the journal's thread. It must not block or
  ///     close the journal.
  /// - Returns: The journal and its contents.
  /// - Throws: The errors of `JournalOpening`.
  /// - Complexity: O(snapshot + sessions), and O(file) for files of at most `JournalOptions.checkedBytes`.
  public static func open(
    directory: String, options: JournalOptions = JournalOptions(),
    onEvent: @escaping @Sendable (LogEvent) -> Void
  ) throws(LogError) -> (journal: Journal, history: JournalHistory) {
    let opening = try JournalOpening(directory: directory, options: options)
    let history = opening.history
    return (try opening.start(onEvent: onEvent), history)
  }

  /// Sets the schema of the turns and snapshots that follow: before the first of them, and whenever it changes.
  public func begin(schema: Schema) { writer.queue.begin(schema) }

  /// Appends turns; `stored`, `conflict` or `failed` follows.
  ///
  /// Returns immediately, however many turns wait; a program that appends faster than the disk bounds `waitingBytes`, as
  /// a hub does by `HubLimits.unstoredBytes`.
  /// - Precondition: A schema has been set.
  public func append(_ turns: [LoggedTurn]) { writer.queue.append(turns) }

  /// Appends turns together with the place in another log at which they end, which `JournalHistory.place` returns after
  /// the next start. Both are stored in one commit.
  ///
  /// - Parameters:
  ///   - turns: The turns; there may be none if only the place has changed.
  ///   - place: The place, in the program's own encoding. It replaces the previous one.
  public func append(_ turns: [LoggedTurn], place: [UInt8]) { writer.queue.append(turns, place: place) }

  /// Saves a snapshot in steps between commits of turns; `saved` or `snapshotFailed` follows.
  ///
  /// A newer snapshot replaces one that is waiting or being saved. The newest two are kept.
  public func save(_ snapshot: LogSnapshot) { writer.queue.save(snapshot) }

  /// The position of the last stored turn; 0 if there is none.
  public var tail: UInt64 { writer.status.withLock { $0.tail } }

  /// The approximate number of bytes of turns that wait to be stored.
  public var waitingBytes: Int { writer.queue.waitingBytes }

  /// Statistics since the journal was opened.
  public var statistics: JournalStatistics { writer.status.withLock { $0.statistics } }

  /// The sizes of the files in bytes: the database, and its write-ahead log.
  public var fileBytes: (database: Int, log: Int) {
    (StateDirectory.size(of: directory.database), StateDirectory.size(of: directory.writeAheadLog))
  }

  /// Reads stored turns in order, on the calling thread.
  public func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] {
    try withReader { reader throws(LogError) in try reader.read(from: position, byteLimit: byteLimit) }
  }

  /// The last turn with at most this revision; nil if it is no longer kept.
  ///
  /// - Complexity: O(log n) reads.
  public func position(of revision: UInt64) throws(LogError) -> UInt64? {
    try withReader { reader throws(LogError) in try reader.position(of: revision) }
  }

  private func withReader<Result>(_ body: (TurnReader) throws(LogError) -> Result) throws(LogError) -> Result {
    try reader.withLock { box throws(LogError) in
      let reader: TurnReader
      if let open = box.reader {
        reader = open
      } else {
        reader = try directory.attempt { () throws(SQLiteError) in try TurnReader(directory, options: options) }
        box.reader = reader
      }
      return try body(reader)
    }
  }

  /// Allows the journal to remove the turns before a position, except those that snapshots need.
  public func trim(before position: UInt64) { writer.queue.trim(before: position) }

  /// Writes all waiting turns, marks the journal as cleanly closed, and ends its thread. Must not be called from
  /// `onEvent`.
  public func close() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    reader.withLock { $0.reader = nil }
    writer.stop()
    lock.release()
  }
}
