internal import CMicroHTTPD
public import EventLoop
internal import Glibc

/// The address of a metrics endpoint: a Unix socket, or a port of the loopback interface.
public nonisolated enum MetricsAddress: Equatable, Sendable {
  /// A Unix socket at a path.
  case path(String)
  /// A TCP port of 127.0.0.1.
  case port(UInt16)

  /// Parses `/run/hub/metrics.sock` or `9100`; nil for anything else.
  public init?(_ text: String) {
    if text.contains("/") {
      self = .path(text)
    } else if let port = UInt16(text), port > 0 {
      self = .port(port)
    } else {
      return nil
    }
  }
}

/// Serves a hub's metrics over HTTP: `GET /metrics` in Prometheus' text format, and `GET /health` while the loop turns.
///
/// libmicrohttpd runs without a thread of its own; the loop polls its descriptor. It holds at most 16 connections of 32
/// KiB and closes a connection after 5 seconds of silence.
public final class MetricsEndpoint {
  private let daemon: OpaquePointer
  private let text: () -> String
  private let path: String?
  private var poll: Poll?
  private var timer: Timer?

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - address: The address. A dead socket at a path is replaced.
  ///   - text: Returns the metrics; called once for each request.
  /// - Throws: The reason why it cannot listen there.
  public init(on loop: EventLoop, at address: MetricsAddress, _ text: @escaping () -> String) throws(UVError) {
    let listening = try Self.listen(at: address)
    self.text = text
    if case .path(let path) = address { self.path = path } else { path = nil }
    // The context is the box, because this object does not exist yet.
    let box = Box()
    guard let daemon = cmhd_start(listening, answer, Unmanaged.passRetained(box).toOpaque()) else {
      Glibc.close(listening)
      throw UVError(operation: "serve metrics", code: -ENOMEM)
    }
    self.daemon = daemon
    box.endpoint = self
    poll = try Poll(on: loop, descriptor: cmhd_descriptor(daemon)) { [weak self] _ in self?.run() }
    timer = try Timer(on: loop) { [weak self] in self?.run() }
    try poll?.start(.readable)
    poll?.keepsLoopAlive(false)
    timer?.keepsLoopAlive(false)
  }

  /// Stops serving and removes the socket.
  public func close() {
    guard poll != nil else { return }
    poll = nil
    timer = nil
    MHD_stop_daemon(daemon)
    if let path { unlink(path) }
  }

  /// The context of libmicrohttpd's callbacks, which leads to the endpoint. It lives as long as the process.
  final class Box {
    weak var endpoint: MetricsEndpoint?
  }

  private func run() {
    _ = MHD_run(daemon)
    let timeout = cmhd_timeout(daemon)
    if timeout >= 0 { timer?.start(after: .milliseconds(timeout)) } else { timer?.stop() }
  }

  /// Returns the status and the body of the response to a request.
  func response(to method: String, _ url: String) -> (status: UInt32, body: String) {
    guard method == "GET" else { return (405, "use GET\n") }
    return switch url {
    case "/metrics": (200, text())
    case "/health": (200, "ok\n")
    default: (404, "there are /metrics and /health\n")
    }
  }

  private static func listen(at address: MetricsAddress) throws(UVError) -> CInt {
    let (family, subject): (CInt, String) =
      switch address {
      case .path(let path): (AF_UNIX, path)
      case .port(let port): (AF_INET, "127.0.0.1:\(port)")
      }
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw UVError(operation: "create a socket", code: -errno) }
    let result: CInt
    switch address {
    case .path(let path):
      do throws(UVError) { try checkSocketPath(path) } catch {
        Glibc.close(descriptor)
        throw error
      }
      var status = stat()
      // Removes the socket of a process that has ended; a file that is not a socket is kept.
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let mask = umask(0o117)
      result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      umask(mask)
    case .port(let port):
      var (on, address) = (CInt(1), sockaddr_in())
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    guard result == 0, Glibc.listen(descriptor, 16) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw UVError(operation: "serve metrics at", subject: subject, code: -code)
    }
    return descriptor
  }
}

private nonisolated let answer: MHD_AccessHandlerCallback = { context, connection, url, method, _, _, _, _ in
  guard let connection else { preconditionFailure("a request comes on a connection") }
  guard let context, let url, let method else { return cmhd_answer(connection, 500, nil, 0) }
  let box = UInt(bitPattern: context)
  let (path, verb) = (String(cString: url), String(cString: method))
  // The loop polls the server, so this is its thread.
  let (status, body) = MainActor.assumeIsolated {
    guard let pointer = UnsafeRawPointer(bitPattern: box) else { return (UInt32(500), "") }
    let endpoint = Unmanaged<MetricsEndpoint.Box>.fromOpaque(pointer).takeUnretainedValue().endpoint
    return endpoint?.response(to: verb, path) ?? (503, "")
  }
  let bytes = Array(body.utf8)
  return cmhd_answer(connection, status, bytes, bytes.count)
}
