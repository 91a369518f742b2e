import Foundation
import Glibc
import Testing

/// Speaks HTTP on a plain socket, so that a test controls each header.
struct LocalHTTP {
  enum Address {
    case port(UInt16)
    case path(String)
  }

  struct Answer {
    var status = 0
    var head = ""
    var body = Data()

    var text: String { String(decoding: body, as: UTF8.self) }
    func json() throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any], "\(text)")
    }
  }

  let address: Address

  /// Sends a request and reads the whole response; nil if no server listens.
  func request(_ method: String = "GET", _ target: String, _ headers: [String] = [], host: String? = "localhost")
    -> Answer?
  {
    let descriptor = connect()
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var time = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    let lines =
      ["\(method) \(target) HTTP/1.1"] + (host.map { ["Host: \($0)"] } ?? []) + headers + ["Connection: close", "", ""]
    let text = Array(lines.joined(separator: "\r\n").utf8)
    guard Glibc.send(descriptor, text, text.count, CInt(MSG_NOSIGNAL)) == text.count else { return nil }
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { all += buffer[..<count] }
    guard let end = all.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: all[..<end.lowerBound], as: UTF8.self)
    return Answer(
      status: Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0, head: head,
      body: Data(all[end.upperBound...]))
  }

  /// Connects without a request; -1 if no server listens. The caller closes the descriptor.
  func connect() -> Int32 {
    let result: Int32
    let descriptor: Int32
    switch address {
    case .port(let port):
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .path(let path):
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    guard result == 0 else {
      close(descriptor)
      return -1
    }
    return descriptor
  }
}
