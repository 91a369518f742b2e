import IdentifiedCollections
import TestSupport
import Testing

/// Kept versions never change, and cost only the memory of later changes.
@Suite(.computing) struct VersionsTests {
  @Test func aChangeBesideAKeptVersionCopiesOneLeaf() {
    var array = items(0..<100_000)
    let kept = array
    array[id: 54_321]?.value = -1
    #expect(array.nodesNotShared(with: kept) == 2)
    #expect(kept[id: 54_321]?.value == 543_210)
    array.insert(Item(id: -1), at: 20_000)
    array.remove(id: 70_000)
    #expect(array.nodesNotShared(with: kept) <= 7)
    #expect(kept.count == 100_000)
    #expect(kept[20_000].id == 20_000)
  }

  @Test func nothingIsCopiedWhenNothingChanges() {
    var array = items(0..<10_000)
    let kept = array
    array.sort()
    array.move(fromOffsets: 30..<40, toOffset: 35)
    array.removeAll { $0.id < 0 }
    array.append(Item(id: 5))
    array[id: -1]?.value = 3
    array[id: -1] = nil
    #expect(array.nodesNotShared(with: kept) == 0)
    #expect(array == kept)
  }

  @Test func sortingMovesOnlyWhatIsOutOfOrder() {
    var array = items(0..<10_000)
    array[3000].value = 95_000
    array[9000].value = -1
    let (kept, model) = (array, Array(array))
    array.sort { $0.value < $1.value }
    #expect(array.elementsEqual(model.sorted { $0.value < $1.value }))
    #expect(array.nodesNotShared(with: kept) <= 10)
    #expect(array.checkInvariants() == nil)
  }

