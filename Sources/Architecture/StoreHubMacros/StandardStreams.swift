import Foundation
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

/// The plugin's connection to the compiler. Each message is its length in 8 bytes, little-endian, followed by JSON.
///
/// The toolchain implements this only for its own plugins, in a module that it does not ship.
struct StandardStreams: MessageConnection {
  enum Failure: Error {
    /// The compiler disconnected within a message.
    case endOfInput
    /// write(2) failed.
    case cannotWrite(errno: Int32)
  }

  func sendMessage(_ message: some Encodable) throws {
    let payload = try JSONEncoder().encode(message)
    var bytes = withUnsafeBytes(of: UInt64(payload.count).littleEndian) { Data($0) }
    bytes.append(payload)
    try bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
        let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
        guard count > 0 else { throw Failure.cannotWrite(errno: errno) }
        written += count
      }
    }
  }

  func waitForNextMessage<Message: Decodable>(_ type: Message.Type) throws -> Message? {
    guard let header = try read(count: 8) else { return nil }
    let count = header.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    // With a length of 0, the compiler indicates the end.
    guard count > 0, let payload = try read(count: Int(count)) else { return nil }
    return try JSONDecoder().decode(type, from: payload)
  }

  /// Reads exactly `count` bytes, in any number of reads; returns nil at the end of input.
  private func read(count: Int) throws -> Data? {
    var data = Data(count: count)
    var filled = 0
    while filled < count {
      let received = data.withUnsafeMutableBytes {
        let rest = UnsafeMutableRawBufferPointer(rebasing: $0[filled...])
        return Foundation.read(STDIN_FILENO, rest.baseAddress, rest.count)
      }
      if received <= 0 {
        guard filled == 0 else { throw Failure.endOfInput }
        return nil
      }
      filled += received
    }
    return data
  }
}
