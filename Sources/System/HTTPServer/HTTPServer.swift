internal import CMicroHTTPD
package import EventLoop
internal import Glibc

/// An HTTP server on GNU libmicrohttpd, for processes of the same machine only.
///
/// libmicrohttpd runs no thread here: the loop polls its descriptor. The server accepts only GET requests and a limited
/// number of connections. It closes a connection that is silent for too long, unless its request awaits the response.
package final class HTTPServer {
  /// The limits on peers.
  package nonisolated struct Limits: Equatable, Sendable {
    /// The maximum number of concurrent connections.
    package var connections: UInt32 = 16
    /// The memory for each connection, in bytes. A request must fit.
    package var connectionBytes = 32 * 1024
    /// The timeout for a silent connection, in seconds.
    package var seconds: UInt32 = 5
    /// The permissions of a Unix socket.
    package var mode: UInt32 = 0o660

    /// Creates the limits for an endpoint that programs poll.
    package init() {}
  }

  /// The address, with the assigned port if port 0 was requested.
  package let address: HTTPAddress
  /// True if another process has the listening socket too.
  private let isShared: Bool
  private let daemon: OpaquePointer
  private let respond: (HTTPExchange) -> Void
  private var waiting: [ObjectIdentifier: HTTPExchange] = [:]
  private var poll: Poll?
  private var timer: Timer?
  /// The socket's file, to distinguish it from one that has replaced it.
  private let file: FileIdentity?
  /// True while the server closes: requests are refused, because libmicrohttpd cannot stop while a connection is
  /// suspended.
  private var isClosing = false
  /// True while the descriptor is not polled, because connections cannot be accepted.
  private var isPaused = false
  private static let retryInterval = Duration.milliseconds(100)

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the server.
  ///   - address: The address to listen at. A socket file without a listener is replaced.
  ///   - respond: Called on the loop for each request. It answers the exchange, now or later.
  /// - Throws: The reason why the server cannot listen at the address.
  package convenience init(
    on loop: EventLoop, at address: HTTPAddress, limits: Limits = Limits(),
    _ respond: @escaping (HTTPExchange) -> Void
  ) throws(UVError) {
    let listening = try address.listen(mode: limits.mode)
    try self.init(on: loop, listening, at: address.resolved(listening), isShared: false, limits, respond)
  }

  /// Starts the server on a listening socket that the service manager has passed. The service manager also keeps the
  /// socket: its file is not removed, and it goes on listening when the server is closed.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the server.
  ///   - descriptor: The socket, which the server owns from now on.
  ///   - respond: Called on the loop for each request.
  package convenience init(
    on loop: EventLoop, adopting descriptor: CInt, limits: Limits = Limits(),
    _ respond: @escaping (HTTPExchange) -> Void
  ) throws(UVError) {
    // A connection that has ended meanwhile must not block the loop.
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw UVError(operation: "serve HTTP on the passed socket", code: -code)
    }
    try self.init(on: loop, descriptor, at: HTTPAddress(of: descriptor), isShared: true, limits, respond)
  }

  private init(
    on loop: EventLoop, _ listening: CInt, at address: HTTPAddress, isShared: Bool, _ limits: Limits,
    _ respond: @escaping (HTTPExchange) -> Void
  ) throws(UVError) {
    (self.address, self.isShared, self.respond) = (address, isShared, respond)
    if case .path(let path) = address, !isShared { file = FileIdentity(path: path) } else { file = nil }
    // The context is a box, because `self` does not exist yet.
    let box = Box()
    let daemon = cmhd_start(
      listening, limits.connections, limits.seconds, limits.connectionBytes, access, completed,
      Unmanaged.passRetained(box).toOpaque())
    guard let daemon else {
      Glibc.close(listening)
      throw UVError(operation: "serve HTTP", code: -ENOMEM)
    }
    self.daemon = daemon
    box.server = self
    poll = try Poll(on: loop, descriptor: cmhd_descriptor(daemon)) { [weak self] _ in self?.run() }
    timer = try Timer(on: loop) { [weak self] in self?.run() }
    try poll?.start(.readable)
    poll?.keepsLoopAlive(false)
    timer?.keepsLoopAlive(false)
  }

  /// Stops the server and removes its socket. Pending requests are answered with status 503.
  package func close() {
    guard poll != nil else { return }
    isClosing = true
    for exchange in waiting.values { exchange.answer(Self.ending) }
    _ = MHD_run(daemon)
    poll = nil
    timer = nil
    // To stop, libmicrohttpd shuts the socket down, for all processes that have it.
    if isShared {
      let listening = MHD_quiesce_daemon(daemon)
      if listening >= 0 { Glibc.close(listening) }
    }
    MHD_stop_daemon(daemon)
    if case .path(let path) = address, file != nil, file == FileIdentity(path: path) { unlink(path) }
  }

  private static let ending = HTTPResponse.text(503, "the server ends\n")

  /// The reference from libmicrohttpd's callbacks to the server. It lives as long as the process.
  fileprivate final class Box {
    weak var server: HTTPServer?
  }

  private func run() {
    let count = cmhd_connections(daemon)
    _ = MHD_run(daemon)
    // At the limit of connections, libmicrohttpd stops listening. After the end of a connection it must run once more to
    // listen again, and its descriptor does not signal that.
    if cmhd_connections(daemon) < count { _ = MHD_run(daemon) }
    // Without a connection, only an accept that fails leaves the descriptor readable. libmicrohttpd does not wait then,
    // for example for a free descriptor.
    if cmhd_connections(daemon) == 0, cmhd_is_readable(daemon) {
      isPaused = true
      poll?.stop()
      timer?.start(after: Self.retryInterval)
      return
    }
    if isPaused {
      isPaused = false
      // Starting a poll of an open descriptor that is not polled yet cannot fail.
      try? poll?.start(.readable)
    }
    let timeout = cmhd_timeout(daemon)
    if timeout >= 0 { timer?.start(after: .milliseconds(timeout)) } else { timer?.stop() }
  }

  /// Handles a request whose head has arrived or whose response is ready. Returns false to close the connection.
  fileprivate func handle(_ call: AccessCall) -> Bool {
    guard let connection = OpaquePointer(bitPattern: call.connection),
      let state = UnsafeMutablePointer<UnsafeMutableRawPointer?>(bitPattern: call.state)
    else { return false }
    guard let known = state.pointee else {
      guard call.method == "GET" else { return Self.queue(.text(405, "use GET\n"), on: connection) }
      let exchange = HTTPExchange(Self.request(call.url, connection))
      state.pointee = Unmanaged.passRetained(exchange).toOpaque()
      return true
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    if let response = exchange.response { return Self.queue(response, on: connection) }
    guard !isClosing else { return Self.queue(Self.ending, on: connection) }
    respond(exchange)
    if let seconds = exchange.idleSeconds { cmhd_set_timeout(connection, seconds) }
    if let response = exchange.response { return Self.queue(response, on: connection) }
    // libmicrohttpd calls again after the connection is resumed.
    MHD_suspend_connection(connection)
    waiting[ObjectIdentifier(exchange)] = exchange
    exchange.resume = { [weak self, weak exchange] in
      if let exchange { self?.waiting[ObjectIdentifier(exchange)] = nil }
      MHD_resume_connection(connection)
      // The daemon's descriptor does not signal a resumed connection.
      self?.timer?.start(after: .zero)
    }
    return true
  }

  /// Ends a request whose response was sent or whose peer has disconnected.
  fileprivate func end(_ exchange: HTTPExchange) {
    waiting[ObjectIdentifier(exchange)] = nil
    exchange.resume = nil
    exchange.answer(.text(503, ""))
  }

  private static func request(_ url: String, _ connection: OpaquePointer) -> HTTPRequest {
    let (headers, query) = (Pairs(), Pairs())
    for (kind, pairs) in [(MHD_ValueKind.HEADER_KIND, headers), (.GET_ARGUMENT_KIND, query)] {
      MHD_get_connection_values(connection, kind, collect, Unmanaged.passUnretained(pairs).toOpaque())
    }
    var request = HTTPRequest(path: url)
    for (name, value) in query.all { request.query[name] = value }
    for (name, value) in headers.all {
      let name = name.lowercased()
      request.headers[name] = request.headers[name].map { "\($0), \(value)" } ?? value
    }
    return request
  }

  private static func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> Bool {
    let made = response.body.withUnsafeBytes {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return false }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
    return MHD_queue_response(connection, response.status, made) == .YES
  }
}

