public import Wire

extension LoggedTurn: WireValue {
  /// Writes `[position, base revision, revision, time, actions, delta, sessions, effects]`; actions and delta are byte
  /// strings.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 8)
    encoder.unsigned(position)
    encoder.unsigned(baseRevision)
    encoder.unsigned(revision)
    encoder.integer(time)
    encoder.byteString(actions.span.bytes)
    encoder.byteString(delta.span.bytes)
    sessions.encode(to: &encoder)
    effects.encode(to: &encoder)
  }

  /// Reads a turn.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(8)
    position = try decoder.unsigned()
    baseRevision = try decoder.unsigned()
    revision = try decoder.unsigned()
    time = try decoder.integer()
    actions = [UInt8](try decoder.byteString())
    delta = [UInt8](try decoder.byteString())
    sessions = try [LoggedSession](from: &decoder)
    effects = try EffectChanges(from: &decoder)
  }
}
