import IdentifiedCollections
import TestSupport
import Testing

/// Slices, and the algorithms of the standard library that build collections from them.
@Suite struct SliceTests {
  private func ids(_ elements: some Sequence<Item>) -> [Int] { elements.map(\.id) }

  // MARK: Concatenation

  @Test func slicesOfOneArrayAreConcatenated() {
    let array = items(1...3)
    #expect(ids(array.prefix(1) + array.suffix(1)) == [1, 3])
    #expect(ids(array.suffix(1) + array.prefix(1)) == [3, 1])
    #expect(ids(array[1...] + array[..<1]) == [2, 3, 1])
    #expect(ids(array.dropFirst() + array.dropLast()) == [2, 3, 1])
    #expect(ids(array.prefix(3) + array.prefix(1)) == [1, 2, 3])
    #expect(ids(array.prefix(0) + array.prefix(2)) == [1, 2])
    #expect(array.ids == [1, 2, 3])
  }

  @Test(arguments: [3, 200]) func anyTwoSlicesAreConcatenated(count: Int) {
    let array = items(0..<count)
    for middle in stride(from: 0, through: count, by: max(1, count / 10)) {
      let swapped = array[middle...] + array[..<middle]
      #expect(ids(swapped) == Array(middle..<count) + Array(0..<middle))
      #expect(IdentifiedArray(swapped).checkInvariants() == nil)
    }
  }

  @Test func aSliceAndOtherCollectionsAreConcatenated() {
    let array = items(1...3)
    #expect(ids(array.prefix(2) + [Item(id: 3), Item(id: 1), Item(id: 4)]) == [1, 2, 3, 4])
    #expect(ids([Item(id: 3)] + array.prefix(2)) == [3, 1, 2])
    #expect(ids(array + array.prefix(1)) == [1, 2, 3])
    #expect(ids(array.prefix(1) + array) == [1, 2, 3])
    #expect(ids(array.prefix(1).lazy.map { $0 } + array.suffix(1)) == [1, 3])
  }

  /// The elements beside the slice do not count.
  @Test func aDuplicateKeepsTheFirstElement() {
    let array = items(1...3)
    let joined: IdentifiedSlice = array.prefix(1) + [Item(id: 1, value: 7), Item(id: 3, value: 8)]
    #expect(Array(joined) == [Item(id: 1, value: 10), Item(id: 3, value: 8)])
  }

  @Test func concatenationInPlace() {
    let array = items(1...3)
    var slice = array.prefix(1)
    slice += array.suffix(1)
    slice += [Item(id: 2)]
    #expect(ids(slice) == [1, 3, 2])
    var whole = array
    whole += array.suffix(1)
    #expect(whole.ids == [1, 2, 3])
  }

  // MARK: Changes of a range

  @Test func aSliceIsRangeReplaceable() {
    func add(_ ids: [Int], to collection: inout some RangeReplaceableCollection<Item>) {
      for id in ids { collection.append(Item(id: id)) }
    }
    let array = items(1...5)
    var slice = array[1..<3]
    add([5, 2, 6], to: &slice)
    #expect(ids(slice) == [2, 3, 5, 6])
    #expect((slice.startIndex, slice.endIndex) == (1, 5))
    slice.insert(Item(id: 4), at: 2)
    slice.insert(contentsOf: [Item(id: 1), Item(id: 9)], at: 1)
    #expect(ids(slice) == [1, 9, 2, 4, 3, 5, 6])
    slice.replaceSubrange(1..<4, with: [Item(id: 2), Item(id: 7)])
    #expect(ids(slice) == [2, 7, 4, 3, 5, 6])
    slice.removeSubrange(2...3)
    #expect(slice.remove(at: 1).id == 2)
    slice.removeFirst()
    slice.removeLast()
    #expect(ids(slice) == [5])
    slice.removeAll { $0.id == 5 }
    #expect(slice.isEmpty)
    #expect(array.ids == [1, 2, 3, 4, 5])
  }

