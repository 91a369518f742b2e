import Wire

/// The conversion of values, actions and paths for a hub with another schema.
struct Translation {
  /// Converts the client's paths to the hub's.
  let paths: SchemaMapping
  /// Converts the hub's states to the client's; nil if they are the same.
  let state: SchemaMapping?
  /// Converts the client's actions to the hub's; nil if they are the same.
  let action: SchemaMapping?

  /// - Throws: The first incompatible difference.
  init(from theirs: Schema, to ours: Schema, byName: Bool) throws(SchemaMismatch) {
    paths = try SchemaMapping(from: ours, to: theirs, .state)
    state = byName ? try SchemaMapping(from: theirs, to: ours, .state) : nil
    // A hub skips a field that it does not have, and with it what is changed there; a mapping refuses the action.
    let mapsActions = byName || ours.hasSharedChanges
    action = mapsActions ? try SchemaMapping(from: ours, to: theirs, .action) : nil
  }
}

extension SchemaMapping {
  /// Converts one value.
  func mapValue(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    try mapValue(&decoder, to: &encoder)
    try decoder.finish()
    return encoder.bytes
  }
}
