internal import SQLite
internal import TurnLog

/// The files of a journal in use.
///
/// A process that has a file open can write to it after it was removed or moved away, and everything in it would be gone
/// with the process.
struct JournalFiles {
  private let directory: StateDirectory
  private let files: [(path: String, identity: FileIdentity)]

  /// Remembers the files of a journal whose first transaction is committed.
  init(_ directory: StateDirectory) throws(LogError) {
    self.directory = directory
    var files: [(String, FileIdentity)] = []
    for path in [directory.database, directory.writeAheadLog, directory.tail] {
      guard let identity = FileIdentity(path) else { throw .system("find", path) }
      files.append((path, identity))
    }
    self.files = files
  }

  /// Throws if one of the files was removed, moved away or replaced.
  ///
  /// - Parameter revision: The last revision that was reported as stored.
  func check(revision: UInt64) throws(LogError) {
    for (path, identity) in files where FileIdentity(path) != identity {
      throw LogError(
        .storage,
        """
        \(path) was removed, moved away or replaced while the hub used it; nothing after revision \(revision) was \
        acknowledged. Put the files back or restore a backup into \(directory.path), then start the hub again
        """, soundRevision: revision)
    }
  }
}
