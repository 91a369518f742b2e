import IdentifiedCollections
import TestSupport
import Testing

private struct Numbered: Identifiable, Equatable {
  let id: Int
  var value = 0
}

/// The comparison of two versions at a range of positions.
@Suite struct RangesTests {
  private func numbered(_ count: Int) -> IdentifiedArrayOf<Numbered> {
    IdentifiedArray(uniqueElements: (0..<count).map { Numbered(id: $0) })
  }

  /// Whether two versions agree at a range, and the number of comparisons.
  private func compare(
    _ first: IdentifiedArrayOf<Numbered>, _ second: IdentifiedArrayOf<Numbered>, _ range: Range<Int>
  ) -> (agree: Bool, comparisons: Int) {
    var comparisons = 0
    let agree = first.agrees(with: second, in: range) {
      comparisons += 1
      return $0 == $1
    }
    return (agree, comparisons)
  }

  @Test(arguments: [1_000, 1_000_000])
  func aChangeFarFromTheRangeNeedsNoComparison(count: Int) {
    let base = numbered(count)
    var changed = base
    changed[id: count - 1]?.value = 1
    #expect(compare(base, changed, 100..<150) == (true, 0))
    // Nor a change of the number of elements after the range.
    changed.remove(id: count - 2)
    #expect(compare(base, changed, 100..<150) == (true, 0))
  }

  @Test(arguments: [1_000, 1_000_000])
  func aChangeBesideTheRangeNeedsTheComparisonsOfOneLeaf(count: Int) {
    let base = numbered(count)
    var changed = base
    let found = compare(base, base, 0..<count)
    #expect(found == (true, 0))
    for id in 0..<200 {
      changed = base
      changed[id: id]?.value = 1
      let result = compare(base, changed, 100..<150)
      #expect(result.agree == !(100..<150).contains(id))
      #expect(result.comparisons <= 64)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func itIsTheComparisonOfTheElements(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let base = numbered(Int.random(in: 1...500, using: &random))
    var changed = base
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let position = Int.random(in: 0..<changed.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: changed[position].value += 1
      case 1: changed.insert(Numbered(id: 1_000 + changed.count), at: position)
      case 2: if changed.count > 1 { changed.remove(at: position) }
      default: changed.swapAt(0, position)
      }
    }
    let end = min(base.count, changed.count)
    for _ in 0..<100 {
      let start = Int.random(in: 0...end, using: &random)
      let range = start..<Int.random(in: start...end, using: &random)
      let expected = base[range].elementsEqual(changed[range])
      #expect(compare(base, changed, range).agree == expected, "seed \(seed), \(range)")
    }
  }
}
