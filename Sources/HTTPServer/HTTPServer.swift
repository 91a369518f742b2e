internal import CMicroHTTPD
public import EventLoop
internal import Glibc

/// Serves HTTP by GNU libmicrohttpd, to processes of this machine only.
///
/// libmicrohttpd has no thread here: the loop polls its descriptor. It answers GET alone, keeps a limited number of
/// connections, and closes one that is silent for too long, unless its request waits for an answer.
public final class HTTPServer {
  /// What the peers may use.
  public nonisolated struct Limits: Equatable, Sendable {
    /// The most connections at a time.
    public var connections: UInt32 = 16
    /// The bytes of memory for each connection; a request has to fit.
    public var connectionBytes = 32 * 1024
    /// The seconds after which a silent connection is closed.
    public var seconds: UInt32 = 5
    /// The permissions of a Unix socket.
    public var mode: UInt32 = 0o660

    /// Creates the limits for an endpoint that programs poll.
    public init() {}
  }

  /// The address, with the port that was found for 0.
  public let address: HTTPAddress
  private let daemon: OpaquePointer
  private let respond: (HTTPExchange) -> Void
  private var waiting: [ObjectIdentifier: HTTPExchange] = [:]
  private var poll: Poll?
  private var timer: Timer?

  /// Begins to serve.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - address: Where; a dead socket at a path is replaced.
  ///   - respond: Called for each request, on the loop. It answers the exchange at once or later.
  /// - Throws: Why it cannot listen there.
  public init(
    on loop: EventLoop, at address: HTTPAddress, limits: Limits = Limits(),
    _ respond: @escaping (HTTPExchange) -> Void
  ) throws(UVError) {
    let listening = try address.listen(mode: limits.mode)
    self.address = address.resolved(listening)
    self.respond = respond
    // The context is the box and not this object, which does not exist yet.
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

  /// Stops serving and removes the socket; requests that wait are answered with 503.
  public func close() {
    guard poll != nil else { return }
    // libmicrohttpd does not end while a connection is suspended.
    for exchange in waiting.values { exchange.answer(.text(503, "the server ends\n")) }
    _ = MHD_run(daemon)
    poll = nil
    timer = nil
    MHD_stop_daemon(daemon)
    if case .path(let path) = address { unlink(path) }
  }

  /// The way from libmicrohttpd to the server; lives as long as the process.
  fileprivate final class Box {
    weak var server: HTTPServer?
  }

  private func run() {
    _ = MHD_run(daemon)
    let timeout = cmhd_timeout(daemon)
    if timeout >= 0 { timer?.start(after: .milliseconds(timeout)) } else { timer?.stop() }
  }

  /// A request whose head has arrived, or whose answer is there. Returns false to close the connection.
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
    respond(exchange)
    if let response = exchange.response { return Self.queue(response, on: connection) }
    // Asked again once it is resumed.
    MHD_suspend_connection(connection)
    waiting[ObjectIdentifier(exchange)] = exchange
    exchange.resume = { [weak self, weak exchange] in
      if let exchange { self?.waiting[ObjectIdentifier(exchange)] = nil }
      MHD_resume_connection(connection)
      // The daemon's descriptor does not tell of it.
      self?.timer?.start(after: .zero)
    }
    return true
  }

  /// A request that was answered, or whose peer has gone.
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

/// Names and values, as libmicrohttpd lists them.
private nonisolated final class Pairs {
  var all: [(String, String)] = []
}

private nonisolated let collect: MHD_KeyValueIterator = { context, _, name, value in
  guard let context, let name else { return .NO }
  let pairs = Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
  pairs.all.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
  return .YES
}

/// The arguments of a callback, as they can be passed to the main actor: pointers by their bits.
private nonisolated struct AccessCall: Sendable {
  let connection: UInt
  let state: UInt
  let url: String
  let method: String
}

// libmicrohttpd calls back within MHD_run only, which the server calls on the loop.

private nonisolated let access: MHD_AccessHandlerCallback = { context, connection, url, method, _, _, size, state in
  guard let context, let connection, let url, let method, let state else { return .NO }
  // Nobody reads a body.
  size?.pointee = 0
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
