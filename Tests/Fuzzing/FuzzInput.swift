/// An input read as decisions and data; past the end every byte is 0.
struct FuzzInput {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The remaining bytes.
  var rest: [UInt8] { Array(bytes[min(position, bytes.count)...]) }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number below a small bound.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(position + count, bytes.count)
    defer { position = end }
    return Array(bytes[min(position, end)..<end])
  }

  /// Reads a length of two bytes and as many bytes.
  mutating func data() -> [UInt8] { take(Int(byte()) << 8 | Int(byte())) }
}

extension [UInt8] {
  /// The bytes in the form that `FuzzInput.data()` reads.
  var asData: [UInt8] { [UInt8(count >> 8 & 0xff), UInt8(count & 0xff)] + self }
}
