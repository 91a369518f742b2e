internal import EventLoop
internal import Glibc

/// The right to serve a socket path, held by a lock on a file beside it.
///
/// The kernel releases the lock when the process ends, for any reason. So a socket whose lock is free was left by a
/// dead hub and may be removed, and of two hubs that start at the same time only one gets the lock.
struct SocketClaim: ~Copyable {
  private let lockPath: String
  private let descriptor: CInt

  private init(lockPath: String, descriptor: CInt) {
    self.lockPath = lockPath
    self.descriptor = descriptor
  }

  /// Claims a path and removes a dead socket from it.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - isServing: True if this process has the socket at the path already, from the previous process.
  ///   - removesLinks: See `removeDeadSocket`.
  static func claiming(
    _ path: String, isServing: Bool = false, removesLinks: Bool = false
  ) throws(HubError) -> SocketClaim {
    do throws(UVError) {
      try checkSocketPath(path)
    } catch {
      throw .loop(error)
    }
    let lockPath = path + ".lock"
    let claim = SocketClaim(lockPath: lockPath, descriptor: try lock(lockPath, for: path))
    if !isServing { try claim.removeDeadSocket(at: path, removesLinks: removesLinks) }
    return claim
  }

  /// Throws `alreadyServed` if another hub has claimed a path. Changes nothing.
  static func refuseServed(_ path: String) throws(HubError) {
    let descriptor = open(path + ".lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    // Without a lock, or with one that cannot be opened, the claim itself shows what is wrong.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Shared, so that hubs that only check do not find each other.
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .alreadyServed(path: path) }
  }

  /// True if other hubs find this lock; false if its file was removed.
  var isHeld: Bool { Self.isNamed(descriptor, lockPath) }

  deinit {
    // Removed while the lock is held: a hub that opened the file before notices that it is gone and opens it again.
    if Self.isNamed(descriptor, lockPath) { unlink(lockPath) }
    close(descriptor)
  }

  private static func lock(_ lockPath: String, for path: String) throws(HubError) -> CInt {
    while true {
      let descriptor = open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(operation: "open", path: lockPath, errno: errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(descriptor)
        if code == EWOULDBLOCK { throw .alreadyServed(path: path) }
        throw .system(operation: "lock", path: lockPath, errno: code)
      }
      if isNamed(descriptor, lockPath) { return descriptor }
      // The previous hub removed the file between our open and our lock.
      close(descriptor)
    }
  }

  /// Returns true if a path names an open file.
  private nonisolated static func isNamed(_ descriptor: CInt, _ path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  /// Removes a socket that no process listens on.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - removesLinks: True to remove a symbolic link as well, unless a server listens on the socket that it names. A
  ///     hub that starts keeps a link: the path may be wrong.
  /// - Throws: `notASocket`, `alreadyServed`, or the reason why the path cannot be used.
  func removeDeadSocket(at path: String, removesLinks: Bool = false) throws(HubError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system(operation: "look at", path: path, errno: errno) }
      return
    }
    if removesLinks, status.st_mode & S_IFMT == S_IFLNK { return try removeLink(at: path) }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    // We hold the lock, so this is not a hub's socket, but another kind of server may listen on it.
    guard !isListenedOn(path) else { throw .alreadyServed(path: path) }
    guard unlink(path) == 0 else { throw .system(operation: "remove the dead socket", path: path, errno: errno) }
  }

  private func removeLink(at path: String) throws(HubError) {
    var target = stat()
    let isSocket = stat(path, &target) == 0 && target.st_mode & S_IFMT == S_IFSOCK
    guard !isSocket || !isListenedOn(path) else { throw .alreadyServed(path: path) }
    guard unlink(path) == 0 else { throw .system(operation: "remove the link", path: path, errno: errno) }
  }
}
