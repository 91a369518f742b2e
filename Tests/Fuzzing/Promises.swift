import Wire

/// The guarantees of all encodable values, for any bytes.
enum Promises {
  /// A decoded value is encoded as bytes that decode to an equal value; unknown keys of structs may be lost.
  static func rewriting<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) throws {
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let value = try? Value(from: &decoder) else { return }
    let written = value.encoded()
    guard let again = try? Value(decoding: written.span.bytes), again.encoded() == written else {
      throw BrokenPromise("\(type) is not read as it was written: \(written.hexadecimal)")
    }
  }

  /// A decoded value is encoded as the same bytes.
  static func roundTrip<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) throws {
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let value = try? Value(from: &decoder) else { return }
    let end = decoder.offset
    try promise(value.encoded().elementsEqual(bytes[..<end]), "\(type) is written otherwise than it was read")
  }

  /// The change from one value to another, applied to the first, gives the second.
  static func change<Value: Replicated>(from base: Value, to result: Value) throws {
    let (old, new) = (base.encoded(), result.encoded())
    try promise(result.differs(from: base) == (old != new), "\(Value.self): differs(from:) is not what the bytes say")
    var encoder = CBOREncoder()
    result.encodeDelta(from: base, to: &encoder)
    var decoder = CBORDecoder(encoder.span)
    do throws(WireError) {
      let applied = try base.applying(delta: &decoder)
      try decoder.finish()
      let bytes = applied.encoded()
      guard bytes == new else { throw WireError(.doesNotFit(type: "result"), at: 0) }
      guard applied.stateHash() == result.stateHash() else { throw WireError(.doesNotFit(type: "hash"), at: 0) }
    } catch {
      throw BrokenPromise("\(Value.self): the change \(encoder.bytes.hexadecimal) of \(old.hexadecimal): \(error)")
    }
  }

  /// Any change is applied completely or not at all, and gives a value that can be encoded.
  static func application<Value: Replicated>(of delta: [UInt8], to base: Value, check: (Value) throws -> Void) throws {
    let before = base.encoded()
    var decoder = CBORDecoder(delta.span.bytes)
    let result = try? base.applying(delta: &decoder)
    var wholeDecoder = CBORDecoder(delta.span.bytes)
    var whole = base
    let isApplied = (try? whole.applyWhole(delta: &wholeDecoder)) != nil
    try promise(isApplied == (result != nil), "applyWhole and applying do not agree")
    guard let result else {
      return try promise(whole.encoded() == before, "applyWhole has thrown and left something changed")
    }
    let bytes = result.encoded()
    try promise(decoder.offset == wholeDecoder.offset, "applyWhole has read another number of bytes")
    try promise(whole.encoded() == bytes, "applyWhole has made another value")
    try promise(base.encoded() == before, "applying has changed the value that it was applied to")
    try check(result)
    guard let again = try? Value(decoding: bytes.span.bytes) else {
      throw BrokenPromise("what a change made cannot be read: \(bytes.hexadecimal)")
    }
    try promise(again.encoded() == bytes, "what a change made is read as something else")
    try promise(again.stateHash() == result.stateHash(), "two equal values have different hashes")
    try change(from: base, to: result)
    try change(from: result, to: base)
  }
}
