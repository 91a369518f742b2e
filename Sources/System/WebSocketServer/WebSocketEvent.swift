internal import CWebSockets

/// The arguments of a callback in a sendable form: pointers as integers.
nonisolated struct WebSocketEvent: Sendable {
  let handle: UInt
  let reason: UInt32
  let user: UInt
  let bytes: UInt
  let count: Int
  let owner: UInt

  /// Passes the event to its connection.
  @MainActor func deliver() -> CInt {
    guard let owner = UnsafeRawPointer(bitPattern: owner) else { return -1 }
    let connection = Unmanaged<WebSocket>.fromOpaque(owner)
    if lws_callback_reasons(reason) == LWS_CALLBACK_WSI_DESTROY {
      connection.takeRetainedValue().end()
      return 0
    }
    return connection.takeUnretainedValue().handle(self)
  }

  /// The bytes of the event, which are valid during the callback.
  @MainActor func withBytes(_ body: (RawSpan) -> Void) {
    guard let start = UnsafeRawPointer(bitPattern: bytes) else { return }
    body(UnsafeRawBufferPointer(start: start, count: count).bytes)
  }

  /// The text of the event, which ends with a zero byte.
  var text: String {
    UnsafePointer<CChar>(bitPattern: bytes).map { String(cString: $0) } ?? ""
  }

  /// Leaves the event to libwebsockets.
  func ignore() -> CInt {
    lws_callback_http_dummy(
      OpaquePointer(bitPattern: handle), lws_callback_reasons(reason), UnsafeMutableRawPointer(bitPattern: user),
      UnsafeMutableRawPointer(bitPattern: bytes), count)
  }
}
