internal import CNGHTTP2

/// A client's side of an HTTP/2 connection with calls of gRPC, without I/O, by nghttp2.
///
/// The owner passes in what the socket received, writes `takeOutput` to it after each call of this object, and handles
/// the events. A message is passed on when it is complete, so a connection holds at most one incomplete message for each
/// call; the server's sending is bounded by the windows of HTTP/2.
///
/// ```swift
/// let connection = GRPCConnection(authority: "a:2379", scheme: "https")
/// let call = try connection.begin("/etcdserverpb.KV/Range", timeout: .seconds(1))
/// connection.send(request.bytes, on: call, isLast: true)
/// connection.takeOutput { socket.write($0) }
/// try connection.receive(bytes)
/// for event in connection.takeEvents() { … }
/// ```
package final class GRPCConnection {
  /// The limits on a connection.
  package struct Limits: Sendable {
    /// The bytes of a message of the server.
    package var messageBytes = 32 << 20
    /// The calls at the same time.
    package var calls = 256
    /// The bytes that the server may send of a call before the client has taken them.
    package var callWindow: Int32 = 8 << 20
    /// The same for all calls together.
    package var window: Int32 = 16 << 20

    /// The limits for etcd: a turn's entry is at most 1 MiB, and a read asks for some of them.
    package init() {}
  }

  private let limits: Limits
  private let streams: GRPCStreams
  private let session: OpaquePointer
  private let authority: String
  private let scheme: String

  /// Begins a connection, whose first output is the preface of HTTP/2.
  ///
  /// - Parameters:
  ///   - authority: The server's name and port.
  ///   - scheme: `http` or `https`.
  ///   - limits: The limits.
  package init(authority: String, scheme: String, limits: Limits = Limits()) {
    (self.authority, self.scheme, self.limits) = (authority, scheme, limits)
    streams = GRPCStreams(messageLimit: limits.messageBytes)
    session = streams.session()
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(limits.callWindow)),
    ]
    nghttp2_submit_settings(session, Self.noFlags, settings, settings.count)
    nghttp2_session_set_local_window_size(session, Self.noFlags, 0, limits.window)
  }

  deinit { nghttp2_session_del(session) }

  private static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

  // MARK: Calls

  /// True if a call can begin: the server accepts more, and the limit is not reached.
  package var acceptsCalls: Bool {
    !streams.isGoingAway && streams.calls.count < limits.calls && nghttp2_session_check_request_allowed(session) != 0
  }

  /// True if the server has announced the end of the connection.
  package var isGoingAway: Bool { streams.isGoingAway }

  /// The number of calls that have not ended.
  package var callCount: Int { streams.calls.count }

  /// Begins a call.
  ///
  /// - Parameters:
  ///   - path: The path of the method.
  ///   - timeout: The time after which the server need not answer; nil for a stream without an end. The owner has its own
  ///     deadline, because this one counts from the arrival.
  /// - Returns: The call; nil if `acceptsCalls` is false.
  package func begin(_ path: String, timeout: Duration?) -> GRPCCall? {
    guard acceptsCalls else { return nil }
    var headers = HeaderList()
    headers.add(":method", "POST")
    headers.add(":scheme", scheme)
    headers.add(":path", path)
    headers.add(":authority", authority)
    headers.add("te", "trailers")
    headers.add("content-type", "application/grpc")
    if let timeout { headers.add("grpc-timeout", Self.text(timeout)) }
    var source = GRPCStreams.outgoing
    let stream = headers.withFields { nghttp2_submit_request(session, nil, $0, $1, &source, nil) }
    guard stream > 0 else { return nil }
    streams.calls[stream] = CallState()
    return GRPCCall(stream: stream)
  }

  /// At most eight digits, and a unit.
  private static func text(_ timeout: Duration) -> String {
    let milliseconds = max(1, Int(timeout / .milliseconds(1)))
    return milliseconds < 100_000_000 ? "\(milliseconds)m" : "\(min(milliseconds / 1000, 99_999_999))S"
  }

  /// Sends a message; it has no effect if the call has ended.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - call: The call.
  ///   - isLast: True if no message follows.
  package func send(_ message: [UInt8], on call: GRPCCall, isLast: Bool) {
    streams.calls[call.stream]?.queue(message)
    if isLast { streams.calls[call.stream]?.isFinished = true }
    guard let wasDeferred = streams.calls[call.stream]?.isDeferred, wasDeferred else { return }
    streams.calls[call.stream]?.isDeferred = false
    nghttp2_session_resume_data(session, call.stream)
  }

  /// The bytes of a call that have not left, so that a sender in a stream can wait.
  package func unsentByteCount(of call: GRPCCall) -> Int { streams.calls[call.stream]?.unsentByteCount ?? 0 }

  /// Ends a call, of which no events follow.
  /// - Returns: True if the server may have processed it.
  @discardableResult
  package func cancel(_ call: GRPCCall) -> Bool {
    guard let state = streams.calls.removeValue(forKey: call.stream) else { return false }
    nghttp2_submit_rst_stream(session, Self.noFlags, call.stream, NGHTTP2_CANCEL.rawValue)
    return state.hasLeft
  }

  /// Ends all calls, because the connection has ended; returns them in the order in which they began.
  package func abandon() -> [(GRPCCall, GRPCOutcome)] {
    let calls = streams.calls.sorted { $0.key < $1.key }
    streams.calls = [:]
    return calls.map {
      (
        GRPCCall(stream: $0.key),
        GRPCOutcome(result: .failure(.disconnected), mayHaveBeenProcessed: $0.value.hasLeft)
      )
    }
  }

  /// Asks the server for a sign of life, which is a `pong`.
  ///
  /// A server of grpc-go ends connections that ask more often than it allows (etcd: every 5 s), or without a call.
  package func ping() { nghttp2_submit_ping(session, Self.noFlags, nil) }

  // MARK: Bytes

  /// Takes bytes that the socket has received.
  /// - Throws: The reason why the connection must be closed.
  package func receive(_ bytes: RawSpan) throws(GRPCConnectionError) {
    let result = bytes.withUnsafeBytes { bytes in
      nghttp2_session_mem_recv(session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    if result < 0 {
      let reason = streams.complaint.isEmpty ? String(cString: nghttp2_strerror(Int32(result))) : streams.complaint
      throw GRPCConnectionError("the server does not speak HTTP/2: \(reason)")
    }
  }

  /// Passes on the bytes for the socket, in pieces of at most a frame, while the function returns true.
  /// - Throws: The reason why the connection must be closed.
  package func takeOutput(_ body: (RawSpan) -> Bool) throws(GRPCConnectionError) {
    var isAccepted = true
    while isAccepted {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count >= 0 else { throw GRPCConnectionError("HTTP/2: \(String(cString: nghttp2_strerror(Int32(count))))") }
      if count == 0 { break }
      isAccepted = body(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }
    // Nothing more will be read or written.
    if isAccepted, nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
      throw GRPCConnectionError(
        streams.complaint.isEmpty ? "the server has ended the connection" : streams.complaint)
    }
  }

  /// The events since the last call, in order.
  package func takeEvents() -> [GRPCEvent] {
    if streams.events.isEmpty { return [] }
    let events = streams.events
    streams.events = []
    return events
  }
}

/// Headers in one buffer. nghttp2 copies them.
private struct HeaderList {
  private var bytes: [UInt8] = []
  /// The end of each name and of each value.
  private var ends: [Int] = []

  init() {
    bytes.reserveCapacity(192)
    ends.reserveCapacity(16)
  }

  mutating func add(_ name: String, _ value: String) {
    bytes += name.utf8
    ends.append(bytes.count)
    bytes += value.utf8
    ends.append(bytes.count)
  }

  func withFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: ends.count / 2) { fields in
        let start = UnsafeMutablePointer(mutating: bytes.baseAddress)
        for index in fields.indices {
          let nameStart = index == 0 ? 0 : ends[2 * index - 1]
          let (nameEnd, valueEnd) = (ends[2 * index], ends[2 * index + 1])
          fields[index] = nghttp2_nv(
            name: start?.advanced(by: nameStart), value: start?.advanced(by: nameEnd), namelen: nameEnd - nameStart,
            valuelen: valueEnd - nameEnd, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
        }
        return body(fields.baseAddress, fields.count)
      }
    }
  }
}
