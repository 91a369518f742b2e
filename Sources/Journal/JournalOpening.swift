public import TurnLog

/// A journal that is locked and can be read, and whose history was not changed.
///
/// ```swift
/// let opening = try JournalOpening(directory: "/var/lib/storehub")
/// while let turn = try opening.history.next() { … }
/// let journal = try opening.start { event in … }
/// ```
///
/// A program that cannot use the state releases the value. An older version of the program can then still open the
/// journal, whose tables `start` may change.
public struct JournalOpening: ~Copyable {
  /// The contents of the journal.
  public let history: JournalHistory
  private let opened: OpenedDatabase
  private let directory: StateDirectory
  private let lock: DirectoryLock
  private let options: JournalOptions

  /// True if a directory has no journal, so that opening it would create one. False for one that this process may not
  /// search: opening it fails with that reason.
  public static func wouldCreate(in path: String) -> Bool {
    let directory = StateDirectory(path: path)
    return directory.isSearchable && !StateDirectory.hasContents(directory.database)
  }

  /// Locks and checks the journal in a directory, or creates one.
  ///
  /// - Parameters:
  ///   - path: The directory of the files. It is created if missing, but its parents are not.
  ///   - options: The durability and retention of turns.
  /// - Throws: `inUse` with the process that uses it, `damaged` with the last sound revision, `unknownFormat`, or
  ///   `storage`. In these cases the history is as it was.
  /// - Complexity: O(snapshot + sessions), and O(file) for files of at most `JournalOptions.checkedBytes`.
  public init(directory path: String, options: JournalOptions = JournalOptions()) throws(LogError) {
    let directory = StateDirectory(path: path)
    try directory.create()
    let lock = try DirectoryLock(directory)
    // The previous process may have ended while it copied.
    directory.removeGivenDatabase()
    var opened = try OpenedDatabase(directory, options: options)
    history = try JournalHistory(&opened, in: directory, options: options)
    (self.opened, self.directory, self.lock, self.options) = (opened, directory, lock, options)
  }

  /// Starts the thread that writes the journal. Turns of `history` can be read afterwards too.
  ///
  /// - Parameter onEvent: Receives the outcomes of appends and saves, in order, on the journal's thread. It must not
  ///   block or close the journal.
  /// - Throws: `storage` or `full`.
  public consuming func start(onEvent: @escaping @Sendable (LogEvent) -> Void) throws(LogError) -> Journal {
    try Journal(opened, in: directory, lock: lock, options: options, onEvent: onEvent)
  }
}
