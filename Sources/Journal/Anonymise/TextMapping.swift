internal import TurnLog
internal import Wire

/// Passes all texts of states and turns through a function, and writes them with the results.
struct TextMapping {
  /// The result for a text that users have written: that of an action, or a name.
  let ofUsers: @Sendable (String) -> String
  /// The result for a text of a state.
  let ofStates: @Sendable (String) -> String
  /// The result for the reason of a refused action.
  let ofReasons: @Sendable (String) -> String
  private var mappings: [Schema: (state: SchemaMapping, action: SchemaMapping)] = [:]

  init(
    ofUsers: @escaping @Sendable (String) -> String, ofStates: @escaping @Sendable (String) -> String,
    ofReasons: @escaping @Sendable (String) -> String
  ) {
    (self.ofUsers, self.ofStates, self.ofReasons) = (ofUsers, ofStates, ofReasons)
  }

  private mutating func mapping(for schema: Schema) -> (state: SchemaMapping, action: SchemaMapping) {
    if let found = mappings[schema] { return found }
    let new = (
      state: SchemaMapping(replacingTextsOf: schema, .state, by: ofStates),
      action: SchemaMapping(replacingTextsOf: schema, .action, by: ofUsers)
    )
    mappings[schema] = new
    return new
  }

  /// Returns the bytes of a state.
  mutating func state(_ bytes: [UInt8], _ schema: Schema) throws(WireError) -> [UInt8] {
    try map(bytes) { [mapping = mapping(for: schema).state] (decoder, encoder) throws(WireError) in
      try mapping.mapValue(&decoder, to: &encoder)
    }
  }

  /// Returns a turn.
  mutating func turn(_ turn: LoggedTurn, _ schema: Schema) throws(WireError) -> LoggedTurn {
    let (state, action) = mapping(for: schema)
    var turn = turn
    turn.actions = try map(turn.actions) { (decoder, encoder) throws(WireError) in
      var run = try LoggedActions(from: &decoder)
      run.actions = try map(run.actions) { (decoder, encoder) throws(WireError) in
        try action.mapValue(&decoder, to: &encoder)
      }
      run.encode(to: &encoder)
    }
    turn.delta = try map(turn.delta) { (decoder, encoder) throws(WireError) in
      try state.mapChange(&decoder, to: &encoder)
    }
    for index in turn.effects.begun.indices {
      turn.effects.begun[index].action = try map(turn.effects.begun[index].action) {
        (decoder, encoder) throws(WireError) in try action.mapValue(&decoder, to: &encoder)
      }
    }
    for index in turn.sessions.indices {
      turn.sessions[index].name = ofUsers(turn.sessions[index].name)
      turn.sessions[index].userName = ofUsers(turn.sessions[index].userName)
      turn.sessions[index].rejections = turn.sessions[index].rejections.map {
        Rejected(sequence: $0.sequence, code: $0.code, reason: ofReasons($0.reason))
      }
    }
    return turn
  }

  /// Maps each item of a CBOR sequence.
  private func map(
    _ bytes: [UInt8], _ item: (inout CBORDecoder, inout CBOREncoder) throws(WireError) -> Void
  ) throws(WireError) -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    while !decoder.isAtEnd { try item(&decoder, &encoder) }
    return encoder.bytes
  }
}
