import ReplicaCore
import Testing
import Wire

/// A value whose own deltas cannot be read.
private struct Fragile: Replicated, Equatable {
  var number = 0

  init(_ number: Int) { self.number = number }

  init(from decoder: inout CBORDecoder) throws(WireError) { number = try Int(from: &decoder) }

  func encode(to encoder: inout CBOREncoder) { number.encode(to: &encoder) }

  mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    number = -1
    throw WireError(.doesNotFit(type: "Fragile"), at: decoder.offset)
  }
}

@Suite struct TypedMirrorTests {
  @Test func aValueIsReplacedWhateverItsDelta() throws {
    let mirror = TypedMirror<Fragile>()
    _ = try mirror.replace(with: Fragile(1).encoded().span.bytes, at: 7)
    let isChanged = try mirror.replace(with: Fragile(2).encoded().span.bytes, at: 8)
    #expect(isChanged)
    #expect(mirror.part == Fragile(2))
    #expect(mirror.revision == 8)
  }

  @Test func aValueThatCannotBeReadChangesNothing() throws {
    let mirror = TypedMirror<Fragile>()
    _ = try mirror.replace(with: Fragile(1).encoded().span.bytes, at: 7)
    #expect(throws: WireError.self) { try mirror.replace(with: [0xf6].span.bytes, at: 8) }
    #expect(mirror.part == Fragile(1))
    #expect(mirror.revision == 7)
  }
}
