internal import CWebSockets
internal import EventLoop

/// A connection to a `WebSocketServer`: first a request, then a WebSocket or a file.
package final class WebSocket {
  /// The address of the peer, without its port.
  package let address: String
  /// Called with bytes of a message, which are valid during the call. Where messages begin and end is not reported.
  package var onBytes: ((RawSpan) -> Void)?
  /// Called when bytes can be sent again, after `send` has returned false.
  package var onWritable: (() -> Void)?
  /// Called once when the WebSocket has ended, from whichever side.
  package var onClose: (() -> Void)?
  /// True if the peer takes bytes at the moment.
  package private(set) var isWritable = true

  /// The time at which the connection was accepted.
  let began: Duration
  private let server: WebSocketServer
  private var handle: OpaquePointer?
  private var isOpen = false
  private var isAborted = false
  private var onOpen: ((WebSocket) -> Void)?
  private var closing: (code: CloseCode, reason: String)?
  /// The number of bytes of the current message so far.
  private var messageCount = 0

  /// The time in seconds for the peer to take what was sent before the end, and the end itself.
  private static let closeSeconds: CInt = 5

  init(_ server: WebSocketServer, address: String) {
    (self.server, self.address, began) = (server, address, server.loop.now)
  }

  /// Connects this object and the connection of libwebsockets, which keeps it until it ends.
  func begin(_ handle: OpaquePointer) {
    self.handle = handle
    lws_set_opaque_user_data(handle, Unmanaged.passRetained(self).toOpaque())
  }

  // MARK: For the owner

  /// Sends bytes as a message.
  ///
  /// Bytes that the connection does not accept at once are kept; there are at most as many as in this call, because
  /// the caller waits for `onWritable` before the next one.
  /// - Returns: False if the caller must wait for `onWritable`.
  /// - Precondition: `isWritable`, and at most 64 KiB.
  package func send(_ bytes: RawSpan) -> Bool {
    precondition(isWritable && bytes.byteCount <= WebSocketServer.bufferBytes, "wait for onWritable")
    guard let handle, isOpen, closing == nil, !isAborted else { return false }
    let (buffer, count) = (server.sendBuffer, bytes.byteCount)
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[cws_headroom...]).copyMemory(from: $0) }
    let start = buffer.baseAddress?.advanced(by: cws_headroom).assumingMemoryBound(to: UInt8.self)
    guard lws_write(handle, start, count, LWS_WRITE_BINARY) >= 0 else {
      abort()
      return false
    }
    isWritable = lws_partial_buffered(handle) == 0
    if !isWritable { lws_callback_on_writable(handle) }
    return isWritable
  }

  /// Stops reading, so that the peer waits. What is read already, at most 64 KiB, may still arrive.
  package func pauseReading() { if let handle { lws_rx_flow_control(handle, 0) } }

  /// Reads again.
  package func resumeReading() { if let handle { lws_rx_flow_control(handle, 1) } }

  /// Closes the WebSocket after what was sent; a peer that does not take it within 5 s is disconnected.
  ///
  /// - Parameters:
  ///   - code: The status.
  ///   - reason: A sentence for the peer, at most 123 bytes of which are sent.
  package func close(_ code: CloseCode, _ reason: String) {
    // libwebsockets would free an unusable connection within the callback that sends the frame.
    guard let handle, closing == nil, !isAborted else { return }
    closing = (code, reason)
    cws_limit(handle, Self.closeSeconds)
    // The end of the connection waits for the peer's answer to the close.
    lws_rx_flow_control(handle, 1)
    lws_callback_on_writable(handle)
  }

  /// Closes the connection in a later turn of the loop, without another byte.
  package func abort() {
    guard let handle else { return }
    isAborted = true
    cws_abort(handle)
  }

  // MARK: Events

  /// Handles an event; a negative result closes the connection.
  func handle(_ event: WebSocketEvent) -> CInt {
    guard let handle else { return -1 }
    switch lws_callback_reasons(event.reason) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return decide(event, handle)
    case LWS_CALLBACK_ESTABLISHED:
      server.endRequest(self)
      isOpen = true
      onOpen.take()?(self)
    case LWS_CALLBACK_RECEIVE: receive(event, handle)
    case LWS_CALLBACK_SERVER_WRITEABLE: write(handle)
    case LWS_CALLBACK_HTTP:
      server.endRequest(self)
      return serve(event, handle)
    // Each connection has one request, so that none waits for the next one without a limit.
    case LWS_CALLBACK_HTTP_FILE_COMPLETION: return -1
    default: return event.ignore()
    }
    return 0
  }

  /// The connection no longer exists.
  func end() {
    handle = nil
    server.endRequest(self)
    let onClose = onClose
    (onBytes, onWritable, onOpen, self.onClose) = (nil, nil, nil, nil)
    onClose?()
    server.onEnd(address)
  }

  private func decide(_ event: WebSocketEvent, _ handle: OpaquePointer) -> CInt {
    // The other upgrade that libwebsockets knows is that to HTTP/2.
    guard event.text.lowercased() == "websocket" else { return -1 }
    switch server.onRequest(WebSocketRequest(handle, from: address)) {
    case .accept(let onOpen):
      self.onOpen = onOpen
      return 0
    case .refuse(let status, let reason):
      _ = lws_return_http_status(handle, status, reason)
      return -1
    }
  }

  private func receive(_ event: WebSocketEvent, _ handle: OpaquePointer) {
    guard closing == nil else { return }
    guard lws_frame_is_binary(handle) != 0 else {
      return close(.notBinary, "this gateway takes binary messages only")
    }
    if lws_is_first_fragment(handle) != 0 { messageCount = 0 }
    messageCount += event.count
    // What is announced counts before it arrives.
    let room = server.limits.messageBytes - messageCount
    guard room >= 0, lws_remaining_packet_payload(handle) <= room else {
      return close(.tooLarge, "a message has at most \(server.limits.messageBytes) bytes")
    }
    event.withBytes { onBytes?($0) }
  }

  private func write(_ handle: OpaquePointer) {
    if let closing {
      guard isOpen else { return }
      isOpen = false
      var reason = closing.reason
      reason.withUTF8 {
        let text = UnsafeMutablePointer(mutating: $0.baseAddress)
        lws_close_reason(handle, lws_close_status(UInt32(closing.code.number)), text, min($0.count, 123))
      }
      return cws_close(handle)
    }
    guard !isWritable, lws_partial_buffered(handle) == 0 else { return }
    isWritable = true
    onWritable?()
  }

  private func serve(_ event: WebSocketEvent, _ handle: OpaquePointer) -> CInt {
    let file = lws_hdr_total_length(handle, WSI_TOKEN_GET_URI) > 0 ? server.files?.file(for: event.text) : nil
    guard let file else {
      if server.files == nil { return answer(426, server.notice, handle) }
      return answer(404, "there is no such page\n" + server.notice, handle)
    }
    let result = lws_serve_http_file(
      handle, file.path, file.type, StaticFiles.headers, CInt(StaticFiles.headers.utf8.count))
    return result == 0 ? 0 : -1
  }

  /// Answers with a text; the negative result ends the connection.
  private func answer(_ status: UInt32, _ text: String, _ handle: OpaquePointer) -> CInt {
    let (buffer, text) = (server.sendBuffer, Array(text.utf8))
    guard let first = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return -1 }
    let (start, end) = (first + cws_headroom, first + buffer.count)
    var position: UnsafeMutablePointer<UInt8>? = start
    func add(_ name: String, _ value: String) -> Bool {
      lws_add_http_header_by_name(handle, name, value, CInt(value.utf8.count), &position, end) == 0
    }
    let mustUpgrade = status == 426
    guard
      lws_add_http_common_headers(
        handle, status, "text/plain; charset=utf-8", UInt64(text.count), &position, end) == 0,
      // RFC 9110, 15.5.22
      !mustUpgrade || add("upgrade:", "websocket"), add("connection:", mustUpgrade ? "upgrade, close" : "close"),
      lws_finalize_write_http_header(handle, start, &position, end) == 0
    else { return -1 }
    UnsafeMutableRawBufferPointer(start: start, count: text.count).copyBytes(from: text)
    _ = lws_write(handle, start, text.count, LWS_WRITE_HTTP_FINAL)
    return -1
  }
}
