import Wire

/// An entry with its bytes and its checksum.
package struct EncodedEntry: Equatable, Sendable {
  /// The entry.
  package let entry: LogEntry
  /// The bytes, as the log and the journals have them.
  package let bytes: [UInt8]
  /// The checksum of all bytes before it.
  package let checksum: UInt64

  /// Encodes an entry.
  /// - Precondition: The bytes are at most `LogEntry.byteLimit`; the caller has limited the turns.
  package init(_ entry: LogEntry) {
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: 8)
    encoder.unsigned(EncodedEntry.format)
    encoder.unsigned(entry.position)
    entry.leader.encode(to: &encoder)
    entry.schema.encode(to: &encoder)
    encoder.checksum(entry.previous)
    switch entry.content {
    case .opening:
      encoder.unsigned(0)
      encoder.null()
    case .turns(let first, let turns):
      encoder.unsigned(1)
      encoder.arrayHeader(count: 1 + turns.count)
      encoder.unsigned(first)
      for turn in turns { encoder.byteString(turn.span.bytes) }
    case .parts(let turn, let parts):
      encoder.unsigned(2)
      encoder.arrayHeader(count: 4)
      encoder.unsigned(turn)
      encoder.unsigned(UInt64(parts.count))
      encoder.unsigned(UInt64(parts.byteCount))
      encoder.checksum(parts.checksum)
    case .handover(let node):
      encoder.unsigned(3)
      node.encode(to: &encoder)
    }
    checksum = Checksum.of(encoder.span)
    encoder.checksum(checksum)
    precondition(encoder.count <= LogEntry.byteLimit, "an entry of \(encoder.count) bytes")
    (self.entry, bytes) = (entry, encoder.bytes)
  }

  /// The version of the format of entries.
  package static let format: UInt64 = 1

  /// Reads an entry and checks all that `init(_:)` guarantees, so that the entry is encoded as the same bytes.
  /// - Throws: `LogDamage`, with the offset of the first byte that an entry cannot have.
  package init(decoding bytes: [UInt8]) throws(LogDamage) {
    guard bytes.count <= LogEntry.byteLimit else { throw LogDamage("an entry has \(bytes.count) bytes") }
    let isSound: Bool
    do throws(WireError) {
      var decoder = CBORDecoder(bytes.span.bytes)
      try decoder.tuple(8)
      let format = try decoder.unsigned()
      guard format == EncodedEntry.format else {
        throw WireError(.unknownCase(format, type: "the format of an entry"), at: 1)
      }
      entry = try LogEntry(from: &decoder)
      let end = decoder.offset
      checksum = try decoder.checksum()
      try decoder.finish()
      isSound = Checksum.of(bytes.span.bytes.extracting(0..<end)) == checksum
    } catch {
      throw LogDamage("an entry cannot be read: \(error)")
    }
    guard isSound else { throw LogDamage("an entry has another checksum than its bytes") }
    self.bytes = bytes
  }
}

/// Bytes of the log that no leader has written.
package struct LogDamage: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension LogEntry {
  /// Reads everything between the format and the checksum.
  fileprivate init(from decoder: inout CBORDecoder) throws(WireError) {
    let position = try decoder.number(in: Self.numbers, of: "a position")
    let leader = try Leadership(from: &decoder)
    let schema = try SchemaFingerprint(from: &decoder)
    let previous = try decoder.checksum()
    let start = decoder.offset
    let content: Content
    switch try decoder.unsigned() {
    case 0:
      guard try decoder.null() else { throw WireError(.typeMismatch(expected: "null"), at: decoder.offset) }
      content = .opening
    case 1:
      let count = try decoder.arrayHeader()
      guard count > 1 else { throw WireError(.typeMismatch(expected: "turns"), at: start) }
      let first = try decoder.number(in: Self.numbers, of: "a turn")
      var turns: [[UInt8]] = []
      for _ in 1..<count {
        let start = decoder.offset
        let turn = [UInt8](try decoder.byteString())
        guard !turn.isEmpty else { throw WireError(.outOfRange(type: "turn of no bytes"), at: start) }
        turns.append(turn)
      }
      content = .turns(first: first, turns)
    case 2:
      try decoder.tuple(4)
      let turn = try decoder.number(in: Self.numbers, of: "a turn")
      let count = Int(try decoder.number(in: 1...UInt64(LargeTurn.partLimit), of: "parts"))
      let least = UInt64(count)
      let byteCount = Int(try decoder.number(in: least...least * UInt64(Self.byteLimit), of: "bytes of a turn"))
      content = .parts(
        turn: turn, LargeTurn(count: count, byteCount: byteCount, checksum: try decoder.checksum()))
    case 3: content = .handover(to: try NodeName(from: &decoder))
    case let kind: throw WireError(.unknownCase(kind, type: "an entry's content"), at: start)
    }
    self.init(position: position, leader: leader, schema: schema, previous: previous, content: content)
  }
}

extension LargeTurn {
  fileprivate init(count: Int, byteCount: Int, checksum: UInt64) {
    (self.count, self.byteCount, self.checksum) = (count, byteCount, checksum)
  }
}

extension CBOREncoder {
  /// Writes a checksum as eight bytes, most significant first, so that its size does not depend on its value.
  mutating func checksum(_ value: UInt64) {
    byteString([UInt8](bigEndian: value).span.bytes)
  }
}

extension CBORDecoder {
  @_lifetime(self: copy self)
  mutating func checksum() throws(WireError) -> UInt64 {
    let start = offset
    let bytes = [UInt8](try byteString(limit: 8))
    guard bytes.count == 8 else { throw WireError(.typeMismatch(expected: "a checksum of 8 bytes"), at: start) }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  @_lifetime(self: copy self)
  mutating func number(in range: ClosedRange<UInt64>, of type: String) throws(WireError) -> UInt64 {
    let start = offset
    let number = try unsigned()
    guard range.contains(number) else { throw WireError(.outOfRange(type: type), at: start) }
    return number
  }
}

extension [UInt8] {
  init(bigEndian value: UInt64) {
    self = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
  }
}
