internal import CWebSockets
package import EventLoop
internal import Glibc
internal import Synchronization

/// Serves WebSockets (RFC 6455) and files over HTTP/1.1, with TLS or without, by libwebsockets on the loop.
///
/// It does not listen: its owner accepts connections, and gives it those that it wants. A connection has a time limit
/// for its request, so that one that sends nothing, or too slowly, ends. Nothing is allocated for the length that a
/// message claims to have: its bytes are passed on as they arrive.
///
/// A process has one server, which exists until the process ends.
package final class WebSocketServer {
  /// The limits of the server.
  package nonisolated struct Limits: Equatable, Sendable {
    /// The time from the connection to the end of its request.
    package var requestTime = Duration.seconds(10)
    /// The size of a request in bytes.
    package var requestBytes = 4096
    /// The number of requests that are received at the same time.
    package var requests = 256
    /// The size of a message in bytes.
    package var messageBytes = 4 << 20
    /// The time of silence after which a WebSocket is pinged. After twice this time it is closed.
    package var pingInterval = Duration.seconds(30)

    /// Creates the default limits.
    package init() {}
  }

  /// The files of a certificate and its key, in PEM.
  package nonisolated struct TLS: Equatable, Sendable {
    /// The certificate, followed by those of its authorities.
    package var certificate: String
    /// The key of the certificate, without a passphrase.
    package var key: String

    /// Names the files.
    package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
  }

  /// Why the server cannot start.
  package nonisolated struct StartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason.
    package let description: String
  }

  /// The limits; only the size of messages may change.
  package var limits: Limits
  /// The files to serve; nil for none.
  package var files: StaticFiles?
  /// What this server is, for those whose request is neither for a WebSocket nor for a file.
  package var notice = ""
  /// Decides on each request for a WebSocket.
  package var onRequest: (WebSocketRequest) -> WebSocketDecision = { _ in .refuse(503, "not ready") }
  /// Called when a connection, also one without a WebSocket, has ended.
  package var onEnd: (String) -> Void = { _ in }

  let loop: EventLoop
  private let subprotocol: UnsafeMutablePointer<CChar>
  private let server: UnsafeMutablePointer<cws_server>
  private let tls: TLS?
  /// The memory behind the bytes that are sent, which libwebsockets needs before them.
  let sendBuffer: UnsafeMutableRawBufferPointer
  /// The connections whose request has not ended.
  private var requests: [ObjectIdentifier: WebSocket] = [:]
  private var timer: Timer?

  /// The number of bytes that are read or sent at once.
  static let bufferBytes = 64 << 10

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the process's use of it.
  ///   - subprotocol: The subprotocol of all WebSockets.
  ///   - limits: The limits.
  ///   - tls: The certificate; nil for no TLS.
  package init(on loop: EventLoop, subprotocol: String, limits: Limits, tls: TLS?) throws {
    (self.loop, self.limits, self.tls) = (loop, limits, tls)
    self.subprotocol = strdup(subprotocol)
    server = .allocate(capacity: 1)
    sendBuffer = .allocate(byteCount: cws_headroom + Self.bufferBytes, alignment: 16)
    timer = try Timer(on: loop) { [weak self] in self?.closeLateRequests() }
    lws_set_log_level(CInt(LLL_ERR), noteError)
    defer { lws_set_log_level(0, nil) }
    guard start() else {
      throw StartError(description: "cannot start to serve WebSockets: \(lastError.withLock { $0 } ?? "no memory")")
    }
  }

  private func start() -> Bool {
    var settings = cws_settings()
    settings.loop = loop.libraryLoop
    settings.callback = onEvent
    settings.subprotocol = UnsafePointer(subprotocol)
    settings.connections = UInt32(clamping: min(limits.requests, Int(UInt16.max)))
    settings.header_bytes = UInt32(clamping: min(limits.requestBytes, Int(UInt16.max)))
    settings.header_seconds = UInt32(clamping: max(limits.requestTime.components.seconds, 1))
    settings.ping_seconds = UInt32(clamping: min(max(limits.pingInterval.components.seconds, 1), 30_000))
    settings.buffer_bytes = UInt32(Self.bufferBytes)
    guard let tls else { return cws_start(server, &settings) }
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        (settings.certificate, settings.key) = (certificate, key)
        return cws_start(server, &settings)
      }
    }
  }

  /// Takes over a connected socket.
  ///
  /// - Parameters:
  ///   - descriptor: The socket. The server closes it.
  ///   - address: The address of the peer, for `onRequest` and `onEnd`.
  package func adopt(_ descriptor: CInt, from address: String) {
    let connection = WebSocket(self, address: address)
    guard let handle = lws_adopt_socket_vhost(server.pointee.vhost, descriptor) else { return onEnd(address) }
    connection.begin(handle)
    requests[ObjectIdentifier(connection)] = connection
    if requests.count == 1 { timer?.start(after: .milliseconds(500), repeating: .milliseconds(500)) }
  }

  /// Reads the certificate and its key again, for the connections that follow. Check the files before.
  package func renewCertificate() {
    guard let tls, let context = server.pointee.context else { return }
    lws_tls_cert_updated(context, tls.certificate, tls.key, nil, 0, nil, 0)
  }

  /// The request of a connection has ended.
  func endRequest(_ connection: WebSocket) {
    guard requests.removeValue(forKey: ObjectIdentifier(connection)) != nil, requests.isEmpty else { return }
    timer?.stop()
  }

  private func closeLateRequests() {
    let limit = loop.now - limits.requestTime
    for connection in requests.values where connection.began < limit { connection.abort() }
  }
}

/// The last error that libwebsockets has logged while a server started.
private nonisolated let lastError = Mutex<String?>(nil)

private nonisolated let noteError: @convention(c) (CInt, UnsafePointer<CChar>?) -> Void = { _, text in
  guard let text else { return }
  let line = String(cString: text)
  lastError.withLock { $0 = line.last?.isNewline == true ? String(line.dropLast()) : line }
}

// libwebsockets calls back only from the loop, and within calls of the server, which are on the main actor.
private nonisolated let onEvent:
  @convention(c) (
    OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
  ) -> CInt = { handle, reason, user, bytes, count in
    guard let handle, let known = lws_get_opaque_user_data(handle) else {
      return lws_callback_http_dummy(handle, reason, user, bytes, count)
    }
    let event = WebSocketEvent(
      handle: UInt(bitPattern: handle), reason: reason.rawValue, user: UInt(bitPattern: user),
      bytes: UInt(bitPattern: bytes), count: count, owner: UInt(bitPattern: known))
    return MainActor.assumeIsolated { event.deliver() }
  }
