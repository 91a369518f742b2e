import ClusterCore
import ClusterLog
import Wire

/// A snapshot that is being sent.
struct OutgoingSnapshot {
  private let state: [UInt8]
  private var sentCount = 0
  let checksum: UInt64

  init(_ state: [UInt8]) { (self.state, checksum) = (state, Checksum.of(state.span.bytes)) }

  var isComplete: Bool { sentCount == state.count }

  /// The next bytes, of at most this number; nil after the last ones.
  mutating func nextPiece(_ size: Int) -> [UInt8]? {
    guard !isComplete else { return nil }
    let end = min(sentCount + size, state.count)
    defer { sentCount = end }
    return Array(state[sentCount..<end])
  }
}

/// A snapshot that is arriving. It takes memory for what has arrived, not for what was announced.
struct IncomingSnapshot {
  let head: SnapshotHead
  private var state: [UInt8] = []

  init(_ head: SnapshotHead) { self.head = head }

  var isComplete: Bool { state.count == head.byteCount }

  /// Adds a piece; false if it has more bytes than were announced.
  mutating func append(_ piece: [UInt8]) -> Bool {
    guard UInt64(state.count + piece.count) <= head.byteCount else { return false }
    state += piece
    return true
  }

  /// The snapshot, if its bytes are those that were announced.
  var snapshot: ClusterSnapshot? {
    guard Checksum.of(state.span.bytes) == head.checksum else { return nil }
    let point = LogPoint(after: head.last, turn: head.turn)
    return ClusterSnapshot(
      place: ClusterSnapshot.Place(history: head.history, point: point, last: head.last.bytes), state: state)
  }
}
