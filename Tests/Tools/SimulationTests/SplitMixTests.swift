import RandomNumbers
import Testing

/// A printed seed replays only while a seed has the same numbers.
@Suite struct SplitMixTests {
  /// The numbers of the authors' reference implementation.
  @Test func theNumbersOfASeedAreThoseOfSplitMix64() {
    var random = SplitMix(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
    random = SplitMix(seed: 0)
    #expect(random.next() == 0xe220_a839_7b1d_cdaf)
  }

  @Test func aCopyContinuesWithTheSameNumbers() {
    var random = SplitMix(seed: .max)
    _ = random.next()
    var copy = random
    #expect((0..<100).map { _ in random.next() } == (0..<100).map { _ in copy.next() })
  }

  @Test func differentNumbersAreMixedToDifferentOnes() {
    #expect(Set((0..<10_000).map(SplitMix.mixed)).count == 10_000)
  }
}
