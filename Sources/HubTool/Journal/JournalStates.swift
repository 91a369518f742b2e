internal import Journal
internal import TurnLog
internal import Wire

/// Iterates over the turns of a journal, with the state after each.
final class JournalStates {
  let reader: JournalReader
  private var changes: [JournalHistory.SchemaChange]
  private var schemaIndex: Int
  /// The position of the turn that led to the current state; at first, that of the start.
  private(set) var position: UInt64
  private(set) var revision: UInt64
  /// The time of that turn in milliseconds since 1970; 0 before the first one was read.
  private(set) var time: Int64 = 0
  /// The state after that turn.
  private(set) var value: CBORValue
  private var waiting: [LoggedTurn] = []
  private var nextWaiting = 0

  /// Starts with the last snapshot that does not contain turns after a position.
  ///
  /// - Complexity: O(state).
  init(_ reader: JournalReader, upTo position: UInt64) throws(ToolFailure) {
    self.reader = reader
    let (schemas, snapshot) = try Self.attempt { () throws(LogError) in
      (try reader.schemas(), try reader.snapshot(upTo: position))
    }
    // A hub writes the schema with its first turn, and may save a snapshot before it.
    guard let snapshot,
      let first = schemas.lastIndex(where: {
        $0.firstPosition <= snapshot.position + 1 && $0.schema == snapshot.schema
      })
    else {
      let start = try Self.attempt { () throws(LogError) in try reader.snapshots().first?.revision }
      let reason = start.map { ": its states begin with revision \($0)" } ?? ""
      throw ToolFailure(.absent, "the journal does not go back that far\(reason)")
    }
    (changes, schemaIndex) = (schemas, first)
    (self.position, revision) = (snapshot.position, snapshot.revision)
    do throws(WireError) {
      var decoder = CBORDecoder(snapshot.bytes.span.bytes)
      value = try SchemaValues(snapshot.schema).value(of: snapshot.schema.state, from: &decoder)
    } catch {
      throw ToolFailure(.damaged, "the snapshot of revision \(snapshot.revision) cannot be read: \(error)")
    }
  }

  /// The schema of the state.
  var schema: Schema { changes[schemaIndex].schema }

  /// The schemas of the journal, oldest first.
  var schemas: [Schema] { changes.map(\.schema) }

  /// Advances to the next turn, and returns it with the state before it; nil after the last one.
  func next() throws(ToolFailure) -> (turn: LoggedTurn, before: CBORValue)? {
    if nextWaiting == waiting.count {
      waiting = try Self.attempt { () throws(LogError) in try reader.read(from: position + 1, byteLimit: 1 << 20) }
      nextWaiting = 0
      // The hub may have been upgraded since the last turns were read.
      if !waiting.isEmpty { changes = try Self.attempt { () throws(LogError) in try reader.schemas() } }
    }
    guard nextWaiting < waiting.count else { return nil }
    let turn = waiting[nextWaiting]
    nextWaiting += 1
    try takeSchema(at: turn)
    let before = value
    if !turn.delta.isEmpty {
      do throws(WireError) {
        var change = CBORDecoder(turn.delta.span.bytes)
        value = try SchemaValues(schema).applying(&change, to: before, of: schema.state)
        try change.finish()
      } catch {
        throw ToolFailure(.damaged, "turn \(turn.position) does not fit the state before it: \(error)")
      }
    }
    (position, revision, time) = (turn.position, turn.revision, turn.time)
    return (turn, before)
  }

  /// Converts the state to the schema that applies from a turn on.
  private func takeSchema(at turn: LoggedTurn) throws(ToolFailure) {
    while schemaIndex + 1 < changes.count, changes[schemaIndex + 1].firstPosition <= turn.position {
      let next = changes[schemaIndex + 1].schema
      if let converted = converted(by: turn, to: next) {
        value = converted
      } else {
        value = try Self.mapped(value, from: schema, to: next)
      }
      schemaIndex += 1
    }
  }

  /// The state as the hub converted it; nil if its snapshot is gone.
  ///
  /// Only the hub knows the default values of new fields. The turn usually replaces the whole state, but that of a very
  /// large state, or of an earlier release, changes nothing.
  private func converted(by turn: LoggedTurn, to schema: Schema) -> CBORValue? {
    guard turn.actions.isEmpty, let snapshot = try? reader.snapshot(upTo: turn.position),
      snapshot.position == turn.position, snapshot.schema == schema
    else { return nil }
    var decoder = CBORDecoder(snapshot.bytes.span.bytes)
    return try? SchemaValues(schema).value(of: schema.state, from: &decoder)
  }

  /// Returns a state converted to another schema.
  static func mapped(_ value: CBORValue, from old: Schema, to new: Schema) throws(ToolFailure) -> CBORValue {
    guard old != new else { return value }
    do {
      let mapping = try SchemaMapping(from: old, to: new, .state)
      let bytes = value.encoded()
      var decoder = CBORDecoder(bytes.span.bytes)
      var encoder = CBOREncoder()
      try mapping.mapValue(&decoder, to: &encoder)
      let mapped = encoder.bytes
      var reading = CBORDecoder(mapped.span.bytes)
      return try SchemaValues(new).value(of: new.state, from: &reading)
    } catch {
      throw ToolFailure(
        .failed, "the feature changed in between, and an older state cannot be brought into its form: \(error)")
    }
  }

  /// Reads from a journal, and converts its errors to those of the tool.
  static func attempt<Result>(_ body: () throws(LogError) -> Result) throws(ToolFailure) -> Result {
    do throws(LogError) { return try body() } catch {
      switch error.problem {
      case .damaged: throw ToolFailure(.damaged, error.description)
      case .trimmed: throw ToolFailure(.absent, error.description)
      case .storage, .full, .inUse, .unknownFormat: throw ToolFailure(.failed, error.description)
      }
    }
  }
}
