internal import Glibc
internal import SQLite
package import TurnLog
package import Wire

/// The base of another node's journal, while its pieces arrive. The files are in a directory of their own below the state
/// directory, where no hub takes them for its journal.
package final class ArrivingBase {
  private let directory: StateDirectory
  private let descriptor: CInt

  /// Begins a file in place of what an earlier attempt has left.
  ///
  /// - Parameter path: The state directory.
  package init(in path: String) throws(LogError) {
    directory = StateDirectory(path: path).received
    directory.removeReceived()
    try directory.create()
    guard let descriptor = try StateDirectory.create(directory.database) else {
      throw .system("create", directory.database, EEXIST)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Writes the next piece.
  package func append(_ piece: [UInt8]) throws(LogError) {
    var written = 0
    while written < piece.count {
      let count = piece.withUnsafeBytes {
        write(descriptor, $0.baseAddress?.advanced(by: written), piece.count - written)
      }
      guard count > 0 else { throw .system("write", directory.database) }
      written += count
    }
  }

  /// Removes what was received.
  package static func remove(in path: String) { StateDirectory(path: path).received.removeReceived() }
}

extension JournalTool {
  /// The steps after each of which the replacement of a journal may be interrupted. The state directory then has the
  /// journal that it had, or the new one.
  package enum InstallStep: CaseIterable {
    case keptAside, tailRemoved, replaced, recorded, complete
  }

  /// Checks the received base of another journal, down to each row, and makes it survive a loss of power.
  ///
  /// - Parameters:
  ///   - path: The state directory.
  ///   - place: The place in another log at which the base must end.
  ///   - turn: The last turn up to it.
  ///   - schema: The schema of the program.
  /// - Throws: `damaged` if it is not such a journal; `storage`.
  /// - Complexity: O(size of the base).
  package static func checkBase(
    in path: String, place: [UInt8], turn: UInt64, schema: SchemaFingerprint
  ) throws(LogError) {
    try StateDirectory(path: path).received.checkReceived(place: place, turn: turn, schema: schema)
  }

  /// Replaces the journal of a state directory, which no hub uses, by the received base of another one, which was
  /// checked.
  ///
  /// A journal with turns is kept beside it under another name. The newest `keptJournals` of those remain: the one that
  /// was just replaced, and the one before, whose history may be longer. More would fill the disk of a node that is away
  /// often, and the other nodes have the same history.
  ///
  /// - Parameters:
  ///   - path: The state directory.
  ///   - step: Called after each step.
  /// - Returns: The path of the previous journal; nil if it had no turns.
  /// - Throws: `inUse`, `storage` and `full`.
  package static func installBase(
    in path: String, after step: (InstallStep) throws(LogError) -> Void = { (_) throws(LogError) in }
  ) throws(LogError) -> String? {
    let directory = StateDirectory(path: path)
    let received = directory.received
    let lock = try DirectoryLock(directory)
    defer { lock.release() }
    let kept = try directory.keepAside()
    try step(.keptAside)
    // Its record would be that of another history. Without one, either database is taken for a copy, which is sound.
    unlink(directory.tail)
    try directory.sync()
    try step(.tailRemoved)
    for file in [directory.writeAheadLog, directory.sharedMemory] { unlink(file) }
    // SQLite must never find the old log beside the new database.
    try directory.sync()
    guard rename(received.database, directory.database) == 0 else { throw .system("replace", directory.database) }
    try directory.sync()
    try step(.replaced)
    let head = try directory.attempt { () throws(SQLiteError) -> Head? in
      let database = try Database(directory.database, vfs: nil)
      defer { database.close() }
      return try HeadStatement(database).load()
    }
    if let head { try directory.recordEnd(head) }
    try step(.recorded)
    // Only now can nothing of them be needed any more.
    directory.removeOlderJournals()
    received.removeReceived()
    try step(.complete)
    return kept
  }
}

extension JournalTool {
  /// The number of replaced journals that are kept.
  package static let keptJournals = 2
}

/// A journal that was replaced, in a file `journal.db.before-N`.
private struct ReplacedJournal {
  let number: Int
  let path: String
  let file: FileIdentity
}

/// A file, whatever its names are.
private struct FileIdentity: Hashable {
  let device, node: UInt64

  /// Looks at a name; nil if it is not that of a regular file.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}

extension StateDirectory {
  /// The journals that were replaced, the last one first.
  private var replacedJournals: [ReplacedJournal] {
    guard let files = opendir(path) else { return [] }
    defer { closedir(files) }
    var found: [ReplacedJournal] = []
    while let file = readdir(files) {
      let name = withUnsafeBytes(of: file.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let match = name.wholeMatch(of: /journal\.db\.before-([1-9][0-9]{0,17})/), let number = Int(match.1),
        let identity = FileIdentity("\(path)/\(name)")
      else { continue }
      found.append(ReplacedJournal(number: number, path: "\(path)/\(name)", file: identity))
    }
    return found.sorted { $0.number > $1.number }
  }

  /// Removes all replaced journals but the newest ones. Several names of one file, which installations leave that were
  /// interrupted, count once.
  fileprivate func removeOlderJournals() {
    var kept: Set<FileIdentity> = []
    for journal in replacedJournals {
      if kept.count < JournalTool.keptJournals, kept.insert(journal.file).inserted { continue }
      unlink(journal.path)
    }
  }

  /// Removes what another node has sent.
  fileprivate func removeReceived() {
    for file in [database, writeAheadLog, sharedMemory, database + "-journal", tail, lock] { unlink(file) }
    rmdir(path)
  }

  fileprivate func checkReceived(place: [UInt8], turn: UInt64, schema: SchemaFingerprint) throws(LogError) {
    let others = try attempt { () throws(SQLiteError) -> Int64? in
      let file = try Database(database, vfs: nil, keepsWAL: true)
      defer { file.close() }
      try file.run("PRAGMA trusted_schema = OFF", for: "check what was received")
      let names = (Tables.definitions.map(\.key) + ["place"]).map { "'\($0)'" }.joined(separator: ", ")
      return try file.run(
        "SELECT count(*) FROM sqlite_schema WHERE type <> 'table' OR name NOT IN (\(names)) OR tbl_name <> name",
        for: "check what was received")
    }
    guard others == 0 else { throw damagedBase("it has tables that no journal has") }
    let report = try JournalTool.verify(path)
    guard report.isSound else { throw damagedBase(report.problems.joined(separator: "; ")) }
    // Without a snapshot there is no problem, but no hub could start.
    guard report.soundRevision == report.lastRevision else { throw damagedBase("it does not have all of the state") }
    let ending = try JournalReader(path).ending()
    guard ending.place == place, ending.turn == turn else { throw damagedBase("it ends at another place of the log") }
    guard ending.schema == schema else { throw damagedBase("its state has another schema") }
    guard !Self.hasContents(writeAheadLog) else { throw damagedBase("a write-ahead log is beside it") }
    try FileCopy.sync(database)
  }

  private func damagedBase(_ reason: String) -> LogError {
    LogError(.damaged, "the snapshot of another node cannot be used: \(reason)")
  }

  /// Gives the database a second name if it has turns, and returns that. If an interrupted installation has done so, it
  /// is the same name.
  fileprivate func keepAside() throws(LogError) -> String? {
    guard Self.hasContents(database) else { return nil }
    let head = try attempt { () throws(SQLiteError) -> Head? in
      let file = try Database(database, vfs: nil)
      defer { file.close() }
      try file.checkpoint(truncating: true)
      return try HeadStatement(file).load()
    }
    guard !Self.hasContents(writeAheadLog) else {
      throw LogError(.inUse, "another program reads \(database): end it, and \(user.retry)")
    }
    if let head, head.tail.position == 0 { return nil }
    let journals = replacedJournals
    let own = FileIdentity(database)
    if let known = journals.first(where: { $0.file == own }) { return known.path }
    let name = "\(database).before-\((journals.first?.number ?? 0) + 1)"
    // A file system without links gets a copy.
    if link(database, name) != 0 { try FileCopy.copy(database, to: name) }
    try sync()
    return name
  }
}
