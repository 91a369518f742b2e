internal import EventLoop
internal import Glibc

/// The address of an HTTP server: a Unix socket, or a port of the loopback interface.
package nonisolated enum HTTPAddress: Equatable, Sendable {
  /// A Unix socket at a path.
  case path(String)
  /// A TCP port of 127.0.0.1; 0 for any free port.
  case port(UInt16)

  /// Parses a path such as `/run/hub/metrics.sock` or a port such as `9100`; nil for other texts.
  package init?(_ text: String) {
    if text.contains("/") {
      self = .path(text)
    } else if let port = UInt16(text), port > 0 {
      self = .port(port)
    } else {
      return nil
    }
  }
}

nonisolated extension HTTPAddress {
  /// The address of an open socket. Of a TCP socket only the port is known, whatever its interface.
  init(of descriptor: CInt) {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    self = withUnsafeBytes(of: address) { bytes in
      switch CInt(address.ss_family) {
      case AF_UNIX where result == 0:
        .path(String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self))
      // The port has the same place in both.
      case AF_INET where result == 0, AF_INET6 where result == 0:
        .port(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
      default: .port(0)
      }
    }
  }

  /// Opens a socket that listens at the address. The caller closes it.
  ///
  /// A socket file without a listener is replaced; a file of any other kind is kept.
  /// - Parameter mode: The permissions of the socket at a path.
  func listen(mode: mode_t) throws(UVError) -> CInt {
    let (family, subject): (CInt, String) =
      switch self {
      case .path(let path): (AF_UNIX, path)
      case .port(let port): (AF_INET, "127.0.0.1:\(port)")
      }
    if case .path(let path) = self { try checkSocketPath(path) }
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw UVError(operation: "create a socket", code: -errno) }
    guard bind(descriptor, mode: mode) == 0, Glibc.listen(descriptor, 16) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw UVError(operation: "serve HTTP at", subject: subject, code: -code)
    }
    return descriptor
  }

  private func bind(_ descriptor: CInt, mode: mode_t) -> CInt {
    switch self {
    case .path(let path):
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, !isListenedOn(path) { unlink(path) }
      let mask = umask(0o777 & ~mode)
      defer { umask(mask) }
      return bindSocket(descriptor, to: path)
    case .port(let port):
      var (on, address) = (CInt(1), sockaddr_in())
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  /// Returns the address of a listening socket, with the port that the kernel assigned to it.
  func resolved(_ descriptor: CInt) -> HTTPAddress {
    guard case .port = self else { return self }
    var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return result == 0 ? .port(UInt16(bigEndian: address.sin_port)) : self
  }
}
