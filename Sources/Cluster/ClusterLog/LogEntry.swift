package import Wire

/// An entry of the replicated log: what one transaction appends.
///
/// Its bytes have a checksum over all of them, and the checksum of the previous entry. So an entry can be checked alone,
/// and two nodes with the same checksum at a position have the same log up to there.
package struct LogEntry: Equatable, Sendable {
  /// The number of the entry in the log: 1, 2, 3, without gaps.
  package let position: UInt64
  /// The leader that has appended the entry.
  package let leader: Leadership
  /// The schema of the state after the entry. It changes only with an opening, which converts the state.
  package let schema: SchemaFingerprint
  /// The checksum of the entry before, or `LogPoint.start` of the history.
  package let previous: UInt64
  /// The content.
  package let content: Content

  /// The content of an entry.
  package enum Content: Equatable, Sendable {
    /// The first entry of a term. The transaction that appends it also changes the key `leader`.
    case opening
    /// Turns, encoded by the hub, of which the first has this number.
    case turns(first: UInt64, [[UInt8]])
    /// One turn that is too large for an entry and stands in part keys.
    case parts(turn: UInt64, LargeTurn)
    /// The last entry of a term: its leader passes the leadership on, and runs no effects any more.
    case handover(to: NodeName)
  }

  /// The greatest number of bytes of an entry, so that it fits in a transaction of etcd (1.5 MiB).
  package static let byteLimit = 1 << 20
  /// The bytes of an entry beside those of its turns, at most.
  package static let overhead = 192

  /// The numbers of positions, terms and turns that are read, from the store or from another node. No log gets so far. Sums
  /// of a few of them cannot overflow, and what follows the last one can be written, although no node reads it.
  package static let numbers: ClosedRange<UInt64> = 1...1 << 62

  /// Creates an entry.
  /// - Precondition: `position` and the numbers of turns are not 0, and turns are not empty.
  package init(
    position: UInt64, leader: Leadership, schema: SchemaFingerprint, previous: UInt64, content: Content
  ) {
    precondition(position > 0, "positions are numbered from 1")
    switch content {
    case .opening, .handover: break
    case .turns(let first, let turns):
      precondition(first > 0 && !turns.isEmpty && turns.allSatisfy { !$0.isEmpty }, "an entry of no turns")
    case .parts(let turn, _): precondition(turn > 0, "turns are numbered from 1")
    }
    (self.position, self.leader, self.schema) = (position, leader, schema)
    (self.previous, self.content) = (previous, content)
  }
}

/// A turn in part keys: `part/POSITION/PROCESS/INDEX` of the entry that names it and of the leader's process.
package struct LargeTurn: Hashable, Sendable {
  /// The number of part keys.
  package let count: Int
  /// The number of bytes of the turn.
  package let byteCount: Int
  /// The checksum of the turn's bytes.
  package let checksum: UInt64

  /// The greatest number of parts of a turn.
  package static let partLimit = 1024

  /// Describes a turn in parts of a size.
  /// - Precondition: The turn has between 1 and `partLimit` parts.
  package init(_ turn: [UInt8], partSize: Int) {
    count = (turn.count + partSize - 1) / partSize
    precondition((1...Self.partLimit).contains(count), "a turn of \(turn.count) bytes is too large for the log")
    (byteCount, checksum) = (turn.count, Checksum.of(turn.span.bytes))
  }

  /// The bytes of the turn from its parts; nil if they are not those of the turn.
  package func turn(from parts: [[UInt8]]) -> [UInt8]? {
    guard parts.count == count, parts.reduce(0, { $0 + $1.count }) == byteCount else { return nil }
    let turn = Self.joined(parts)
    return Checksum.of(turn.span.bytes) == checksum ? turn : nil
  }

  /// The bytes of all parts, in their order.
  package static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    var turn: [UInt8] = []
    turn.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    // Part by part: `Array(parts.joined())` goes byte by byte.
    for part in parts { turn += part }
    return turn
  }

  /// The parts of a turn, each of at most this size.
  package static func split(_ turn: [UInt8], partSize: Int) -> [[UInt8]] {
    stride(from: 0, to: turn.count, by: partSize).map { Array(turn[$0..<min($0 + partSize, turn.count)]) }
  }
}
