import Testing
import Wire

@testable import HubCore

/// The hashes that the subscribers of a turn share.
@Suite struct TurnHashesTests {
  /// A place that counts how often it is compared with another one.
  private struct CountedPlace: Hashable {
    final class Counter { var comparisons = 0 }
    let number: Int
    let counter: Counter

    static func == (first: Self, second: Self) -> Bool {
      first.counter.comparisons += 1
      return first.number == second.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// Every place is searched, hashed and searched again, as for two subscribers of each.
  private func comparisons(forPlaces count: Int) -> Int {
    let counter = CountedPlace.Counter()
    var hashes = TurnHashes<CountedPlace>()
    for number in 0..<count {
      let place = CountedPlace(number: number, counter: counter)
      #expect(hashes.hash(of: place, at: 1) == nil)
      hashes.add(StateHash(value: UInt64(number)), of: place, at: 1)
      #expect(hashes.hash(of: place, at: 1) == StateHash(value: UInt64(number)))
    }
    return counter.comparisons
  }

  /// A linear search would compare 16,000,000 places for 4,000, and 64 scopes of each of many connections are more.
  @Test(arguments: [250, 1000, 4000]) func aHashIsFoundWithFewComparisonsAmongAnyNumberOfPlaces(count: Int) {
    #expect(comparisons(forPlaces: count) <= 20 * count)
  }

  @Test func aHashBelongsToOneVersion() {
    var hashes = TurnHashes<Int>()
    hashes.add(StateHash(value: 7), of: 1, at: 10)
    hashes.add(StateHash(value: 8), of: 2, at: 10)
    #expect(hashes.hash(of: 1, at: 11) == nil)
    hashes.add(StateHash(value: 9), of: 1, at: 11)
    #expect(hashes.hash(of: 1, at: 11) == StateHash(value: 9))
    #expect(hashes.hash(of: 2, at: 11) == nil && hashes.hash(of: 1, at: 10) == nil)
    hashes.removeAll()
    #expect(hashes.hash(of: 1, at: 11) == nil)
  }
}
