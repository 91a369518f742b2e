package import TurnLog
package import Wire

/// Iterates over the turns of a journal, with the state after each.
package final class JournalStates {
  package let reader: JournalReader
  private var changes: [JournalHistory.SchemaChange]
  private var schemaIndex: Int
  /// The position of the turn that led to the current state; at first, that of the start.
  package private(set) var position: UInt64
  package private(set) var revision: UInt64
  /// The time of that turn in milliseconds since 1970; 0 before the first one was read.
  package private(set) var time: Int64 = 0
  /// The state after that turn.
  package private(set) var value: CBORValue
  /// The revision of a conversion whose default values the journal does not have.
  private var incompleteRevision: UInt64?
  private var waiting: [LoggedTurn] = []
  private var nextWaiting = 0

  /// Starts with the last snapshot that does not contain turns after a position.
  ///
  /// - Complexity: O(state).
  package init(_ reader: JournalReader, upTo position: UInt64) throws(LogError) {
    self.reader = reader
    let (schemas, snapshot) = (try reader.schemas(), try reader.snapshot(upTo: position))
    // A hub writes the schema with its first turn, and may save a snapshot before it.
    guard let snapshot,
      let first = schemas.lastIndex(where: {
        $0.firstPosition <= snapshot.position + 1 && $0.schema == snapshot.schema
      })
    else {
      let start = try reader.snapshots().first?.revision
      let reason = start.map { ": its states begin with revision \($0)" } ?? ""
      throw LogError(.trimmed, "the journal does not go back that far\(reason)")
    }
    (changes, schemaIndex) = (schemas, first)
    (self.position, revision) = (snapshot.position, snapshot.revision)
    do throws(WireError) {
      var decoder = CBORDecoder(snapshot.bytes.span.bytes)
      value = try SchemaValues(snapshot.schema).value(of: snapshot.schema.state, from: &decoder)
    } catch {
      throw LogError(.damaged, "the snapshot of revision \(snapshot.revision) cannot be read: \(error)")
    }
  }

  /// The schema of the state.
  package var schema: Schema { changes[schemaIndex].schema }

  /// The schemas of the journal, oldest first.
  package var schemas: [Schema] { changes.map(\.schema) }

  /// Advances to the next turn, and returns it with the state before it; nil after the last one.
  package func next() throws(LogError) -> (turn: LoggedTurn, before: CBORValue)? {
    if nextWaiting == waiting.count {
      waiting = try reader.read(from: position + 1, byteLimit: 1 << 20)
      nextWaiting = 0
      // The hub may have been upgraded since the last turns were read.
      if !waiting.isEmpty { changes = try reader.schemas() }
    }
    guard nextWaiting < waiting.count else { return nil }
    let turn = waiting[nextWaiting]
    nextWaiting += 1
    let isConversion = try takeSchema(at: turn)
    let before = value
    if !turn.delta.isEmpty {
      do throws(WireError) {
        var change = CBORDecoder(turn.delta.span.bytes)
        value = try SchemaValues(schema).applying(&change, to: before, of: schema.state)
        try change.finish()
      } catch {
        if let incompleteRevision {
          throw LogError(
            .unknownFormat,
            "the feature changed in revision \(incompleteRevision), and its new values are in no snapshot")
        }
        let revisions = "revision \(turn.baseRevision) to \(turn.revision), in turn \(turn.position)"
        throw LogError(.damaged, "the change from \(revisions), does not fit the state before it: \(error)")
      }
    }
    // The turn usually replaces the whole state, but that of a very large one, or of an earlier release, changes nothing.
    if isConversion, turn.actions.isEmpty, value == before {
      if let converted = converted(by: turn, to: schema) {
        (value, incompleteRevision) = (converted, nil)
      } else {
        incompleteRevision = turn.revision
      }
    }
    (position, revision, time) = (turn.position, turn.revision, turn.time)
    return (turn, before)
  }

  /// Brings the state into the form of the schema that applies from a turn on; returns true if it is another one.
  ///
  /// New fields do not get their default values, which only the hub knows.
  private func takeSchema(at turn: LoggedTurn) throws(LogError) -> Bool {
    let old = schemaIndex
    while schemaIndex + 1 < changes.count, changes[schemaIndex + 1].firstPosition <= turn.position {
      let next = changes[schemaIndex + 1].schema
      do throws(LogError) { value = try Self.mapped(value, from: schema, to: next) } catch {
        guard let converted = converted(by: turn, to: next) else { throw error }
        value = converted
      }
      schemaIndex += 1
    }
    return schemaIndex > old
  }

  /// The state as the hub converted it; nil if it has no snapshot.
  private func converted(by turn: LoggedTurn, to schema: Schema) -> CBORValue? {
    guard turn.actions.isEmpty, let snapshots = try? reader.snapshots(),
      snapshots.contains(where: { $0.position == turn.position }),
      let snapshot = try? reader.snapshot(upTo: turn.position), snapshot.schema == schema
    else { return nil }
    var decoder = CBORDecoder(snapshot.bytes.span.bytes)
    return try? SchemaValues(schema).value(of: schema.state, from: &decoder)
  }

  /// Returns a state converted to another schema.
  package static func mapped(_ value: CBORValue, from old: Schema, to new: Schema) throws(LogError) -> CBORValue {
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
      throw LogError(
        .unknownFormat, "the feature changed in between, and an older state cannot be brought into its form: \(error)")
    }
  }
}
