import Foundation
import Testing

/// A client of a gateway that can send anything: a blocking socket, and the frames of RFC 6455 in bytes.
final class RawWebSocket {
  /// A frame from the gateway.
  struct Frame {
    let opcode: UInt8
    let payload: [UInt8]
    /// The number of a close frame.
    var closeCode: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
  }

  private let descriptor: CInt
  private var received: [UInt8] = []
  /// True if the gateway has closed the connection.
  private(set) var hasEnded = false

  /// Connects to a port of this machine.
  init(port: Int) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0, "cannot connect to the gateway")
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// True if the gateway has closed the connection, and everything before that was read.
  var isClosed: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  func send(_ bytes: [UInt8]) {
    // The gateway may have closed the connection.
    _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Asks for a WebSocket; returns the status.
  func open(token: String?, origin: String? = nil, protocols: String = "storehub", _ headers: String = "") -> Int {
    var lines = [
      "GET / HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    let offered = token.map { "\(protocols), storehub.token.\($0)" } ?? protocols
    if !offered.isEmpty { lines.append("Sec-WebSocket-Protocol: \(offered)") }
    if let origin { lines.append("Origin: \(origin)") }
    send(lines.joined(separator: "\r\n") + "\r\n" + headers + "\r\n")
    return readHead().status
  }

  /// Reads the head of an answer; the status is 0 if the connection has ended.
  func readHead() -> (status: Int, text: String) {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = received.firstRange(of: end) {
        let text = String(decoding: received[..<range.lowerBound], as: UTF8.self)
        received.removeSubrange(..<range.upperBound)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text)
      }
      guard receive() else { return (0, "") }
    }
  }

  /// Reads to the end of the connection.
  func readAll() -> String {
    while receive() {}
    return String(decoding: received, as: UTF8.self)
  }

  /// Sends a frame with a mask of zeros, or only its head.
  ///
  /// - Parameter length: The announced length; nil for that of the payload.
  func send(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, length: UInt64? = nil) {
    let length = length ?? UInt64(payload.count)
    var head: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
    switch length {
    case ..<126: head.append(0x80 | UInt8(length))
    case ..<65_536: head += [0xfe, UInt8(length >> 8), UInt8(length & 255)]
    default: head += [0xff] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
    }
    send(head + [0, 0, 0, 0] + payload)
  }

  /// Reads the next frame; nil if the connection has ended.
  func readFrame() -> Frame? {
    while true {
      if received.count >= 2 {
        var (length, start) = (Int(received[1] & 127), 2)
        let extra = length == 126 ? 2 : length == 127 ? 8 : 0
        if received.count >= 2 + extra {
          if extra > 0 { length = received[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) } }
          start += extra
          if received.count >= start + length {
            let frame = Frame(opcode: received[0] & 15, payload: Array(received[start..<(start + length)]))
            received.removeSubrange(..<(start + length))
            return frame
          }
        }
      }
      guard receive() else { return nil }
    }
  }

  /// Reads up to the code with which the gateway closes the WebSocket; nil if it only ends.
  func readCloseCode() -> Int? {
    while let frame = readFrame() { if frame.opcode == 8 { return frame.closeCode } }
    return nil
  }

  /// Reads until the bytes of the messages so far have a number of bytes.
  func readMessages(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let frame = readFrame(), frame.opcode != 8 {
      if frame.opcode == 2 || frame.opcode == 0 { bytes += frame.payload }
    }
    return bytes
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      hasEnded = count == 0 || errno == ECONNRESET
      return false
    }
    received += buffer[..<count]
    return true
  }
}
