package import Wire

/// A point of the log: all entries up to a position, which the checksum stands for.
package struct LogPoint: Hashable, Sendable {
  /// The position of the last entry; 0 before the first.
  package private(set) var position: UInt64
  /// The checksum of the last entry; before the first, the number 0.
  package private(set) var checksum: UInt64
  /// The leader of the last entry; nil before the first.
  package private(set) var leader: Leadership?
  /// The schema of the state; nil before the first entry.
  package private(set) var schema: SchemaFingerprint?
  /// The number of the last turn.
  package private(set) var turn: UInt64
  /// The node that the last entry passes the leadership on to.
  package private(set) var successor: NodeName?

  /// The point before the first entry.
  package static let start = LogPoint()

  private init() { (position, checksum, leader, schema, turn, successor) = (0, 0, nil, nil, 0, nil) }

  /// The point after an entry that is known to belong to the log, such as the last one of a journal.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - turn: The number of the last turn up to the entry.
  package init(after entry: EncodedEntry, turn: UInt64) {
    self.init()
    advance(to: entry, turn: turn)
  }

  /// Returns the reason why an entry cannot follow this point; nil if it can.
  package func objection(to encoded: EncodedEntry) -> LogDivergence? {
    let entry = encoded.entry
    guard entry.position == position + 1 else { return .position(entry.position, after: position) }
    guard entry.previous == checksum else { return .checksum(at: entry.position) }
    switch entry.content {
    case .opening:
      guard entry.leader.term == (leader?.term ?? 0) + 1 else { return .leader(at: entry.position) }
    case .turns(let first, _), .parts(let first, _):
      guard entry.leader == leader, successor == nil else { return .leader(at: entry.position) }
      guard entry.schema == schema else { return .schema(at: entry.position) }
      guard first == turn + 1 else { return .turn(first, after: turn) }
    case .handover:
      guard entry.leader == leader, successor == nil else { return .leader(at: entry.position) }
      guard entry.schema == schema else { return .schema(at: entry.position) }
    }
    return nil
  }

  /// Moves past an entry.
  /// - Precondition: There is no objection to it.
  package mutating func advance(to encoded: EncodedEntry) {
    precondition(objection(to: encoded) == nil, "entry \(encoded.entry.position) does not follow \(position)")
    let count =
      switch encoded.entry.content {
      case .opening, .handover: 0
      case .turns(_, let turns): turns.count
      case .parts: 1
      }
    advance(to: encoded, turn: turn + UInt64(count))
  }

  private mutating func advance(to encoded: EncodedEntry, turn: UInt64) {
    (position, checksum) = (encoded.entry.position, encoded.checksum)
    (leader, schema, self.turn, successor) = (encoded.entry.leader, encoded.entry.schema, turn, nil)
    if case .handover(let node) = encoded.entry.content { successor = node }
  }
}

/// The reason why an entry does not continue a log.
package enum LogDivergence: Equatable, Sendable {
  /// The entry is not the next one.
  case position(UInt64, after: UInt64)
  /// The entry continues another log.
  case checksum(at: UInt64)
  /// The entry is not of the leader of its term, or its term is not the next one.
  case leader(at: UInt64)
  /// The entry is of another schema than the opening of its term.
  case schema(at: UInt64)
  /// The entry's first turn is not the next one.
  case turn(UInt64, after: UInt64)
}

extension LogDivergence: CustomStringConvertible {
  /// The reason as a clause.
  package var description: String {
    switch self {
    case .position(let position, let last): "entry \(position) does not follow entry \(last)"
    case .checksum(let position): "entry \(position) continues another log"
    case .leader(let position): "entry \(position) is not of the leader of its term"
    case .schema(let position): "entry \(position) is not of the schema of its term"
    case .turn(let turn, let last): "turn \(turn) does not follow turn \(last)"
    }
  }
}
