// A change is what an author did to a value, so that it can be merged into another version of that value. It has the form
// of a delta, with these differences: nothing in it refers to a position of the base alone, and what no longer fits is
// passed over. docs/SHARED-MODEL.md states the rules for every type.

extension Replicated {
  /// Writes the change from `base` to this value, which can be merged into any other version of the value.
  ///
  /// Merged into `base`, it gives a value with the bytes of this one. If nothing differs, it is `{}` for a value with
  /// parts, and the value itself for others.
  /// - Complexity: That of `encodeDelta(from:to:)`.
  public func encodeChange(from base: Self, to encoder: inout CBOREncoder) {
    let isMerging = encoder.isMerging
    encoder.isMerging = true
    encodeDelta(from: base, to: &encoder)
    encoder.isMerging = isMerging
  }

  /// The change from `base` to this value.
  public func change(from base: Self) -> [UInt8] {
    var encoder = CBOREncoder()
    encodeChange(from: base, to: &encoder)
    return encoder.bytes
  }

  /// Reads a change and merges it into the value, entirely or not at all.
  ///
  /// Parts of the change whose place is gone are passed over: those of an absent element, key or optional, or of another
  /// case of an enum.
  ///
  /// - Throws: The problem with the bytes, `changedID` for a change that would give an element another id, or
  ///   `outOfRange` for a sum that its counter cannot hold. The value is then as before.
  /// - Complexity: That of `applyWhole(delta:)`.
  public mutating func merge(change decoder: inout CBORDecoder) throws(WireError) {
    let isMerging = decoder.isMerging
    decoder.isMerging = true
    defer { decoder.isMerging = isMerging }
    try applyWhole(delta: &decoder)
  }

  /// Merges a change that consists of exactly these bytes, entirely or not at all.
  public mutating func merge(change bytes: RawSpan) throws(WireError) {
    let base = self
    var decoder = CBORDecoder(bytes)
    decoder.isMerging = true
    do throws(WireError) {
      try apply(delta: &decoder)
      try decoder.finish()
    } catch {
      self = base
      throw error
    }
  }
}

extension CBORDecoder {
  /// Refuses the next item, a delta that does not fit the value to which it is applied, or moves past it if it is part of
  /// a change that is merged.
  ///
  /// - Parameters:
  ///   - type: The type of the value, for the error.
  ///   - start: The offset of the error.
  /// - Throws: `doesNotFit` for a delta; the problem with the bytes of a change.
  @_lifetime(self: copy self)
  public mutating func passOver(_ type: StaticString, at start: Int) throws(WireError) {
    guard isMerging else { throw WireError(.doesNotFit(type: "\(type)"), at: start) }
    try skip()
  }
}
