import Wire

extension Engine {
  /// The bytes of the state.
  func encodedState() -> [UInt8] {
    let pieces = currentVersion().pieces()
    var bytes: [UInt8] = []
    while let piece = pieces.next(limit: 1 << 20) { bytes += piece }
    return bytes
  }

  /// True if `replacement` has all of the state.
  func isReplaceable(byteLimit: Int) -> Bool {
    let pieces = currentVersion().pieces()
    var byteCount = 0
    while byteCount <= byteLimit, let piece = pieces.next(limit: 1 << 20) { byteCount += piece.count }
    return byteCount <= byteLimit
  }

  /// The delta that leads to the state from every other one; if the state has more bytes than the limit, the empty delta.
  func replacement(byteLimit: Int) -> [UInt8] {
    var state: [UInt8] = []
    var delta = CBOREncoder()
    let version = currentVersion()
    let pieces = version.pieces()
    while let piece = pieces.next(limit: 1 << 20) {
      state += piece
      guard state.count <= byteLimit else {
        version.encodeDelta(from: version, to: &delta)
        return delta.bytes
      }
    }
    var decoder = CBORDecoder(state.span.bytes)
    do throws(WireError) {
      try SchemaValues(schema).writeReplacement(by: &decoder, of: schema.state, to: &delta)
    } catch {
      preconditionFailure("the engine's state does not have the form of its schema: \(error)")
    }
    return delta.bytes
  }
}
