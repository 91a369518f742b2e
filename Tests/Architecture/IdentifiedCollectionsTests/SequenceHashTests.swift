import IdentifiedCollections
import TestSupport
import Testing

/// The hash that the nodes cache, compared with its definition as a sum.
@Suite(.computing) struct SequenceHashTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func everyOperationForgetsWhatItChanges(seed: UInt64) {
    var history = History(seed: seed, size: seed % 3 == 0 ? 500 : 70)
    var generator = SplitMix(seed: seed)
    for step in 0..<150 {
      let operation = history.step()
      // Not at each step, so that the effects of several operations are also checked together.
      if Bool.random(using: &generator) { continue }
      guard history.array.hash == expected(history.model) else {
        Issue.record("\(operation), step \(step): the hash is not that of the elements")
        return
      }
    }
    for (array, model) in history.kept { #expect(array.hash == expected(model)) }
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func deepTreesForgetWhatChanges(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    var array = items(0..<5000)
    var kept = array
    for step in 0..<2000 {
      let position = Int.random(in: 0..<array.count, using: &generator)
      switch Int.random(in: 0..<(step < 1000 ? 5 : 12), using: &generator) {
      case 0: array[position].value += 1
      case 1, 2, 3: array.insert(Item(id: 10_000 + step), at: position)
      case 4: array.move(fromOffsets: [position], toOffset: array.count - position)
      default: array.remove(at: position)
      }
      guard step % 40 != 0 || array.hash == expected(array) else {
        Issue.record("step \(step): the hash is not that of the elements")
        return
      }
      if step % 100 == 0 { kept = array }
      // A new leaf at either end, or between two leaves without free labels between them, creates branches above old
      // ones.
      if step % 1000 == 500 { array.squeezeLabels(atEnd: step % 2000 == 500) }
    }
    #expect(kept.hash == expected(kept))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func theWayToTheElementsDoesNotMatter(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    let wanted = items(0..<Int.random(in: 0..<2000, using: &generator))
    var array: IdentifiedArrayOf<Item> = []
    for item in wanted.shuffled(using: &generator) {
      array.insert(item, at: array.firstIndex { $0.id > item.id } ?? array.count)
      if Int.random(in: 0..<3, using: &generator) == 0 {
        let other = Item(id: -item.id - 1)
        array.insert(other, at: Int.random(in: 0...array.count, using: &generator))
        _ = array.hash
        array.remove(other)
      }
    }
    #expect(array == wanted)
    #expect(array.hash == wanted.hash)
  }

  @Test func noElementsHaveTheHashZero() {
    var array: IdentifiedArrayOf<Item> = []
    #expect(array.hash == 0)
    array.append(Item(id: 1))
    #expect(array.hash == mixed(Item(id: 1)) % prime)
    array.removeAll(keepingCapacity: true)
    #expect(array.hash == 0)
  }

  @Test func hashesThatAreMoreThanThePrimeAreReduced() {
    for number in [prime - 1, prime, prime + 1, .max, 0, 1 << 61, 1 << 63] {
      var copy = items(0..<200)
      copy.reverse()
      #expect(copy.sequenceHash(of: { UInt64($0.id) &* number }) == expected(200) { UInt64(199 - $0) &* number })
    }
  }

  @Test func oneChangeAsksForOneLeafOfElements() {
    var array = items(0..<10_000)
    var asked = 0
    func hash(_ array: IdentifiedArrayOf<Item>) -> UInt64 {
      asked = 0
      return array.sequenceHash(of: {
        asked += 1
        return mixed($0)
      })
    }
    _ = hash(array)
    #expect(asked == 10_000)
    let kept = array
    #expect(hash(kept) == hash(array) && asked == 0)
    array[id: 7000]?.value = -1
    #expect(hash(array) == expected(array))
    _ = hash(array)
    #expect(asked == 0)
    array[50].value = -1
    _ = hash(array)
    #expect((1...65).contains(asked))
    array.insert(Item(id: -1), at: 3100)
    _ = hash(array)
    #expect((1...65).contains(asked))
    _ = hash(kept)
    #expect(asked == 0)
  }

  @Test func anInterruptedWalkGoesOnWhereItEnded() {
    var array = items(0..<10_000)
    var (asked, walks) = (0, 0)
    func walk() -> UInt64? {
      var leaves = 0
      walks += 1
      return array.sequenceHash(ofLeaf: { elements in
        guard leaves < 10 else { return nil }
        leaves += 1
        asked += elements.count
        return elements.reduce(0) { SequenceHash.appending(mixed($1), to: $0) }
      })
    }
    for _ in 0..<5 { #expect(walk() == nil) }
    // A change of what was visited is noticed.
    array[id: 3]?.value = -1
    var hash: UInt64?
    while hash == nil, walks < 100 { hash = walk() }
    #expect(hash == expected(array))
    #expect(asked <= 10_000 + 64 && walks > 10_000 / 640)
  }

  @Test func versionsThatThreadsShareAreHashedInAll() async {
    let array = items(0..<20_000)
    let wanted = expected(array)
    let hashes = await withTaskGroup(of: UInt64.self) { group in
      for task in 0..<8 {
        group.addTask {
          var version = array
          version[task * 1000].value = -1
          _ = version.hash
          return array.hash
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(hashes == Array(repeating: wanted, count: 8))
  }
}

private let prime: UInt64 = (1 << 61) - 1

/// Returns an arbitrary hash of an item.
private func mixed(_ item: Item) -> UInt64 {
  var generator = SplitMix(seed: UInt64(truncatingIfNeeded: item.id &* 1_000_003 &+ item.value))
  return generator.next()
}

extension IdentifiedArrayOf<Item> {
  fileprivate var hash: UInt64 { sequenceHash(of: mixed) }

  fileprivate func sequenceHash(of elementHash: (Item) -> UInt64) -> UInt64 {
    sequenceHash(ofLeaf: { $0.reduce(0) { SequenceHash.appending(elementHash($1), to: $0) } }) ?? .max
  }
}

/// The definition: the sum of `e[i] * B^(n-1-i)`, with division of wide numbers.
private func expected(_ count: Int, of number: (Int) -> UInt64) -> UInt64 {
  var sum: UInt128 = 0
  var power: UInt128 = 1
  for index in (0..<count).reversed() {
    sum = (sum + UInt128(number(index)) % UInt128(prime) * power) % UInt128(prime)
    power = power * 0x13c6_ef37_2fe9_4f8e % UInt128(prime)
  }
  return UInt64(sum)
}

private func expected(_ items: some RandomAccessCollection<Item>) -> UInt64 {
  let items = Array(items)
  return expected(items.count) { mixed(items[$0]) }
}