/// The names and values that libmicrohttpd enumerates.
private nonisolated final class Pairs {
  var all: [(String, String)] = []
}

private nonisolated let collect: MHD_KeyValueIterator = { context, _, name, value in
  guard let context, let name else { return .NO }
  let pairs = Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
  pairs.all.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
  return .YES
}

/// The arguments of a callback in a sendable form: pointers as integers.
private nonisolated struct AccessCall: Sendable {
  let connection: UInt
  let state: UInt
  let url: String
  let method: String
}

// libmicrohttpd calls back only within MHD_run, which the server calls on the loop.

private nonisolated let access: MHD_AccessHandlerCallback = { context, connection, url, method, _, _, size, state in
  guard let context, let connection, let url, let method, let state else { return .NO }
  // A body is ignored. Its request is handled after the last piece.
  if let size, size.pointee > 0 {
    size.pointee = 0
    return .YES
  }
  let box = UInt(bitPattern: context)
  let call = AccessCall(
    connection: UInt(bitPattern: connection), state: UInt(bitPattern: state), url: String(cString: url),
    method: String(cString: method))
  let isAlive = MainActor.assumeIsolated {
    guard let pointer = UnsafeRawPointer(bitPattern: box) else { return false }
    return Unmanaged<HTTPServer.Box>.fromOpaque(pointer).takeUnretainedValue().server?.handle(call) ?? false
  }
  return isAlive ? .YES : .NO
}

private nonisolated let completed: MHD_RequestCompletedCallback = { context, _, state, _ in
  guard let context, let known = state?.pointee else { return }
  state?.pointee = nil
  let (box, exchange) = (UInt(bitPattern: context), UInt(bitPattern: known))
  MainActor.assumeIsolated {
    guard let pointer = UnsafeRawPointer(bitPattern: box), let known = UnsafeRawPointer(bitPattern: exchange) else {
      return
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
    Unmanaged<HTTPServer.Box>.fromOpaque(pointer).takeUnretainedValue().server?.end(exchange)
  }
}
