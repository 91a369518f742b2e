import Wire

/// A session's rejections that its client has not acknowledged, oldest first.
struct PendingRejections: RandomAccessCollection {
  private var list: [Rejected] = []
  /// The memory that they take, approximately.
  private(set) var byteCount = 0
  /// The position of the turn with the last rejection, and the sequence number of the first one in that turn.
  ///
  /// The log has the earlier ones, and from the next turn on all of them. All copies of a session therefore agree on
  /// what the log has, also if one of them is detached before the turn ends.
  private var newest: (turn: UInt64, first: UInt64) = (0, 0)

  init() {}

  /// The rejections of a session from a log or from another process. The log has all of them.
  init(logged list: [Rejected]) {
    self.list = list
    byteCount = Self.byteCount(of: list)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { list.count }
  subscript(index: Int) -> Rejected { list[index] }

  /// All rejections.
  var all: [Rejected] { list }

  /// Adds a rejection in the turn with a position in the log.
  mutating func append(_ rejected: Rejected, inTurn turn: UInt64) {
    if newest.turn != turn { newest = (turn, rejected.sequence) }
    list.append(rejected)
    byteCount += Self.byteCount(of: CollectionOfOne(rejected))
  }

  /// Removes those with sequence numbers up to `sequence`, and returns their number.
  mutating func acknowledge(_ sequence: UInt64) -> Int {
    let count = prefixCount(upTo: sequence)
    guard count > 0 else { return 0 }
    byteCount -= Self.byteCount(of: list[..<count])
    list.removeFirst(count)
    return count
  }

  /// Returns the number of leading rejections with sequence numbers up to `sequence`.
  func prefixCount(upTo sequence: UInt64) -> Int {
    guard let last = list.last, last.sequence > sequence else { return list.count }
    return list.prefix { $0.sequence <= sequence }.count
  }

  /// Returns the rejections to store with a turn, and the first of the earlier ones, which the log has.
  func unlogged(inTurn turn: UInt64) -> (new: [Rejected], firstKept: UInt64?) {
    guard newest.turn == turn else { return ([], list.first?.sequence) }
    let keptCount = list.prefix { $0.sequence < newest.first }.count
    return (Array(list[keptCount...]), keptCount > 0 ? list[0].sequence : nil)
  }

  private static func byteCount(of list: some Collection<Rejected>) -> Int {
    list.reduce(0) { $0 + 64 + $1.reason.utf8.count }
  }
}
