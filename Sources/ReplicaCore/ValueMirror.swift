public import Wire

/// A mirror for tools that were compiled without the feature; it reads its value by the schema.
public final class ValueMirror: Mirror {
  /// The part at `revision`; nil before it is known, and while it does not exist.
  public private(set) var value: CBORValue?
  /// The last value of the part before it was removed.
  public private(set) var last: CBORValue?
  /// The hub's revision of the part; nil before it is known.
  public private(set) var revision: UInt64?
  /// The schema and the part's type in it; nil before the first connection. For a window, the schema also has its type.
  public private(set) var type: (schema: Schema, type: SchemaType)?

  /// True if it mirrors a window of a collection.
  private(set) var isWindow = false

  /// The last comparison of the value's hash with the hub's.
  public private(set) var lastComparison: HashComparison?

  /// Creates a mirror without a value.
  public init() {}

  /// Looks up the type of the part.
  public func attach(_ schema: Schema, at path: [PathStep]) throws(SchemaPathError) {
    let rooted = try schema.rooted(at: path)
    type = (rooted, rooted.state)
    isWindow = path.last?.isWindow ?? false
  }

  /// Replaces the value, and returns true if it differs from the previous one.
  public func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool {
    guard let type else { throw WireError(.doesNotFit(type: "part of an unknown type"), at: 0) }
    var decoder = CBORDecoder(value)
    let new = try SchemaValues(type.schema).value(of: type.type, from: &decoder)
    try decoder.finish()
    self.revision = revision
    defer { self.value = new }
    return new != self.value
  }

  /// Applies a change completely or not at all.
  public func apply(_ change: consuming CBORDecoder, at revision: UInt64) throws(WireError) {
    guard let type, let value else {
      throw WireError(.doesNotFit(type: "part that is not there"), at: change.offset)
    }
    let new = try SchemaValues(type.schema).applying(&change, to: value, of: type.type)
    try change.finish()
    (self.value, self.revision) = (new, revision)
  }

  /// Records that the part is unchanged at a later revision.
  public func advance(to revision: UInt64) { self.revision = revision }

  /// Records that the part does not exist.
  public func remove(at revision: UInt64) {
    if value != nil { last = value }
    (value, self.revision) = (nil, revision)
  }

  /// Returns the hash of the value, by its schema.
  /// - Complexity: O(size of the value).
  public func hash() -> StateHash? {
    guard let type, let value else { return nil }
    return SchemaValues(type.schema).hash(of: value, as: type.type)
  }

  /// Keeps the comparison.
  public func compared(_ comparison: HashComparison) { lastComparison = comparison }
}
