internal import CWebSockets

/// A request for a WebSocket.
package struct WebSocketRequest {
  /// The address of the peer, without its port.
  package let address: String
  /// The page from which a browser opens the WebSocket; nil for other programs, which send none.
  package let origin: String?
  /// The subprotocols that the peer offers, in its order.
  package let subprotocols: [String]
  /// The value of the header Authorization.
  package let authorization: String?

  init(_ handle: OpaquePointer, from address: String) {
    self.address = address
    origin = Self.header(WSI_TOKEN_ORIGIN, of: handle)
    authorization = Self.header(WSI_TOKEN_HTTP_AUTHORIZATION, of: handle)
    subprotocols = (Self.header(WSI_TOKEN_PROTOCOL, of: handle) ?? "").split(separator: ",").map {
      String($0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
    }
  }

  /// The value of a header; nil if the peer has not sent it.
  static func header(_ name: lws_token_indexes, of handle: OpaquePointer) -> String? {
    let count = lws_hdr_total_length(handle, name)
    guard count > 0 else { return nil }
    let value = [CChar](unsafeUninitializedCapacity: Int(count) + 1) { buffer, initialized in
      initialized = Int(max(lws_hdr_copy(handle, buffer.baseAddress, count + 1, name), 0))
    }
    return String(decoding: value.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The answer to a request for a WebSocket.
package enum WebSocketDecision {
  /// It is opened, and its owner is called with it.
  case accept((WebSocket) -> Void)
  /// It is refused with a status of HTTP and a sentence.
  case refuse(UInt32, String)
}

/// A status with which a WebSocket is closed (RFC 6455, 7.4).
package nonisolated struct CloseCode: Equatable, Sendable {
  /// The number.
  package let number: UInt16

  /// Creates a code, such as 4401.
  package init(_ number: UInt16) { self.number = number }

  /// This side stops.
  package static let goingAway = CloseCode(1001)
  /// The peer has sent a text.
  package static let notBinary = CloseCode(1003)
  /// The peer has sent a message that is too large.
  package static let tooLarge = CloseCode(1009)
  /// The service behind this side has ended the connection; the peer may connect again.
  package static let serviceRestart = CloseCode(1012)
  /// The service behind this side cannot be reached; the peer may try again later.
  package static let tryAgainLater = CloseCode(1013)
}
