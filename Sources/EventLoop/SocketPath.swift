internal import CUV
internal import Glibc

/// Binds a Unix socket to a path that was checked by `checkSocketPath`. Returns 0, or -1 with the error in `errno`.
package nonisolated func bindSocket(_ descriptor: CInt, to path: String) -> CInt {
  unsafe withSocketAddress(of: path) { unsafe bind(descriptor, $0, $1) }
}

private nonisolated func withSocketAddress(
  of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  return unsafe withUnsafePointer(to: address) {
    unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

/// Opens a socket that is connected to a path and never blocks; the caller closes it. For programs without a loop.
///
/// - Throws: Also if the listener's queue is full (`wouldBlock`), so that the caller tries again later.
package nonisolated func connectedSocket(to path: String) throws(UVError) -> CInt {
  try checkSocketPath(path)
  let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
  let descriptor = socket(AF_UNIX, type, 0)
  guard descriptor >= 0 else { throw UVError(operation: "create a socket", code: -errno) }
  while unsafe withSocketAddress(of: path, { unsafe connect(descriptor, $0, $1) }) != 0 {
    guard errno == EINTR else {
      let error = UVError(operation: "connect to", subject: path, code: -errno)
      close(descriptor)
      throw error
    }
  }
  return descriptor
}

/// Returns true if a process listens on the socket at a path, or if that cannot be determined; false if the process that
/// created it has ended.
package nonisolated func isListenedOn(_ path: String) -> Bool {
  let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
  let descriptor = socket(AF_UNIX, type, 0)
  guard descriptor >= 0 else { return true }
  defer { close(descriptor) }
  return unsafe withSocketAddress(of: path) { unsafe connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
}

/// The maximum length in bytes of a socket's path: `sun_path` less its terminating zero (unix(7)).
public nonisolated var socketPathLimit: Int { 107 }

/// Refuses a path that cannot name a socket in the file system.
///
/// An empty path, or one that begins with a zero byte, would name an abstract socket, which has no permissions. A path
/// that is too long would be truncated silently.
package nonisolated func checkSocketPath(_ path: String) throws(UVError) {
  guard !path.isEmpty else { throw UVError(operation: "use an empty socket path", code: UVError.Code.invalid) }
  guard !path.utf8.contains(0) else {
    throw UVError(operation: "use a socket path with a zero byte", code: UVError.Code.invalid)
  }
  guard path.utf8.count <= socketPathLimit else {
    throw UVError(
      operation: "use a socket path of more than \(socketPathLimit) bytes,", subject: path,
      code: UVError.Code.nameTooLong)
  }
}
