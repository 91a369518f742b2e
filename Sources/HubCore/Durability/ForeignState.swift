import Wire

/// A state of another schema, in its own form.
///
/// A turn may put a value into the state that the feature does not have, such as a case of an enum, and a later turn may
/// remove it. The turns can then not be converted one by one, but the state after them can.
struct ForeignState {
  let schema: Schema
  private let snapshot: [UInt8]
  private var deltas: [[UInt8]] = []

  init(_ snapshot: RawSpan, of schema: Schema) {
    self.schema = schema
    self.snapshot = Self.copy(snapshot)
  }

  mutating func append(_ delta: RawSpan) { deltas.append(Self.copy(delta)) }

  /// The state after the deltas.
  /// - Complexity: O(bytes), with a multiple of their memory.
  func encoded() throws(WireError) -> [UInt8] {
    let values = SchemaValues(schema)
    var decoder = CBORDecoder(snapshot.span.bytes)
    var state = try values.value(of: schema.state, from: &decoder)
    for delta in deltas {
      var change = CBORDecoder(delta.span.bytes)
      state = try values.applying(&change, to: state, of: schema.state)
    }
    return state.encoded()
  }

  private static func copy(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
}
