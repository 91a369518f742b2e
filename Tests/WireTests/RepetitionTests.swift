import TestSupport
import Testing

@testable import Wire

@Suite("Repeated items", .computing)
struct RepetitionTests {
  /// Decodes the first item, and returns the offsets of the items that are found to repeat the previous one.
  private func repetitions(_ bytes: [UInt8]) throws -> [Int] {
    var decoder = CBORDecoder(bytes.span.bytes)
    try decoder.skip()
    let length = decoder.offset
    var offsets = [Int]()
    while decoder.skipRepetition(ofLength: length) { offsets.append(decoder.offset - length) }
    return offsets
  }

  private let padding = [UInt8](repeating: 0xf6, count: 8)

  @Test("items of at most eight bytes", arguments: 1...8)
  func short(length: Int) throws {
    let item: [UInt8] = length == 1 ? [0x17] : [0x40 + UInt8(length - 1)] + [UInt8](repeating: 7, count: length - 1)
    #expect(try repetitions(item + item + item + padding) == [length, 2 * length])
    // Less than eight bytes are not compared, so that nothing beyond the end is read.
    #expect(try repetitions(item + item).count == (length == 8 ? 1 : 0))
    for index in item.indices {
      var other = item
      other[index] ^= 1
      #expect(try repetitions(item + other + padding) == [])
    }
  }

  @Test("longer items are not compared")
  func long() throws {
    let item: [UInt8] = [0x48] + [UInt8](repeating: 7, count: 8)
    #expect(try repetitions(item + item + padding) == [])
  }

  @Test("a byte after the item has no effect")
  func following() throws {
    #expect(try repetitions([0x01, 0x01] + [9, 8, 7, 6, 5, 4, 3, 2]) == [1])
  }
}
