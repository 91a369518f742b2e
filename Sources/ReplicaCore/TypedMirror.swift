public import Wire

/// A mirror of a part of the compiled feature.
///
/// The value changes in place, so that observers of unchanged fields are not notified.
public final class TypedMirror<Part: Replicated>: Mirror {
  /// The part at `revision`; nil before it is known, and while it does not exist.
  public private(set) var part: Part?
  /// The last value of the part before it was removed.
  public private(set) var last: Part?
  /// The hub's revision of the part; nil before it is known.
  public private(set) var revision: UInt64?

  /// Creates a mirror without a value.
  public init() {}

  /// Does nothing: the type is known.
  public func attach(_ schema: Schema, at path: [PathStep]) {}

  /// Replaces the value, changing only the parts that differ.
  public func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool {
    let new = try Part(decoding: value)
    self.revision = revision
    guard let part else {
      part = new
      return true
    }
    guard new.differs(from: part) else { return false }
    // Observers of unchanged fields are not notified.
    var encoder = CBOREncoder()
    new.encodeDelta(from: part, to: &encoder)
    let bytes = encoder.bytes
    var decoder = CBORDecoder(bytes.span.bytes)
    do throws(WireError) {
      try self.part?.apply(delta: &decoder)
    } catch {
      // The reader of the own delta is at fault; the value itself is right.
      self.part = new
    }
    return true
  }

  /// Applies a change completely or not at all.
  public func apply(_ change: consuming CBORDecoder, at revision: UInt64) throws(WireError) {
    guard let base = part else { throw WireError(.doesNotFit(type: "part that is not there"), at: change.offset) }
    do throws(WireError) {
      try part?.apply(delta: &change)
      try change.finish()
    } catch {
      part = base
      throw error
    }
    self.revision = revision
  }

  /// Records that the part is unchanged at a later revision.
  public func advance(to revision: UInt64) { self.revision = revision }

  /// Records that the part does not exist.
  public func remove(at revision: UInt64) {
    if part != nil { last = part }
    part = nil
    self.revision = revision
  }

  /// Returns the hash of the part; nil if it does not exist.
  public func hash() -> StateHash? { part?.stateHash() }
}
