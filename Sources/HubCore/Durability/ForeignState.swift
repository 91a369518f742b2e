import Wire

/// A state of another schema, in its own form.
///
/// A turn may put a value into the state that the feature does not have, such as a case of an enum, and a later turn may
/// remove it. The turns can then not be converted one by one, but the state after them can.
struct ForeignState {
  let schema: Schema
  private let snapshot: [UInt8]
  private var deltas: [[UInt8]] = []
  /// True if the snapshot is empty, because the state before the first turn is not known in this schema.
  private var beginsEmpty = false

  init(_ snapshot: RawSpan, of schema: Schema) {
    self.schema = schema
    self.snapshot = Self.copy(snapshot)
  }

  /// The state of another schema, in the form of a schema whose turns follow it: converted by name, if it fits. Otherwise
  /// the first turn must contain the whole state, as that of a conversion does.
  init(_ state: [UInt8], of source: Schema, continuedIn schema: Schema) throws(WireError) {
    self.schema = schema
    var encoder = CBOREncoder()
    var decoder = CBORDecoder(state.span.bytes)
    if let mapping = try? SchemaMapping(from: source, to: schema, .state),
      (try? mapping.mapValue(&decoder, to: &encoder)) != nil
    {
      snapshot = encoder.bytes
    } else {
      (snapshot, beginsEmpty) = ([], true)
    }
  }

  mutating func append(_ delta: RawSpan) { deltas.append(Self.copy(delta)) }

  /// The state after the deltas.
  /// - Complexity: O(bytes), with a multiple of their memory.
  func encoded() throws(WireError) -> [UInt8] {
    let values = SchemaValues(schema)
    var state = CBORValue.map([])
    if !beginsEmpty {
      var decoder = CBORDecoder(snapshot.span.bytes)
      state = try values.value(of: schema.state, from: &decoder)
    }
    if let first = deltas.first, beginsEmpty {
      var change = CBORDecoder(first.span.bytes)
      state = try values.applyingReplacement(&change, of: schema.state)
    }
    for delta in deltas.dropFirst(beginsEmpty ? 1 : 0) {
      var change = CBORDecoder(delta.span.bytes)
      state = try values.applying(&change, to: state, of: schema.state)
    }
    return state.encoded()
  }

  private static func copy(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
}
