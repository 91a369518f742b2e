internal import Glibc
internal import SQLite
internal import Synchronization
internal import TurnLog

/// The exclusive use of a state directory: a lock on the directory itself, and one on a file in it that names the
/// process.
///
/// The kernel releases the locks when the process ends, for whatever reason. Somebody may remove the file, but not the
/// directory without what is in it. The file's lock is that of earlier versions, and suffices on a file system that
/// locks no directories (NFS).
final class DirectoryLock: Sendable {
  private struct Held {
    /// The locked directory; nil if its file system locks no directories.
    var directory: CInt?
    var file: CInt
    var identity: FileIdentity?
  }

  private let directory: StateDirectory
  private let held: Mutex<Held?>

  init(_ directory: StateDirectory) throws(LogError) {
    self.directory = directory
    // First, so that a process that is refused leaves the file as it is.
    let whole = try Self.lockDirectory(directory)
    do throws(LogError) {
      let file = try Self.lockFile(directory)
      held = Mutex(Held(directory: whole, file: file, identity: FileIdentity(directory.lock)))
    } catch {
      if let whole { close(whole) }
      throw error
    }
  }

  deinit { release() }

  /// Releases the directory.
  func release() {
    held.withLock {
      guard let current = $0 else { return }
      for descriptor in [current.file, current.directory].compactMap(\.self) {
        // Closing alone does not suffice: a child process before its exec shares the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
      }
      $0 = nil
    }
  }

  /// Locks the file again if it was removed or replaced.
  ///
  /// - Parameter revision: The last revision that was reported as stored.
  /// - Throws: `inUse` if another process has locked the file that is there now.
  func check(revision: UInt64) throws(LogError) {
    try held.withLock { held throws(LogError) in
      guard var current = held, FileIdentity(directory.lock) != current.identity else { return }
      let file: CInt
      do throws(LogError) { file = try Self.lockFile(directory) } catch {
        throw LogError(
          error.problem,
          """
          \(directory.lock) was removed or replaced while the hub used it, and cannot be locked again; nothing after \
          revision \(revision) was acknowledged: \(error)
          """, soundRevision: revision)
      }
      close(current.file)
      (current.file, current.identity) = (file, FileIdentity(directory.lock))
      held = current
    }
  }

  private static func lockDirectory(_ directory: StateDirectory) throws(LogError) -> CInt? {
    let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Without the permission to read it, the file must do.
    guard descriptor >= 0 else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    let code = errno
    defer { close(descriptor) }
    guard code == EWOULDBLOCK else { return nil }
    throw inUse(directory, by: descriptor)
  }

  private static func lockFile(_ directory: StateDirectory) throws(LogError) -> CInt {
    let path = directory.lock
    let descriptor = try StateDirectory.openOrCreate(path)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      defer { close(descriptor) }
      guard code == EWOULDBLOCK else { throw .system("lock", path, code) }
      throw inUse(directory, by: descriptor)
    }
    let text = "\(getpid())\n"
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
      let code = errno
      close(descriptor)
      throw .system("write", path, code)
    }
    return descriptor
  }

  private static func inUse(_ directory: StateDirectory, by descriptor: CInt) -> LogError {
    let holder = LockHolder.ofLock(on: descriptor) ?? named(in: directory.lock)
    let process = holder?.description ?? "another process"
    return LogError(
      .inUse, "the journal in \(directory.path) is in use by \(process); stop it, or name another state directory")
  }

  /// The process that the file names.
  private static func named(in path: String) -> LockHolder? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var digits = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &digits, digits.count, 0)
    let text = String(decoding: digits.prefix(max(count, 0)).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    return pid_t(text).map(LockHolder.init)
  }
}
