internal import Glibc

/// A process that holds a lock.
struct LockHolder: Equatable, CustomStringConvertible {
  let process: pid_t

  /// `process 42 (sqlite3)`, or without the name if this process may not see it (`ProtectProc=`).
  var description: String {
    let name = Self.contents(of: "/proc/\(process)/comm", limit: 64).split(separator: "\n").first ?? ""
    // A process chooses its name.
    let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { (0x20..<0x7f).contains($0.value) }
    return "process \(process)" + (isPlain ? " (\(name))" : "")
  }

  /// The process that holds the flock(2) of an open file, according to proc_locks(5); nil if that cannot be read, as in
  /// the shipped unit (`ProcSubset=pid`).
  static func ofLock(on descriptor: CInt) -> LockHolder? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    for line in contents(of: "/proc/locks", limit: 1 << 20).split(separator: "\n") {
      // 1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].hasSuffix(":\(status.st_ino)") else { continue }
      // 0 is a process that this one cannot name.
      if let process = pid_t(words[4]), process > 0 { return LockHolder(process: process) }
    }
    return nil
  }

  private static func contents(of path: String, limit: Int) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
      let count = read(file, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Finds the process that holds the write lock of a database in WAL mode: a lock of fcntl(2) on a byte of its `-shm`
/// file.
///
/// The kernel removes all locks of a process on a file when the process closes any descriptor of it. The probe
/// therefore keeps its descriptor, and must be released after the last connection to the database.
final class WriteLockProbe {
  private let path: String
  private var descriptor: CInt?
  /// sqlite.org/walformat.html: WAL_WRITE_LOCK.
  private static let lockedByte: Int = 120

  /// - Parameter path: The `-shm` file, which is opened when it is needed.
  init(_ path: String) { self.path = path }

  deinit { if let descriptor { close(descriptor) } }

  /// The process that holds the lock; nil if there is none, or if it is this one.
  func holder() -> LockHolder? {
    if descriptor == nil {
      let opened = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard opened >= 0 else { return nil }
      descriptor = opened
    }
    guard let descriptor else { return nil }
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (Self.lockedByte, 1)
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_GETLK, UnsafeMutableRawPointer($0)) }
    guard result == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else { return nil }
    return LockHolder(process: lock.l_pid)
  }
}
