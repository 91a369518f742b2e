public import Wire

extension LoggedTurn: WireValue {
  /// Writes `[position, base revision, revision, time, actions, delta, sessions, effects, region]`; actions and delta are byte
  /// strings. The region is missing if it is the standard.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: region == .standard ? 8 : 9)
    encoder.unsigned(position)
    encoder.unsigned(baseRevision)
    encoder.unsigned(revision)
    encoder.integer(time)
    encoder.byteString(actions.span.bytes)
    encoder.byteString(delta.span.bytes)
    sessions.encode(to: &encoder)
    effects.encode(to: &encoder)
    if region != .standard { region.encode(to: &encoder) }
  }

  /// Reads a turn.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count == 8 || count == 9 else {
      throw WireError(.typeMismatch(expected: "an array of 8 or 9 items"), at: start)
    }
    position = try decoder.unsigned()
    baseRevision = try decoder.unsigned()
    revision = try decoder.unsigned()
    time = try decoder.integer()
    actions = [UInt8](try decoder.byteString())
    delta = [UInt8](try decoder.byteString())
    sessions = try [LoggedSession](from: &decoder)
    effects = try EffectChanges(from: &decoder)
    region = count == 9 ? try RegionalSettings(from: &decoder) : .standard
  }
}
