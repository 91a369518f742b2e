import Testing

@testable import Wire

@Suite("Half-precision floats")
struct HalfFloatTests {
  @Test("all 65,536 bit patterns round trip")
  func allPatterns() {
    let broken = (UInt16.min...UInt16.max).filter { HalfFloat.bits(exactly: HalfFloat.value(bits: $0)) != $0 }
    #expect(broken.isEmpty)
  }
}
