import IdentifiedCollections
import Testing

private func items(_ numbers: Int...) -> IdentifiedArrayOf<Item> {
  IdentifiedArray(uniqueElements: numbers.map { Item(id: $0) })
}

@Suite struct CollectionTests {
  @Test func anElementIsReplacedByOneWithAnotherID() {
    var array = items(1, 2, 3)
    array[1] = Item(id: 4)
    #expect(array.ids == [1, 4, 3])
    #expect(array[id: 2] == nil && array[id: 4] != nil && array.index(id: 3) == 2)
    #expect(array.checkInvariants() == nil)
  }

  @Test func anAssignedElementThatIsElsewhereMoves() {
    var array = items(1, 2, 3, 4)
    array[0] = Item(id: 4, value: 7)
    #expect(array.ids == [4, 1, 2, 3] && array[0].value == 7)
    array[3] = Item(id: 1)
    #expect(array.ids == [4, 2, 3, 1])
    array[1] = Item(id: 2, value: 8)
    #expect(array.ids == [4, 2, 3, 1] && array[id: 2]?.value == 8)
    #expect(array.checkInvariants() == nil)
  }

  @Test func anElementThatIsOverwrittenInPlaceReplacesTheOneWithItsID() {
    func overwrite(_ item: inout Item) { item = Item(id: 3, value: 7) }
    var array = items(1, 2, 3)
    overwrite(&array[0])
    #expect(array.ids == [3, 2] && array[0].value == 7)
    #expect(array.checkInvariants() == nil)
  }

  @Test(arguments: [3, 300]) func anyElementIsReplaced(count: Int) {
    var array = IdentifiedArray(uniqueElements: (0..<count).map { Item(id: $0) })
    for position in 0..<count { array[position] = Item(id: position + count) }
    #expect(array.ids.elements == Array(count..<(2 * count)))
    array[count - 1] = Item(id: count)
    #expect(array.ids.elements == Array((count + 1)..<(2 * count)) + [count])
    #expect(array.checkInvariants() == nil)
  }

  @Test func itIsAMutableCollection() {
    func reverse(_ collection: inout some MutableCollection<Item> & BidirectionalCollection) { collection.reverse() }
    var array = items(1, 2, 3)
    reverse(&array)
    #expect(array.ids == [3, 2, 1])
    array.swapAt(0, 2)
    array.sort { $0.id > $1.id }
    #expect(array.ids == [3, 2, 1])
    #expect(array.checkInvariants() == nil)
  }

  @Test func itIsARangeReplaceableCollection() {
    func add(_ ids: [Int], to collection: inout some RangeReplaceableCollection<Item>) {
      for id in ids { collection.append(Item(id: id)) }
    }
    var array = items(1, 2, 3)
    add([4, 2], to: &array)
    #expect(array.ids == [1, 2, 3, 4])
    array.replaceSubrange(1..<3, with: [Item(id: 5), Item(id: 4), Item(id: 6)])
    #expect(array.ids == [1, 5, 6, 4])
    array.removeSubrange(0..<1)
    array.removeSubrange(1...)
    #expect(array.ids == [5])
    array += [Item(id: 7)]
    array.insert(contentsOf: [Item(id: 8), Item(id: 9)], at: 0)
    #expect(array.ids == [8, 9, 5, 7])
    #expect((array + [Item(id: 10)]).ids == [8, 9, 5, 7, 10])
    #expect(array.checkInvariants() == nil)
  }

  /// As upstream, which inserts the elements from last to first.
  @Test func newElementsWithOneIDBecomeOne() {
    var array = items(1, 2, 3)
    array.replaceSubrange(1..<2, with: [Item(id: 4, value: 1), Item(id: 5), Item(id: 4, value: 2)])
    #expect(array.ids == [1, 5, 4, 3] && array[id: 4]?.value == 1)
    array.replaceSubrange(3..<3, with: [Item(id: 1, value: 3), Item(id: 6), Item(id: 1, value: 4)])
    #expect(array.ids == [1, 5, 4, 6, 3] && array[id: 1]?.value == 3)
    #expect(array.checkInvariants() == nil)
  }

  @Test func itIsAnIdentifiedCollection() {
    func first<C: _IdentifiedCollection>(_ collection: C) -> C.Element? {
      collection.ids.first.flatMap { collection[id: $0] }
    }
    func change(_ id: Int, in collection: inout some MutableIdentifiedCollection<Int, Item>) {
      collection[id: id] = Item(id: id, value: 9)
    }
    func count(_ collection: any IdentifiedCollection<Int, Item>) -> Int { collection.count }
    var array = items(2, 1)
    #expect(first(array)?.id == 2)
    change(1, in: &array)
    change(3, in: &array)
    #expect(array.map(\.value) == [0, 9, 9] && count(array) == 3)
  }

  @Test func idsCompareWithLiterals() {
    #expect(items(1, 2).ids == [1, 2])
    #expect(items(1, 2).ids != [2, 1])
    #expect(items().ids == [])
    let ids: IdentifiedArrayOf<Item>.IDs = [1, 2, 1]
    #expect(ids.count == 2 && ids.contains(2) && !ids.contains(3) && ids.firstIndex(of: 2) == 1)
    #expect(Set([ids, items(1, 2).ids]).count == 1)
  }

  @Test func uncheckedElementsAreTaken() {
    #expect(IdentifiedArray(uncheckedUniqueElements: [Item(id: 1), Item(id: 2)]).ids == [1, 2])
    #expect(IdentifiedArray(uncheckedUniqueElements: [1, 2], id: \.self).ids == [1, 2])
  }

  @Test func anIdentifiedValueHasAnID() {
    var array: IdentifiedArrayOf<Identified<Int, String>> = [Identified("a", id: 1)]
    array.append(Identified("bb", id: \.count))
    array.append(Identified("ccc") { $0.count })
    array[id: 1]?.value = "A"
    #expect(array.map(\.value) == ["A", "bb", "ccc"])
    #expect(array.ids == [1, 2, 3])
  }
}
