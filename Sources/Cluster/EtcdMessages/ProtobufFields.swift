/// A message of Protocol Buffers. It describes its fields once; a message is measured, written and read by the same
/// description.
///
/// ```swift
/// struct Range: ProtobufMessage {
///   var key: [UInt8] = []
///   var limit: Int64 = 0
///   mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
///     try fields.bytes(1, &key)
///     try fields.integer(3, &limit)
///   }
/// }
/// ```
package protocol ProtobufMessage: Hashable, Sendable {
  /// Creates a message of which all fields have their default values.
  init()
  /// Visits all fields in the order of their numbers.
  mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError)
}

/// What visits the fields of messages. Writers leave the values as they are, and omit those that are 0, false or empty;
/// readers store the values of the field that they have just read.
package protocol ProtobufFields {
  mutating func integer(_ number: UInt64, _ value: inout UInt64) throws(ProtobufError)
  /// Visits the number of a revision. A reader refuses those that no store has: negative ones, and the last number, which
  /// has no next one.
  mutating func revision(_ number: UInt64, _ value: inout Int64) throws(ProtobufError)
  mutating func bytes(_ number: UInt64, _ value: inout [UInt8]) throws(ProtobufError)
  mutating func message<Message: ProtobufMessage>(
    _ number: UInt64, _ value: inout Message?
  ) throws(ProtobufError)
  mutating func messages<Message: ProtobufMessage>(
    _ number: UInt64, _ values: inout [Message]
  ) throws(ProtobufError)
}

extension ProtobufFields {
  /// Visits a signed integer: `int64`, whose negative numbers take ten bytes.
  mutating func integer(_ number: UInt64, _ value: inout Int64) throws(ProtobufError) {
    var bits = UInt64(bitPattern: value)
    try integer(number, &bits)
    value = Int64(bitPattern: bits)
  }

  mutating func revision(_ number: UInt64, _ value: inout Int64) throws(ProtobufError) { try integer(number, &value) }

  mutating func flag(_ number: UInt64, _ value: inout Bool) throws(ProtobufError) {
    var bits: UInt64 = value ? 1 : 0
    try integer(number, &bits)
    value = bits != 0
  }

  /// Visits a text. Bytes that are not UTF-8 are repaired.
  mutating func text(_ number: UInt64, _ value: inout String) throws(ProtobufError) {
    var bytes = Array(value.utf8)
    try self.bytes(number, &bytes)
    value = String(decoding: bytes, as: UTF8.self)
  }

  /// Visits an enumeration, whose unknown numbers are kept.
  mutating func number<Value: RawRepresentable<UInt64>>(
    _ number: UInt64, _ value: inout Value
  ) throws(ProtobufError) {
    var bits = value.rawValue
    try integer(number, &bits)
    if let read = Value(rawValue: bits) { value = read }
  }
}

/// Bytes that are not those of a message.
package struct ProtobufError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason.
  package enum Reason: String, Hashable, Sendable {
    case truncated = "the message ends within a field"
    case varint = "a number has more than 64 bits"
    case wireType = "a field has another type than expected"
    case fieldNumber = "a field has no number"
    case group = "the message has a group, a kind of field that was abandoned"
    case revision = "a revision is one that no store has"
    case tooMany = "the message has too many elements"
  }

  package let reason: Reason
  /// The offset in the message.
  package let offset: Int

  package var description: String { "\(reason.rawValue) (at byte \(offset))" }
}
