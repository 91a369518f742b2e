import Glibc
import Wire

/// A client without a replica, which allocates nothing between its first frame and its last.
@MainActor final class RawClient {
  private let descriptor: CInt
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var sequence: UInt64 = 0
  private var frame: [UInt8] = []

  init(path: String, isSubscriber: Bool) {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(status == 0, "the hub listens")
    var writer = FrameWriter()
    writer.frame(Hello())
    if isSubscriber { writer.frame(Attach()) }
    send(writer.bytes)
  }

  /// Encodes the next frame with a number of actions, before the measurement.
  func prepare(_ count: Int) {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .actions)) {
      $0.unsigned(sequence + 1)
      $0.unsigned(sequence)
      for _ in 0..<count { Tally.Action.added.encode(to: &$0) }
    }
    sequence += UInt64(count)
    frame = writer.bytes
  }

  func sendPrepared() { send(frame) }

  private func send(_ bytes: [UInt8]) {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    precondition(count == bytes.count, "a small frame fits the socket")
  }

  /// Reads available input and returns the number of bytes.
  func drain() -> Int {
    var total = 0
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count <= 0 { return total }
      total += count
    }
  }
}
