import Testing

@testable import EtcdLogStore

/// Reads of the log bring many small entries, or a few large ones.
@Suite struct ReadSizeTests {
  @Test func smallAnswersMakeTheNextReadLarger() {
    var size = ReadSize()
    var counts: [Int] = []
    for _ in 0..<7 {
      counts.append(size.count)
      size.note(byteCount: 300 * size.count, isFull: true)
    }
    #expect(counts == [8, 16, 32, 64, 128, 256, 256])
    #expect(!size.expectsFew)
    // The end of the log says nothing.
    size.note(byteCount: 0, isFull: false)
    #expect(size.count == 256)
    #expect(size.expectsFew)
    size.note(byteCount: 300, isFull: true)
    #expect(!size.expectsFew)
  }

  @Test func aLargeAnswerOrNoneMakesItSmaller() {
    var size = ReadSize()
    for _ in 0..<3 { size.note(byteCount: 1000, isFull: true) }
    size.note(byteCount: 1 << 20, isFull: true)
    #expect(size.count == 64)
    size.note(byteCount: 3 << 20, isFull: true)
    #expect(size.count == 8)
    size.note(byteCount: 1000, isFull: true)
    size.noteFailure()
    #expect(size.count == 8)
  }
}
