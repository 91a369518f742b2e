extension ProtobufMessage {
  /// The bytes of the message: the fields in the order of their numbers, without those of default values. Equal messages
  /// have equal bytes.
  /// - Complexity: O(size), with one allocation for the result.
  package var bytes: [UInt8] {
    var size = ProtobufSize()
    size.measure(self)
    var writer = ProtobufWriter(capacity: size.byteCount)
    writer.write(self)
    return writer.bytes
  }
}

/// Counts the bytes of a message.
struct ProtobufSize: ProtobufFields {
  private(set) var byteCount = 0

  mutating func measure(_ message: some ProtobufMessage) {
    var message = message
    do throws(ProtobufError) { try message.visit(&self) } catch {
      preconditionFailure("measuring a message does not fail")
    }
  }

  mutating func integer(_ number: UInt64, _ value: inout UInt64) {
    if value != 0 { byteCount += Self.ofVarint(number << 3) + Self.ofVarint(value) }
  }

  mutating func bytes(_ number: UInt64, _ value: inout [UInt8]) {
    if !value.isEmpty { add(number, value.count) }
  }

  mutating func message<Message: ProtobufMessage>(_ number: UInt64, _ value: inout Message?) {
    if let value { add(number, Self.of(value)) }
  }

  mutating func messages<Message: ProtobufMessage>(_ number: UInt64, _ values: inout [Message]) {
    for value in values { add(number, Self.of(value)) }
  }

  private mutating func add(_ number: UInt64, _ count: Int) {
    byteCount += Self.ofVarint(number << 3) + Self.ofVarint(UInt64(count)) + count
  }

  static func of(_ message: some ProtobufMessage) -> Int {
    var size = ProtobufSize()
    size.measure(message)
    return size.byteCount
  }

  private static func ofVarint(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }
}

/// Writes a message.
struct ProtobufWriter: ProtobufFields {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func write(_ message: some ProtobufMessage) {
    var message = message
    do throws(ProtobufError) { try message.visit(&self) } catch {
      preconditionFailure("writing a message does not fail")
    }
  }

  mutating func integer(_ number: UInt64, _ value: inout UInt64) {
    guard value != 0 else { return }
    varint(number << 3)
    varint(value)
  }

  mutating func bytes(_ number: UInt64, _ value: inout [UInt8]) {
    guard !value.isEmpty else { return }
    header(number, byteCount: value.count)
    bytes += value
  }

  mutating func message<Message: ProtobufMessage>(_ number: UInt64, _ value: inout Message?) {
    guard let value else { return }
    nested(number, value)
  }

  mutating func messages<Message: ProtobufMessage>(_ number: UInt64, _ values: inout [Message]) {
    for value in values { nested(number, value) }
  }

  private mutating func nested(_ number: UInt64, _ message: some ProtobufMessage) {
    header(number, byteCount: ProtobufSize.of(message))
    write(message)
  }

  private mutating func header(_ number: UInt64, byteCount: Int) {
    varint(number << 3 | 2)
    varint(UInt64(byteCount))
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
