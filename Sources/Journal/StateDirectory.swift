internal import Glibc
internal import TurnLog

/// The directory of a journal and the files in it.
struct StateDirectory {
  /// The program that uses it, for the advice in errors.
  enum User {
    case hub, tool

    /// The advice for the time after the cause of an error is removed.
    var retry: String { self == .hub ? "start the hub again" : "repeat the command" }
  }

  let path: String
  var user = User.hub

  /// The database.
  var database: String { path + "/journal.db" }
  /// Its write-ahead log, as SQLite names it.
  var writeAheadLog: String { database + "-wal" }
  /// The index of the write-ahead log, which SQLite can rebuild.
  var sharedMemory: String { database + "-shm" }
  /// The recorded end of the history; see `TailRecord`.
  var tail: String { path + "/journal.tail" }
  /// The database that a repair builds.
  var newDatabase: String { database + ".new" }
  /// The copy that a tool reads if the first page of the database is damaged.
  var restoredDatabase: String { database + ".restored" }
  /// The database for another node of a cluster, while it is written. It has no name when it is complete.
  var givenDatabase: String { database + ".given" }
  /// The directory of a database that another node of a cluster sends.
  var received: StateDirectory { StateDirectory(path: path + "/received", user: user) }
  /// The lock file, which names the process that uses the journal.
  var lock: String { path + "/journal.lock" }

  /// Creates the directory if it is missing.
  func create() throws(LogError) {
    if mkdir(path, 0o700) == 0 { return try sync(parent) }
    var status = stat()
    guard errno == EEXIST else { throw .system("create the directory", path) }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw LogError(.storage, "\(path) is not a directory; name another state directory")
    }
  }

  /// Syncs the directory, so that the names of new files survive a loss of power.
  func sync() throws(LogError) { try sync(path) }

  private var parent: String { Self.parent(of: path) }

  private static func parent(of path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func sync(_ directory: String) throws(LogError) {
    let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open the directory", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system("sync the directory", directory) }
  }

  /// Locks a directory with a journal. In one without a journal, no lock file is created.
  func lockJournal() throws(LogError) -> DirectoryLock {
    guard [database, newDatabase].contains(where: Self.hasContents) else { throw try noJournal() }
    for file in [database, writeAheadLog, sharedMemory, tail, newDatabase] { try Self.checkKind(of: file) }
    return try DirectoryLock(self)
  }

  /// The error for a directory whose database is missing or empty. Other files may show that there was one.
  func noJournal() throws(LogError) -> LogError {
    guard isSearchable else {
      return LogError(.storage, "\(path) cannot be searched: permission denied; use the hub's user, or root")
    }
    var status = stat()
    let exists = stat(path, &status) == 0
    guard !exists || status.st_mode & S_IFMT == S_IFDIR else {
      return LogError(
        .storage, "\(path) is not a directory; name the state directory of a hub, with its file journal.db")
    }
    if let loss = try OpenedDatabase.loss(in: self) { return loss }
    let reason =
      !exists
      ? "the directory does not exist"
      : access(database, F_OK) != 0
        ? "it has no file journal.db"
        : "its file journal.db is empty, as before a hub has stored anything; restore a backup, or name another directory"
    return LogError(.storage, "there is no journal in \(path): \(reason)")
  }

  /// Returns true if a file exists and is not empty.
  static func hasContents(_ file: String) -> Bool { size(of: file) > 0 }

  /// False if this process has no permission to find the files in the directory.
  var isSearchable: Bool { access(database, F_OK) == 0 || errno != EACCES }

  /// The size of a file; 0 if it does not exist.
  static func size(of file: String) -> Int {
    var status = stat()
    return stat(file, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Refuses links and special files. The hub's user can create them in its directory, and root must not change another
  /// user's files through them when it runs a tool.
  private static func checkKind(of file: String) throws(LogError) {
    var status = stat()
    guard lstat(file, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else { throw notAFile(file) }
  }

  private static func notAFile(_ file: String) -> LogError {
    LogError(.storage, "\(file) is a link or a special file, not a file of a journal; remove it")
  }

  /// Opens a regular file, without following a link, and returns its descriptor; nil if it does not exist.
  static func open(_ file: String, _ flags: CInt) throws(LogError) -> CInt? {
    let descriptor = Glibc.open(file, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP, ENXIO: throw notAFile(file)
      default: throw .system("open", file)
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw notAFile(file)
    }
    return descriptor
  }

  /// Creates a file that only its owner can read, and returns its descriptor; nil if it exists.
  ///
  /// A file that root creates in another user's directory belongs to that user, whose hub must be able to use it. An
  /// existing file keeps its owner.
  static func create(_ file: String) throws(LogError) -> CInt? {
    let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw .system("create", file) }
      return nil
    }
    var owner = stat()
    if geteuid() == 0, stat(parent(of: file), &owner) == 0, fchown(descriptor, owner.st_uid, owner.st_gid) != 0 {
      let code = errno
      close(descriptor)
      throw .system("set the owner of", file, code)
    }
    return descriptor
  }

  /// Opens a file, which is created if it is missing, and returns its descriptor.
  static func openOrCreate(_ file: String) throws(LogError) -> CInt {
    if let descriptor = try create(file) { return descriptor }
    guard let descriptor = try open(file, O_RDWR) else { throw .system("open", file, ENOENT) }
    return descriptor
  }

  /// Creates a file that only its owner can read; SQLite gives its other files the same mode and owner.
  static func createEmpty(_ file: String) throws(LogError) {
    let descriptor = try openOrCreate(file)
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .system("set the mode of", file) }
  }
}

/// The C library's message for an error number.
func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }

extension LogError {
  /// An operation that the system refused, with the cause in `errno`.
  static func system(_ operation: String, _ path: String, _ code: CInt = errno) -> LogError {
    let advice =
      switch code {
      case EROFS: "; mount its file system writable, or name another state directory"
      case EACCES, EPERM:
        "; use the hub's user, who must be able to write to its state directory and all files in it"
      case ENOSPC, EDQUOT: "; make room on its disk, and try again"
      default: ""
      }
    let isFull = [ENOSPC, EDQUOT].contains(code)
    return LogError(isFull ? .full : .storage, "cannot \(operation) \(path): \(errorText(code))\(advice)")
  }
}

/// The wall clock, in milliseconds since 1970.
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

extension JournalTool {
  /// The path of the database in a journal's directory.
  package static func database(in directory: String) -> String { StateDirectory(path: directory).database }
}
