internal import EventLoop
internal import Glibc

/// The right to serve a socket path, held by a lock on a file beside it.
///
/// The kernel drops the lock with the process, however it ends. So a socket whose lock is free was left by a dead
/// hub and may be removed; two hubs that start at the same moment cannot both believe so.
struct SocketClaim: ~Copyable {
  private let lockPath: String
  private let descriptor: CInt

  private init(lockPath: String, descriptor: CInt) {
    self.lockPath = lockPath
    self.descriptor = descriptor
  }

  /// Claims a path and removes a dead socket from it.
  static func claiming(_ path: String) throws(HubError) -> SocketClaim {
    guard path.utf8.count <= socketPathLimit else {
      throw .loop(
        UVError(
          operation: "use a socket path of more than \(socketPathLimit) bytes,", subject: path,
          code: UVError.Code.nameTooLong))
    }
    let lockPath = path + ".lock"
    let claim = SocketClaim(lockPath: lockPath, descriptor: try lock(lockPath, for: path))
    try removeDeadSocket(at: path)
    return claim
  }

  deinit {
    // Removed while the lock is held: whoever opened the file before sees that it is gone and opens it anew.
    unlink(lockPath)
    close(descriptor)
  }

  private static func lock(_ lockPath: String, for path: String) throws(HubError) -> CInt {
    while true {
      let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(operation: "open", path: lockPath, errno: errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(descriptor)
        if code == EWOULDBLOCK { throw .alreadyServed(path: path) }
        throw .system(operation: "lock", path: lockPath, errno: code)
      }
      var (locked, named) = (stat(), stat())
      if fstat(descriptor, &locked) == 0, stat(lockPath, &named) == 0, locked.st_ino == named.st_ino {
        return descriptor
      }
      // The hub before this one removed the file between our open and our lock.
      close(descriptor)
    }
  }

  private static func removeDeadSocket(at path: String) throws(HubError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system(operation: "look at", path: path, errno: errno) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    // The lock is ours, so this is no hub's socket; but another kind of server may listen on it.
    guard !isListenedOn(path) else { throw .alreadyServed(path: path) }
    guard unlink(path) == 0 else { throw .system(operation: "remove the dead socket", path: path, errno: errno) }
  }

  private static func isListenedOn(_ path: String) -> Bool {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno != ECONNREFUSED
  }
}
