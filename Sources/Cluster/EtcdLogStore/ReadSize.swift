/// How many entries a read brings. An entry has up to 1 MiB, and most have some hundred bytes, so that the number grows
/// while the answers are small: a node that lacks many would otherwise need thousands of reads.
nonisolated struct ReadSize {
  /// The number for the next read.
  private(set) var count = least
  /// True if the last answer had fewer entries than were asked for: the next one brings what was written since.
  private(set) var expectsFew = false

  private static let (least, most) = (8, 256)

  /// Notes an answer.
  ///
  /// - Parameters:
  ///   - byteCount: The number of bytes of its entries.
  ///   - isFull: True if it has as many entries as were asked for.
  mutating func note(byteCount: Int, isFull: Bool) {
    expectsFew = !isFull
    if byteCount > 2 << 20 {
      count = Self.least
    } else if isFull, byteCount < 256 << 10 {
      count = min(2 * count, Self.most)
    }
  }

  /// Notes that there is no answer: it may have been too large.
  mutating func noteFailure() { count = Self.least }
}
