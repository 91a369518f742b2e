internal import Glibc

/// Serializes programs that change parts of one file.
enum FileLock {
  /// Runs an operation while locking a file `….lock` beside the file.
  ///
  /// The file itself cannot be locked, because it is replaced. The lock ends with its holder's process in any case.
  static func hold(beside path: String, _ operation: () throws -> Void) throws {
    let path = PathLookups(of: path).file + ".lock"
    try AtomicFile.makeDirectories(above: path)
    let file = try system("open", path) { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    defer { close(file) }
    try system("flock", path) { flock(file, LOCK_EX) }
    try operation()
  }
}
