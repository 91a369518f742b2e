import Wire

/// What has to be done with bytes and paths for a hub that was compiled from another source.
struct Translation {
  /// Paths here to paths there.
  let paths: SchemaMapping
  /// States there to states here; nil when they can be read as they are.
  let state: SchemaMapping?
  /// Actions here to actions there; nil when they can be read as they are.
  let action: SchemaMapping?

  /// - Throws: The first difference that matters.
  init(from theirs: Schema, to ours: Schema, byName: Bool) throws(SchemaMismatch) {
    paths = try SchemaMapping(from: ours, to: theirs, .state)
    state = byName ? try SchemaMapping(from: theirs, to: ours, .state) : nil
    action = byName ? try SchemaMapping(from: ours, to: theirs, .action) : nil
  }
}

extension SchemaMapping {
  /// One value mapped.
  func mapValue(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    try mapValue(&decoder, to: &encoder)
    try decoder.finish()
    return encoder.bytes
  }
}
