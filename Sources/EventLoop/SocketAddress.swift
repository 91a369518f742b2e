internal import CUV
internal import Glibc

/// The address of a TCP socket: an IPv4 or IPv6 address and a port.
package nonisolated struct SocketAddress: Sendable {
  fileprivate let storage: sockaddr_storage
  /// The address as in a URL, such as `10.0.0.1:2379` or `[::1]:2379`.
  package let text: String
  /// The address without the port.
  package var host: Substring { text.prefix(upTo: text.lastIndex(of: ":") ?? text.endIndex) }

  /// Reads a numeric address; nil for a name.
  package init?(numeric host: String, port: UInt16) {
    var storage = sockaddr_storage()
    let (isIPv4, isIPv6) = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      let base = bytes.baseAddress
      let isIPv4 = unsafe uv_ip4_addr(host, CInt(port), base?.assumingMemoryBound(to: sockaddr_in.self)) == 0
      guard !isIPv4 else { return (true, false) }
      return unsafe (false, uv_ip6_addr(host, CInt(port), base?.assumingMemoryBound(to: sockaddr_in6.self)) == 0)
    }
    guard isIPv4 || isIPv6 else { return nil }
    self.storage = storage
    text = isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }

  /// An address that a look-up has found; nil if it is none of IP.
  fileprivate init?(_ found: addrinfo, text: String) {
    guard let address = unsafe found.ai_addr, unsafe Int(found.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
      return nil
    }
    var storage = sockaddr_storage()
    unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(found.ai_addrlen)))
    }
    (self.storage, self.text) = (storage, text)
  }

  /// The address of a connected or listening socket, or that of its peer; nil if it is not of TCP.
  package init?(of descriptor: CInt, isPeer: Bool = false) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isRead = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe isPeer ? getpeername(descriptor, $0, &size) == 0 : getsockname(descriptor, $0, &size) == 0
      }
    }
    let isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
    guard isRead, isIPv6 || storage.ss_family == sa_family_t(AF_INET) else { return nil }
    // INET6_ADDRSTRLEN, the longest of both.
    var name = [CChar](repeating: 0, count: 46)
    let port = unsafe withUnsafeBytes(of: storage) { bytes in
      if let base = bytes.baseAddress {
        if isIPv6 {
          unsafe uv_ip6_name(base.assumingMemoryBound(to: sockaddr_in6.self), &name, name.count)
        } else {
          unsafe uv_ip4_name(base.assumingMemoryBound(to: sockaddr_in.self), &name, name.count)
        }
      }
      // The port has the same place in both.
      return unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
    self.init(
      numeric: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self), port: port)
  }

  /// Opens a socket that listens at the address; the caller closes it.
  package func listen(backlog: CInt = 128) throws(UVError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(CInt(storage.ss_family), type, 0)
    guard descriptor >= 0 else { throw UVError(operation: "create a socket", code: -errno) }
    var on: CInt = 1
    // An address that was in use a moment ago can be used again.
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    let size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    guard unsafe withPointer({ unsafe bind(descriptor, $0, size) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      let error = UVError(operation: "listen on", subject: text, code: -errno)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  fileprivate func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: storage) { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("an address has bytes") }
      return unsafe body(base.assumingMemoryBound(to: sockaddr.self))
    }
  }
}

extension SocketAddress {
  /// Finds the addresses of a host.
  ///
  /// A numeric address is found at once. A name is looked up in libuv's thread pool, because getaddrinfo(3) blocks.
  /// - Parameters:
  ///   - host: The name or the address.
  ///   - port: The port.
  ///   - loop: The loop, which must outlive the look-up.
  ///   - onFound: Called once, with at least one address or with the error.
  package static func find(
    _ host: String, port: UInt16, on loop: EventLoop, onFound: @escaping (Result<[SocketAddress], UVError>) -> Void
  ) {
    if let address = SocketAddress(numeric: host, port: port) { return onFound(.success([address])) }
    let lookUp = LookUp("\(host):\(port)", onFound)
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    unsafe request.pointee.data = unsafe Unmanaged.passRetained(lookUp).toOpaque()
    let code = unsafe uv_getaddrinfo(loop.pointer, request, onAddresses, host, String(port), &hints)
    if code < 0 {
      unsafe Unmanaged.passUnretained(lookUp).release()
      unsafe request.deallocate()
      onFound(.failure(UVError(operation: "find", subject: host, code: code)))
    }
  }
}

/// A look-up that runs.
private final class LookUp {
  let text: String
  let onFound: (Result<[SocketAddress], UVError>) -> Void

  init(_ text: String, _ onFound: @escaping (Result<[SocketAddress], UVError>) -> Void) {
    (self.text, self.onFound) = (text, onFound)
  }

  func end(_ code: CInt, _ first: UnsafeMutablePointer<addrinfo>?) {
    var addresses: [SocketAddress] = []
    var next = unsafe first
    while let found = unsafe next {
      if let address = unsafe SocketAddress(found.pointee, text: text) { addresses.append(address) }
      unsafe next = unsafe found.pointee.ai_next
    }
    let code = code < 0 ? code : UV_EAI_NONAME.rawValue
    onFound(addresses.isEmpty ? .failure(UVError(operation: "find", subject: text, code: code)) : .success(addresses))
  }
}

private nonisolated let onAddresses: uv_getaddrinfo_cb = { request, code, addresses in
  guard let request = unsafe request else { return }
  unsafe onLoop((request, code, addresses)) { request, code, addresses in
    let data = unsafe request.pointee.data
    unsafe request.deallocate()
    guard let data = unsafe data else { return }
    unsafe Unmanaged<LookUp>.fromOpaque(data).takeRetainedValue().end(code, addresses)
    unsafe uv_freeaddrinfo(addresses)
  }
}

/// A stream over TCP is read and written like that over a Unix socket.
extension PipeStream {
  /// Creates an unconnected stream over TCP.
  package static func tcp(on loop: EventLoop) throws(UVError) -> PipeStream { try PipeStream(tcpOn: loop) }

  /// Takes over a connected socket of TCP; on failure, the caller still owns the descriptor.
  package static func tcp(adopting descriptor: CInt, on loop: EventLoop) throws(UVError) -> PipeStream {
    let stream = try PipeStream(tcpOn: loop)
    try unsafe check(uv_tcp_open(stream.streamPointer(as: uv_tcp_t.self), descriptor), "open a socket")
    // Without it, small writes are only later.
    unsafe uv_tcp_nodelay(stream.streamPointer(as: uv_tcp_t.self), 1)
    return stream
  }

  /// Connects to an address; small writes are sent at once (`TCP_NODELAY`).
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - onConnected: Called once: with nil when connected, else with `connectionRefused` or another error. The system
  ///     waits for minutes; a caller with less patience closes the stream.
  package func connect(
    to address: SocketAddress, onConnected: @escaping (UVError?) -> Void
  ) throws(UVError) {
    try unsafe check(uv_tcp_nodelay(streamPointer(as: uv_tcp_t.self), 1), "prepare a connection to", address.text)
    let request = unsafe prepareConnecting(to: address.text, onConnected)
    let code = unsafe address.withPointer {
      unsafe uv_tcp_connect(request, streamPointer(as: uv_tcp_t.self), $0, onStreamConnected)
    }
    if code < 0 {
      unsafe request.deallocate()
      throw UVError(operation: "connect to", subject: address.text, code: code)
    }
  }
}
