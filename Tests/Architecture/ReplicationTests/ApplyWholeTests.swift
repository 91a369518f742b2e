import Synchronization
import Testing
import Wire

/// Deltas that are applied completely or not at all.
@Suite struct ApplyWholeTests {
  /// An integer that counts its decodings.
  struct Counted: Equatable, Replicated {
    static let reads = Mutex(0)
    var value: Int

    init(value: Int) { self.value = value }

    init(from decoder: inout CBORDecoder) throws(WireError) {
      value = try Int(from: &decoder)
      Self.reads.withLock { $0 += 1 }
    }

    func encode(to encoder: inout CBOREncoder) { value.encode(to: &encoder) }
  }

  @Replicated
  struct Row: Equatable {
    var first = Counted(value: 0)
    var second = Counted(value: 0)
  }

  @Test func aDeltaIsDecodedOnce() throws {
    var row = Row()
    let delta = Row(first: Counted(value: 1), second: Counted(value: 2)).delta(from: row)
    let before = Counted.reads.withLock(\.self)
    var decoder = CBORDecoder(delta.span.bytes)
    try row.applyWhole(delta: &decoder)
    #expect(Counted.reads.withLock(\.self) - before == 2)
    #expect(row == Row(first: Counted(value: 1), second: Counted(value: 2)))
  }
}
