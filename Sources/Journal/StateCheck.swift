internal import SQLite
internal import TurnLog
internal import Wire

/// Reads the states of a journal as a hub that starts from it does: a snapshot, then the changes of the turns after it.
struct StateCheck {
  /// The first state that a hub cannot read.
  struct Fault {
    /// True if the snapshot itself cannot be read.
    let isInSnapshot: Bool
    /// The last revision that can be read; that of the snapshot itself if that cannot.
    let readableRevision: UInt64
    let description: String
  }

  private let database: Database
  private let schemas: SchemaRows

  init(_ database: Database, _ schemas: SchemaRows) { (self.database, self.schemas) = (database, schemas) }

  /// Returns the first state from a snapshot on that a hub cannot read; nil if there is none.
  ///
  /// The check ends where the schema changes: a hub saves a snapshot there, which is checked instead.
  /// - Complexity: O(bytes of the snapshot and the turns after it), and the memory of the state as values.
  func fault(after snapshot: Inspection.SoundSnapshot) throws(SQLiteError) -> Fault? {
    let row = snapshot.row
    guard let schema = schemas.rows.first(where: { $0.fingerprint.bytes == row.fingerprint })?.schema,
      let bytes = try row.contents(from: database)?.state
    else { return nil }
    let values = SchemaValues(asReadByHubs: schema)
    var state: CBORValue
    do throws(WireError) {
      var decoder = CBORDecoder(bytes.span.bytes)
      state = try values.value(of: schema.state, from: &decoder)
      try decoder.finish()
    } catch {
      return Fault(
        isInSnapshot: true, readableRevision: row.revision,
        description: "a hub cannot read the snapshot of revision \(row.revision): \(error)")
    }
    var cursor = try TurnCursor(database, after: Head.Place(position: row.position, checksum: row.turnChecksum))
    defer { cursor.pause() }
    while let turn = try next(of: &cursor), turn.position <= snapshot.reach.position {
      guard schemas.index(at: turn.position).map({ schemas.rows[$0].schema }) == schema else { return nil }
      guard !turn.delta.isEmpty else { continue }
      do throws(WireError) {
        var change = CBORDecoder(turn.delta.span.bytes)
        state = try values.applying(&change, to: state, of: schema.state)
        try change.finish()
      } catch {
        let revisions = "revision \(turn.revision), in turn \(turn.position)"
        return Fault(
          isInSnapshot: false, readableRevision: turn.baseRevision,
          description: "a hub cannot read the change from revision \(turn.baseRevision) to \(revisions): \(error)")
      }
    }
    return nil
  }

  /// Reads a turn; returns nil after the last sound one.
  private func next(of cursor: inout TurnCursor) throws(SQLiteError) -> LoggedTurn? {
    do throws(TurnCursor.Fault) { return try cursor.next() } catch {
      switch error {
      case .damaged: return nil
      case .database(let error): throw error
      }
    }
  }
}
