extension ProtobufMessage {
  /// Reads a message. Unknown fields are skipped, and of a field that occurs twice the last value counts.
  ///
  /// - Parameters:
  ///   - bytes: All bytes of the message.
  ///   - elementLimit: The number of elements of all repeated fields together.
  /// - Throws: `ProtobufError` for bytes that are not those of a message, whatever they are.
  /// - Complexity: O(size); the message takes memory in proportion to its bytes.
  package init(decoding bytes: [UInt8], elementLimit: Int = 1 << 17) throws(ProtobufError) {
    self.init()
    var reader = ProtobufReader(bytes, elementLimit: elementLimit)
    try reader.read(&self)
  }
}

/// Reads a message: it finds the next field, and the message's visit stores it.
struct ProtobufReader: ProtobufFields {
  private let source: [UInt8]
  private var offset = 0
  /// The end of the innermost message.
  private var end: Int
  private var elementsLeft: Int
  private var field = Field(number: 0, value: .skipped)

  /// The field that was read last.
  private struct Field {
    var number: UInt64
    var value: Value

    enum Value {
      case varint(UInt64)
      case bytes(Range<Int>)
      /// A number of fixed size; no message here has one.
      case skipped
    }
  }

  init(_ source: [UInt8], elementLimit: Int) {
    (self.source, end, elementsLeft) = (source, source.count, elementLimit)
  }

  mutating func read(_ message: inout some ProtobufMessage) throws(ProtobufError) {
    while offset < end {
      field = try nextField()
      try message.visit(&self)
    }
  }

  private mutating func nextField() throws(ProtobufError) -> Field {
    let start = offset
    let tag = try varint()
    guard tag >> 3 != 0 else { throw ProtobufError(reason: .fieldNumber, offset: start) }
    switch tag & 7 {
    case 0: return Field(number: tag >> 3, value: .varint(try varint()))
    case 1: try skip(8)
    case 2:
      let count = try varint()
      let range = offset..<offset + Int(clamping: min(count, UInt64(end - offset)))
      guard count == UInt64(range.count) else { throw error(.truncated) }
      offset = range.upperBound
      return Field(number: tag >> 3, value: .bytes(range))
    case 5: try skip(4)
    case 3, 4: throw ProtobufError(reason: .group, offset: start)
    default: throw ProtobufError(reason: .wireType, offset: start)
    }
    return Field(number: tag >> 3, value: .skipped)
  }

  private mutating func skip(_ count: Int) throws(ProtobufError) {
    guard end - offset >= count else { throw error(.truncated) }
    offset += count
  }

  private mutating func varint() throws(ProtobufError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard offset < end else { throw error(.truncated) }
      let byte = source[offset]
      offset += 1
      // The tenth byte has one bit.
      guard shift < 63 || byte < 2 else { break }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    throw error(.varint)
  }

  private func error(_ reason: ProtobufError.Reason) -> ProtobufError {
    ProtobufError(reason: reason, offset: offset)
  }

  // MARK: Fields

  mutating func integer(_ number: UInt64, _ value: inout UInt64) throws(ProtobufError) {
    guard field.number == number else { return }
    guard case .varint(let read) = field.value else { throw error(.wireType) }
    value = read
  }

  mutating func revision(_ number: UInt64, _ value: inout Int64) throws(ProtobufError) {
    guard field.number == number else { return }
    try integer(number, &value)
    guard value >= 0, value < .max else { throw error(.revision) }
  }

  mutating func bytes(_ number: UInt64, _ value: inout [UInt8]) throws(ProtobufError) {
    guard field.number == number else { return }
    value = Array(source[try range()])
  }

  mutating func message<Message: ProtobufMessage>(
    _ number: UInt64, _ value: inout Message?
  ) throws(ProtobufError) {
    guard field.number == number else { return }
    var message = value.take() ?? Message()
    try nested(&message)
    value = message
  }

  mutating func messages<Message: ProtobufMessage>(
    _ number: UInt64, _ values: inout [Message]
  ) throws(ProtobufError) {
    guard field.number == number else { return }
    guard elementsLeft > 0 else { throw error(.tooMany) }
    elementsLeft -= 1
    var message = Message()
    try nested(&message)
    values.append(message)
  }

  private func range() throws(ProtobufError) -> Range<Int> {
    guard case .bytes(let range) = field.value else { throw error(.wireType) }
    return range
  }

  /// Reads the message in the field. The depth is that of the types, because unknown fields are not entered.
  private mutating func nested(_ message: inout some ProtobufMessage) throws(ProtobufError) {
    let range = try range()
    let (outerOffset, outerEnd, outerField) = (offset, end, field)
    (offset, end) = (range.lowerBound, range.upperBound)
    try read(&message)
    // The visit of the outer message goes on, and its other fields have other numbers.
    (offset, end, field) = (outerOffset, outerEnd, outerField)
  }
}
