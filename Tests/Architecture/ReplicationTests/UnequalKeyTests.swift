import IdentifiedCollections
import Testing
import Wire

/// NaN does not equal itself and cannot be found, so it is rejected as a key, member or id.
@Suite struct UnequalKeyTests {
  private let nan: [UInt8] = [0xf9, 0x7e, 0x00]
  private let refusal = WireError.Problem.typeMismatch(expected: "a key that is equal to itself")

  @Test func aSetHasNoSuchMember() {
    let bytes = [0x81] + nan
    #expect(throws: WireError(refusal, at: 1)) { try Set<Double>(decoding: bytes.span.bytes) }
    #expect(throws: WireError(refusal, at: 3)) { try Set<Double>([1]).applying([0xa1, 0x01, 0x81] + nan) }
  }

  @Test func aDictionaryHasNoSuchKey() {
    let bytes = [0xa1] + nan + [0x00]
    #expect(throws: WireError(refusal, at: 1)) { try [Double: Int](decoding: bytes.span.bytes) }
    #expect(throws: WireError(refusal, at: 3)) { try [1.0: 1].applying([0xa1, 0x01, 0xa1] + nan + [0x00]) }
  }

  @Test func anIdentifiedArrayHasNoSuchElement() {
    let bytes = [0x81, 0xa1, 0x00] + nan
    #expect(throws: WireError(refusal, at: 1)) { try IdentifiedArrayOf<Weight>(decoding: bytes.span.bytes) }
    let weights: IdentifiedArrayOf<Weight> = [Weight(id: 1)]
    #expect(throws: WireError(refusal, at: 4)) {
      try weights.applying([0xa1, 0x02, 0x82, 0x00, 0xa1, 0x00] + nan)
    }
  }
}

@Replicated
private struct Weight: Equatable, Identifiable {
  let id: Double
}
