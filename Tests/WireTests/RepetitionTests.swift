import TestSupport
import Testing

@testable import Wire

@Suite("Repeated items", .computing)
struct RepetitionTests {
  /// Decodes the first item after a text, and returns the offsets from it of the items that are found to repeat the
  /// previous one.
  private func repetitions(_ items: [UInt8], after text: [UInt8] = [0x66] + Array("before".utf8)) throws -> [Int] {
    let bytes = text + items
    var decoder = CBORDecoder(bytes.span.bytes)
    try decoder.skip()
    let start = decoder.offset
    try decoder.skip()
    let length = decoder.offset - start
    var offsets = [Int]()
    while decoder.skipRepetition(ofLength: length) { offsets.append(decoder.offset - length - start) }
    return offsets
  }

  @Test("items of at most eight bytes", arguments: 1...8)
  func short(length: Int) throws {
    let item: [UInt8] = length == 1 ? [0x17] : [0x40 + UInt8(length - 1)] + [UInt8](repeating: 7, count: length - 1)
    #expect(try repetitions(item + item + item) == [length, 2 * length])
    #expect(try repetitions(item + item + [0xf6]) == [length])
    for index in item.indices {
      var other = item
      other[index] ^= 1
      #expect(try repetitions(item + other) == [])
    }
    #expect(try repetitions(item + item.dropLast()) == [])
  }

  @Test("items after fewer than eight bytes are not compared, so that nothing before the beginning is read")
  func beginning() throws {
    let item: [UInt8] = [0x43, 7, 7, 7]
    #expect(try repetitions(item + item, after: [0xf6]) == [])
    #expect(try repetitions(item + item, after: [0x63, 1, 1, 1]) == [item.count])
  }

  @Test("longer items are not compared")
  func long() throws {
    let item: [UInt8] = [0x48] + [UInt8](repeating: 7, count: 8)
    #expect(try repetitions(item + item) == [])
  }

  @Test("a byte before the item or after it has no effect")
  func neighbours() throws {
    #expect(try repetitions([0x01, 0x01] + [9, 8, 7, 6, 5, 4, 3, 2]) == [1])
    let text = [0x66] + Array("before".utf8)
    #expect(try repetitions([0x42, 1, 2, 0x42, 1, 2], after: text) == [3])
    #expect(try repetitions([0x42, 1, 2, 0x42, 1, 2, 0x42, 1, 3], after: text) == [3])
  }
}
