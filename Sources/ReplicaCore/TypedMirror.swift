public import Wire

/// A mirror of a part of a feature that the client was compiled with.
///
/// The value changes in place, so that observers of a field that stays the same are not notified.
public final class TypedMirror<Part: Replicated>: Mirror {
  /// The part as the hub had it at `revision`; nil before it is known, and while it is not there.
  public private(set) var part: Part?
  /// The last value of the part before it went away.
  public private(set) var last: Part?
  /// The hub's revision of the part; nil before it is known.
  public private(set) var revision: UInt64?

  /// Creates a mirror without a value.
  public init() {}

  /// Does nothing: the type is known.
  public func attach(_ schema: Schema, at path: [PathStep]) {}

  /// Takes a whole value, changing only what is different.
  public func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool {
    let new = try Part(decoding: value)
    defer { self.revision = revision }
    guard let part else {
      part = new
      return true
    }
    guard new.differs(from: part) else { return false }
    // The observers of a field that is the same are not notified.
    var encoder = CBOREncoder()
    new.encodeDelta(from: part, to: &encoder)
    let bytes = encoder.bytes
    var decoder = CBORDecoder(bytes.span.bytes)
    try self.part?.apply(delta: &decoder)
    return true
  }

  /// Applies a change whole or not at all.
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

  /// Takes note that the part is the same at a later revision.
  public func advance(to revision: UInt64) { self.revision = revision }

  /// Takes note that the part is not there.
  public func remove(at revision: UInt64) {
    if part != nil { last = part }
    part = nil
    self.revision = revision
  }

  /// The hash of the part; nil if it is not there.
  public func hash() -> StateHash? { part?.stateHash() }
}
