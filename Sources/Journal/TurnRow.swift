internal import SQLite
internal import TurnLog
internal import Wire

/// The checksum of a turn, chained to the previous turn.
func turnChecksum(
  after previous: UInt64, _ position: UInt64, _ baseRevision: UInt64, _ revision: UInt64, _ time: Int64,
  _ total: UInt64, _ actions: UnsafeRawBufferPointer, _ delta: UnsafeRawBufferPointer,
  _ sessions: UnsafeRawBufferPointer
) -> UInt64 {
  Checksum.of(words: [
    previous, position, baseRevision, revision, UInt64(bitPattern: time), total, UInt64(actions.count),
    UInt64(delta.count), Checksum.of(actions.bytes), Checksum.of(delta.bytes), Checksum.of(sessions.bytes),
  ])
}

/// Appends rows to `turns`.
struct TurnInsertion {
  private let statement: Statement
  private var encoder = CBOREncoder()

  init(_ database: Database) throws(SQLiteError) {
    statement = try database.prepare(
      """
      INSERT INTO turns (position, base_revision, revision, time_ms, total, actions, delta, sessions, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, for: "store a turn")
  }

  /// Writes the row of a turn after the head's tail, and moves the tail.
  mutating func insert(_ turn: LoggedTurn, at time: Int64, movingTailOf head: inout Head) throws(SQLiteError) {
    encoder.removeAll()
    if !turn.sessions.isEmpty {
      encoder.arrayHeader(count: turn.sessions.count)
      for session in turn.sessions { session.encode(to: &encoder) }
    }
    let statement = statement
    var actions = turn.actions
    if !turn.effects.isEmpty { actions = turn.effects.encoded() + actions }
    if turn.region != .standard { actions = turn.region.encoded() + actions }
    let total = head.tail.total + UInt64(actions.count + turn.delta.count + encoder.count)
    let previous = head.tail.checksum
    let sessions = encoder.bytes
    let checksum = try actions.span.bytes.withUnsafeBytes { actions throws(SQLiteError) in
      try turn.delta.span.bytes.withUnsafeBytes { delta throws(SQLiteError) in
        try sessions.span.bytes.withUnsafeBytes { sessions throws(SQLiteError) in
          let checksum = turnChecksum(
            after: previous, turn.position, turn.baseRevision, turn.revision, time, total, actions, delta, sessions)
          statement.bind(1, bits: turn.position)
          statement.bind(2, bits: turn.baseRevision)
          statement.bind(3, bits: turn.revision)
          statement.bind(4, time)
          statement.bind(5, bits: total)
          statement.bind(6, unowned: actions)
          statement.bind(7, unowned: delta)
          statement.bind(8, unowned: sessions)
          statement.bind(9, bits: checksum)
          try statement.run()
          return checksum
        }
      }
    }
    head.tail = Head.Place(position: turn.position, total: total, checksum: checksum)
    (head.revision, head.time) = (turn.revision, time)
  }
}

extension LoggedTurn {
  /// The first byte of effects in front of the actions: the header of an array of two. That of actions has three items.
  private static let effectsHeader: UInt8 = 0x82
  /// The first bytes of a region in front of the effects: the header of a map, of one to three items.
  private static let regionHeaders: ClosedRange<UInt8> = 0xa1...0xa3

  /// Reads the region and the effects in front of the actions of a row, if there are any.
  ///
  /// - Returns: The offset of the actions.
  fileprivate mutating func readFront(of actions: RawSpan) throws(WireError) -> Int {
    var offset = 0
    if !actions.isEmpty, Self.regionHeaders.contains(actions.unsafeLoad(as: UInt8.self)) {
      var decoder = CBORDecoder(actions)
      region = try RegionalSettings(from: &decoder)
      offset = decoder.offset
    }
    guard offset < actions.byteCount,
      actions.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == Self.effectsHeader
    else { return offset }
    var decoder = CBORDecoder(actions.extracting(offset...))
    effects = try EffectChanges(from: &decoder)
    return offset + decoder.offset
  }
}

/// Reads rows of `turns` in order, and checks that each was written after the previous one.
struct TurnCursor {
  /// The ways in which a row is not the next turn.
  enum Fault: Error {
    /// The row is missing, or its checksum does not match.
    case damaged(position: UInt64)
    case database(SQLiteError)
  }

  private let statement: Statement
  /// The end of the last turn that was read.
  private(set) var place: Head.Place
  /// The size of the last turn: its actions, delta and sessions.
  private(set) var byteCount = 0

  /// Reads the turns after a place.
  init(_ database: Database, after place: Head.Place) throws(SQLiteError) {
    self.place = place
    statement = try database.prepare(
      """
      SELECT position, base_revision, revision, time_ms, total, actions, delta, sessions, checksum FROM turns
      WHERE position > ? ORDER BY position
      """, for: "read turns")
    statement.bind(1, bits: place.position)
  }

  /// Restarts after another place.
  mutating func restart(after place: Head.Place) {
    statement.reset()
    statement.bind(1, bits: place.position)
    self.place = place
  }

  /// Releases the database until the next restart.
  func pause() { statement.reset() }

  /// Reads the next turn; returns nil after the last one.
  ///
  /// - Parameter isWhole: True to include actions and sessions; they are checked in either case.
  mutating func next(isWhole: Bool = true) throws(Fault) -> LoggedTurn? {
    do throws(SQLiteError) {
      guard try statement.step() else { return nil }
    } catch { throw .database(error) }
    let row = statement
    var turn = LoggedTurn(
      position: row.bits(0), baseRevision: row.bits(1), revision: row.bits(2), time: row.integer(3))
    let previous = place.checksum
    var isReadable = true
    let checksum = row.withBytes(5) { actions in
      row.withBytes(6) { delta in
        row.withBytes(7) { sessions in
          byteCount = actions.count + delta.count + sessions.count
          do throws(WireError) {
            let start = try turn.readFront(of: actions.bytes)
            if isWhole { turn.actions = [UInt8](actions[start...]) }
          } catch {
            isReadable = false
          }
          turn.delta = [UInt8](delta)
          if sessions.count > 0 {
            let decoded = try? [LoggedSession](decoding: sessions.bytes)
            if decoded == nil { isReadable = false }
            if isWhole { turn.sessions = decoded ?? [] }
          }
          return turnChecksum(
            after: previous, turn.position, turn.baseRevision, turn.revision, turn.time, row.bits(4), actions, delta,
            sessions)
        }
      }
    }
    guard turn.position == place.position + 1, checksum == row.bits(8), isReadable else {
      throw .damaged(position: place.position + 1)
    }
    place = Head.Place(position: turn.position, total: row.bits(4), checksum: checksum)
    return turn
  }
}
