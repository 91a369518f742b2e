internal import Glibc

/// A connection to a Unix socket, without a loop.
struct Socket: ~Copyable {
  /// The file descriptor.
  let descriptor: CInt

  /// Connects without blocking, also for later reads and writes.
  ///
  /// - Returns: Nil if the hub's queue of connections is full; try again later.
  static func connected(to path: String) throws(LoadError) -> Socket? {
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else {
      throw .failed("cannot create a socket: \(errorText); `ulimit -n` limits the connections")
    }
    let socket = Socket(descriptor: descriptor)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .cannotConnect("a socket's path has from 1 to 107 bytes, not \(bytes.count)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    while true {
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if result == 0 { return socket }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      case ENOENT, ECONNREFUSED:
        // In the words of storectl.
        let name = errno == ENOENT ? "ENOENT" : "ECONNREFUSED"
        throw .cannotConnect("cannot connect to \(path): \(errorText.lowercased()) (\(name)). Is a hub running there?")
      default: throw .cannotConnect("cannot connect to \(path): \(errorText)")
      }
    }
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }

  /// The listening process according to the kernel; nil if it is unknown.
  var peerProcess: Int32? {
    var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, credentials.process > 0 else {
      return nil
    }
    return credentials.process
  }

  /// Waits some milliseconds at most until bytes can be read, or written.
  func waitUntilReady(writing: Bool, milliseconds: CInt) {
    var request = pollfd(fd: descriptor, events: Int16(writing ? POLLOUT : POLLIN), revents: 0)
    _ = poll(&request, 1, milliseconds)
  }

  /// Writes bytes, and returns how many the socket has accepted; nil if the peer has closed.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN ? 0 : nil
    }
  }

  /// The result of a read.
  enum Received {
    case bytes(Int), nothing, end
  }

  /// Reads available bytes.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
    while true {
      let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .nothing : .end
    }
  }

  /// The text of errno(3).
  static var errorText: String { String(cString: strerror(errno)) }
}
