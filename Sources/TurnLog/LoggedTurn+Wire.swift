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

  /// Reads a turn. It may be one of another node, which chooses what it contains, but not the form.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count == 8 || count == 9 else {
      throw WireError(.typeMismatch(expected: "an array of 8 or 9 items"), at: start)
    }
    position = try decoder.logNumber(of: "a turn")
    let revisions = decoder.offset
    baseRevision = try decoder.logNumber(of: "a revision")
    revision = try decoder.logNumber(of: "a revision")
    guard baseRevision <= revision else {
      throw WireError(.outOfRange(type: "the revision after a turn"), at: revisions)
    }
    time = try decoder.integer()
    actions = [UInt8](try decoder.byteString())
    delta = [UInt8](try decoder.byteString())
    sessions = try [LoggedSession](from: &decoder)
    effects = try EffectChanges(from: &decoder)
    region = count == 9 ? try RegionalSettings(from: &decoder) : .standard
  }
}

extension LoggedTurn {
  /// The numbers of turns, revisions, actions and connections in a log are below this: no hub gets so far. So the next
  /// one, and sums of a few of them, fit 64 bits, whatever another node has written.
  package static let numberLimit: UInt64 = 1 << 62
}

extension CBORDecoder {
  /// Reads a number of a log.
  /// - Parameter type: What it numbers, with its article.
  @_lifetime(self: copy self)
  mutating func logNumber(of type: String) throws(WireError) -> UInt64 {
    let start = offset
    let number = try unsigned()
    guard number < LoggedTurn.numberLimit else { throw WireError(.outOfRange(type: type), at: start) }
    return number
  }
}