  @Test(arguments: [0, 1, 7, 600, 5000])
  func partitioningMovesOnlyWhatIsMisplaced(misplacedCount: Int) {
    var generator = SplitMix(seed: UInt64(misplacedCount))
    for second in [0, 1, 100, 4000, 9999, 10_000] {
      // In order, with some exceptions.
      var values = (0..<10_000).map { $0 < 10_000 - second ? 0 : 1 }
      for _ in 0..<misplacedCount { values[Int.random(in: 0..<10_000, using: &generator)] ^= 1 }
      var array = IdentifiedArray(uniqueElements: values.enumerated().map { Item(id: $0, value: $1) })
      let kept = array
      let border = array.partition { $0.value == 1 }
      #expect(array.elementsEqual(kept.filter { $0.value == 0 } + kept.filter { $0.value == 1 }))
      #expect(border == values.count { $0 == 0 })
      #expect(array.checkInvariants() == nil)
      if misplacedCount < 10 { #expect(array.nodesNotShared(with: kept) <= 4 * misplacedCount + 4) }
    }
  }

  /// Changes of all kinds between partitions: each gives what looking at all elements does.
  @Test(arguments: [3, 64, 500, 20_000], 1...8)
  func partitioningSinceAVersionGivesTheSame(size: Int, seed: Int) {
    var generator = SplitMix(seed: UInt64(seed))
    var array = items(0..<size)
    var base: IdentifiedArrayOf<Item> = []
    var nextID = size
    for _ in 0..<20 {
      for _ in 0..<[1, 4, 30].randomElement(using: &generator)! {
        let position = Int.random(in: 0..<array.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where array.count > 1: array.remove(at: position)
        case 1: array.move(fromOffsets: [position], toOffset: Int.random(in: 0...array.count, using: &generator))
        case 2: array.swapAt(position, Int.random(in: 0..<array.count, using: &generator))
        case 3, 4:
          array.insert(Item(id: nextID, value: Int.random(in: 0...1, using: &generator)), at: position)
          nextID += 1
        default: array[position].value = Int.random(in: 0...1, using: &generator)
        }
      }
      let kept = array
      let border = array.partition(since: base) { $0.value == 1 }
      var (others, ones): ([Item], [Item]) = ([], [])
      for item in kept { if item.value == 1 { ones.append(item) } else { others.append(item) } }
      #expect(array.elementsEqual(others + ones))
      #expect(border == others.count)
      #expect(array.checkInvariants() == nil)
      base = array
    }
  }

  @Test func partitioningSinceAVersionLooksOnlyAtChanges() {
    var array = items(0..<100_000)
    for id in 70_000..<100_000 { array[id: id]?.value = 1 }
    array.partition { $0.value == 1 }
    let base = array
    array[id: 12_345]?.value = 1
    array[id: 80_000]?.value = 0
    var calls = 0
    array.partition(since: base) {
      calls += 1
      return $0.value == 1
    }
    #expect(array.suffix(30_000).first?.id == 12_345 && array[69_999].id == 80_000)
    // Two leaves and the ends of the stretches around them, and a search for the border in one.
    #expect(calls < 200)
  }

  @Test func theFirstInsertionsAmidAFilledListSplitNoLeaf() {
    var array = items(0..<10_000)
    let kept = array
    for position in stride(from: 500, to: 9500, by: 1000) { array.insert(Item(id: -position), at: position) }
    // Each insertion changes one leaf in each version.
    #expect(array.nodesNotShared(with: kept) == 2 * 9)
  }

  @Test func manyInsertionsAtOnePlaceFindLabels() {
    var array = items(0..<1000)
    var model = Array(array)
    for id in 1000..<20_000 {
      array.insert(Item(id: id), at: 500)
      if id % 5000 == 0 { #expect(array.checkInvariants() == nil) }
    }
    model.insert(contentsOf: (1000..<20_000).reversed().map { Item(id: $0) }, at: 500)
    #expect(array.elementsEqual(model))
    #expect(array.checkInvariants() == nil)
  }

  @Test(arguments: [false, true], [64, 6400])
  func leavesFindRoomWhereThereWasNone(atEnd: Bool, size: Int) {
    var generator = SplitMix(seed: 1)
    var array = items(0..<size)
    var model = Array(array)
    let kept = array
    for id in size..<(size + 600) {
      if id % 40 == 0 { array.squeezeLabels(atEnd: atEnd) }
      let position = [0, model.count, Int.random(in: 0..<model.count, using: &generator), model.count / 2][id / 10 % 4]
      array.insert(Item(id: id), at: position)
      model.insert(Item(id: id), at: position)
      if id % 40 < 3 { #expect(array.checkInvariants() == nil) }
    }
    #expect(array.elementsEqual(model))
    #expect(kept == items(0..<size))
    #expect(kept.checkInvariants() == nil)
  }

  @Test func insertionsAtBothEndsAndRemovalsOfAll() {
    var array: IdentifiedArrayOf<Item> = []
    for id in 0..<5000 {
      array.insert(Item(id: id), at: 0)
      array.append(Item(id: -id - 1))
    }
    #expect(array.map(\.id) == (0..<5000).reversed() + (-5000...(-1)).reversed())
    #expect(array.checkInvariants() == nil)
    var generator = SplitMix(seed: 7)
    for id in Array(array.ids).shuffled(using: &generator) { #expect(array.remove(id: id) != nil) }
    #expect(array.isEmpty)
    #expect(array.checkInvariants() == nil)
  }

  @Test func theBorderBetweenOneLeafAndATree() {
    var array = items(0..<64)
    for _ in 0..<3 {
      for id in 64..<70 { array.append(Item(id: id)) }
      #expect(array.checkInvariants() == nil)
      while array.count > 30 {
        array.removeLast()
        #expect(array.checkInvariants() == nil)
      }
      for id in array.count..<64 { array.append(Item(id: id)) }
    }
    #expect(array.map(\.id) == Array(0..<64))
  }

  @Test func elementsLiveAsLongAsAVersionHoldsThem() {
    Tracked.living = 0
    do {
      var array: IdentifiedArrayOf<TrackedItem> = []
      for number in 0..<500 { array.insert(TrackedItem(id: "\(number)"), at: number / 2) }
      var kept: IdentifiedArrayOf<TrackedItem>? = array
      for number in 0..<250 { array.remove(id: "\(number)") }
      array[id: "300"] = TrackedItem(id: "300")
      array[id: "301"] = nil
      array.shuffle()
      #expect(Tracked.living == 501)
      #expect(kept?.count == 500)
      kept = nil
      #expect(Tracked.living == 249)
      array.removeAll { $0.id.hasSuffix("7") }
      #expect(Tracked.living == array.count)
    }
    #expect(Tracked.living == 0)
  }

  @Test func anIterationGoesOnOverWhatWasThere() {
    var array = items(0..<300)
    var seen: [Int] = []
    for item in array {
      seen.append(item.id)
      array.remove(id: item.id)
    }
    #expect(seen == Array(0..<300))
    #expect(array.isEmpty)
  }

  private struct Refused: Error {}

  @Test func anErrorInTheMidstOfAChangeLosesNothing() throws {
    var array = items(0..<100)
    func refuse(_ item: inout Item?) throws {
      item?.value = 1
      throw Refused()
    }
    #expect(throws: Refused.self) { try refuse(&array[id: 50]) }
    #expect(array[id: 50]?.value == 1)
    #expect(array.checkInvariants() == nil)
  }
}