  @Test func aFilteredSliceHasItsElementsOnly() {
    let array = items(1...6)
    #expect(ids(array[1..<5].filter { $0.id.isMultiple(of: 2) }) == [2, 4])
  }

  @Test func positionsAreThoseOfTheArray() {
    let array = items(1...5)
    let slice = array[1..<4]
    #expect(slice.indices == 1..<4)
    #expect(slice[2].id == 3 && slice[2..<3].first?.id == 3 && slice.firstIndex { $0.id == 4 } == 3)
    #expect(IdentifiedArray(slice).ids == [2, 3, 4])
    #expect(IdentifiedArray(array[...]) == array)
    #expect(slice.dropFirst().prefix(1).map(\.id) == [3])
    #expect("\(slice)" == "\(Array(slice))")
  }

  // MARK: Assignments

  @Test func anElementOfASliceIsReplaced() {
    let array = items(1...3)
    var slice = array.prefix(2)
    slice[0] = Item(id: 3)
    #expect(ids(slice) == [3, 2])
    slice[1].value = 9
    #expect(slice[1] == Item(id: 2, value: 9))
    #expect(array.ids == [1, 2, 3] && array[1].value == 20)
  }

  @Test func aRangeIsReordered() {
    var array = items(1...5)
    array[1..<4].reverse()
    #expect(array.ids == [1, 4, 3, 2, 5])
    array[1...].sort()
    #expect(array.ids == [1, 2, 3, 4, 5])
    array[..<3].swapAt(0, 2)
    #expect(array.ids == [3, 2, 1, 4, 5])
    _ = array[2...].partition { $0.id == 1 }
    #expect(array.ids.prefix(2).elementsEqual([3, 2]) && array.last?.id == 1)
    #expect(array.checkInvariants() == nil)
  }

  @Test func aRangeIsReplacedByASlice() {
    var array = items(1...5)
    array[1..<3] = items(6...7)[...]
    #expect(array.ids == [1, 6, 7, 4, 5])
    array[0..<1].removeAll()
    #expect(array.ids == [6, 7, 4, 5])
    array[1..<2].append(Item(id: 8))
    #expect(array.ids == [6, 7, 8, 4, 5])
    array[0..<2] = array[3...]
    #expect(array.checkInvariants() == nil)
    #expect(array.ids.prefix(2).elementsEqual([4, 5]))
  }

  // MARK: Relatives without slices

  @Test func anArrayIsRotated() {
    var array = items(1...4)
    array = IdentifiedArray(array[2...] + array[..<2])
    #expect(array.ids == [3, 4, 1, 2])
    array.replaceSubrange(0..<4, with: array.reversed())
    #expect(array.ids == [2, 1, 4, 3])
  }

  @Test func aDifferenceWithMovesIsApplied() {
    let (old, new) = (items([1, 2, 3, 4]), items([4, 2, 5, 1]))
    #expect(old.applying(new.difference(from: old))?.ids == [4, 2, 5, 1])
  }

  /// Random slices against arrays of distinct elements.
  @Test(arguments: [1, 2, 3] as [UInt64]) func slicesBehaveLikeThoseOfArrays(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 1...20, using: &random)
      let array = items(0..<count)
      let plain = Array(array)
      let first = Int.random(in: 0...count, using: &random)
      let bounds = first..<Int.random(in: first...count, using: &random)
      let others = (0..<3).map { _ in Int.random(in: 0..<2 * count, using: &random) }
      var (slice, expected) = (array[bounds], plain[bounds])
      for other in others {
        let item = Item(id: other, value: 10 * other)
        slice.append(item)
        if !expected.contains(where: { $0.id == other }) { expected.append(item) }
      }
      #expect(Array(slice) == Array(expected) && slice.indices == expected.indices, "seed \(seed)")
      slice.sort { $0.id > $1.id }
      expected.sort { $0.id > $1.id }
      #expect(Array(slice) == Array(expected), "seed \(seed)")
    }
  }
}
