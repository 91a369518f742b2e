import Foundation
import IdentifiedCollections
import IssueReporting
import Synchronization
import Testing

struct InterfaceTests {
  @Test func arraysAreMadeFromElements() {
    let array: IdentifiedArrayOf<Item> = [Item(id: 2), Item(id: 1)]
    #expect(Array(array.ids) == [2, 1])
    #expect(array.elements == [Item(id: 2), Item(id: 1)])
    #expect(IdentifiedArrayOf<Item>().isEmpty)
    #expect(IdentifiedArrayOf<Item>(minimumCapacity: 10).isEmpty)
    #expect(IdentifiedArray(array) == array)
    #expect(IdentifiedArray(array[1...]).map(\.id) == [1])
    #expect(IdentifiedArray(uniqueElements: array) == array)

    var byValue = IdentifiedArray<Int, Item>(id: \.value)
    byValue.append(Item(id: 1, value: 7))
    #expect(byValue[id: 7]?.id == 1)
    #expect(byValue.append(Item(id: 2, value: 7)) == (false, 0))
    #expect(byValue.id == \Item.value)
    #expect(IdentifiedArray(uniqueElements: ["a", "b"], id: \.self)[id: "b"] == "b")
  }

  @Test func elementsWithOneIDAreCombined() {
    let twice = [Item(id: 1, value: 1), Item(id: 2, value: 2), Item(id: 1, value: 3)]
    #expect(IdentifiedArray(twice) { $1 }.elements == [Item(id: 1, value: 3), Item(id: 2, value: 2)])
    #expect(IdentifiedArray(twice) { first, _ in first }.elements == [Item(id: 1, value: 1), Item(id: 2, value: 2)])
    #expect(IdentifiedArray(twice, id: \.value) { $1 }.count == 3)
  }

  @Test func idsAreAnOrderedSet() {
    let ids = items([3, 1, 2]).ids
    #expect(ids.elementsEqual([3, 1, 2]))
    #expect(ids.contains(1) && !ids.contains(4))
    #expect(ids.firstIndex(of: 2) == 2 && ids.lastIndex(of: 4) == nil)
    #expect(ids == items([3, 1, 2]).ids && ids != items([1, 2, 3]).ids)
    #expect(Set([ids, items([3, 1, 2]).ids]).count == 1)
    #expect("\(ids)" == "[3, 1, 2]")
  }

  @Test func elementsAreFoundByID() {
    let array = items([3, 1, 2])
    #expect(array[id: 1] == Item(id: 1, value: 10))
    #expect(array[id: 4] == nil)
    #expect(array[id: 4, default: Item(id: 4)] == Item(id: 4))
    #expect(array.index(id: 2) == 2)
    #expect(array.index(id: 4) == nil)
    #expect(array.contains(Item(id: 2, value: 0)))
    #expect(!array.contains(Item(id: 4)))
  }

  @Test func aDefaultThatIsChangedIsAppended() {
    var array = items([1])
    array[id: 2, default: Item(id: 2)].value += 5
    array[id: 1, default: Item(id: 1)].value += 5
    #expect(array.elements == [Item(id: 1, value: 15), Item(id: 2, value: 5)])
  }

  @Test func elementsMoveAsInALists() {
    var array = items(0..<5)
    array.move(fromOffsets: IndexSet([1, 3]), toOffset: 5)
    #expect(Array(array.ids) == [0, 2, 4, 1, 3])
    array.move(fromOffsets: [4], toOffset: 0)
    #expect(Array(array.ids) == [3, 0, 2, 4, 1])
    array.remove(atOffsets: IndexSet([0, 4]))
    #expect(Array(array.ids) == [0, 2, 4])
  }

  /// Positions go stale when another client shortens the list; the original ignores them too.
  @Test func positionsThatAreNotThereDoNotMove() {
    let issues = Issues()
    var array = items(0..<4)
    withIssueReporters([issues]) {
      array.move(fromOffsets: IndexSet([1, 7, 99]), toOffset: 4)
      #expect(Array(array.ids) == [0, 2, 3, 1])
      array.move(fromOffsets: [4], toOffset: 0)
      array.move(fromOffsets: [-1], toOffset: 0)
    }
    #expect(Array(array.ids) == [0, 2, 3, 1])
    let texts = issues.texts.withLock { $0 }
    #expect(texts.count == 3)
    #expect(texts.first?.contains("Positions: 7, 99\n  Elements: 4") == true)
  }

  /// `onDelete` of a list that another client has shortened must not stop the hub; the original traps.
  @Test func positionsThatAreNotThereAreNotRemoved() {
    let issues = Issues()
    var array = items(0..<3)
    withIssueReporters([issues]) { array.remove(atOffsets: IndexSet([1, 99])) }
    #expect(Array(array.ids) == [0, 2])
    let texts = issues.texts.withLock { $0 }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix(#""remove(atOffsets:)" was given positions without an element"#) == true)
    #expect(texts.first?.contains("Positions: 99\n  Elements: 3") == true)
  }

  /// The position counts only for a new element.
  @Test func anElementWithAKnownIdNeedsNoPosition() {
    var array = items(0..<2)
    #expect(array.insert(Item(id: 1, value: 5), at: 99) == (false, 1))
    #expect(array[1].value != 5)
    #expect(array.updateOrInsert(Item(id: 1, value: 5), at: 99).index == 1)
    #expect(array[1].value == 5)
  }

  private final class Issues: IssueReporter {
    let texts = Mutex<[String]>([])

    func report(_ message: String, at location: IssueLocation) { texts.withLock { $0.append(message) } }
  }

  @Test func endsAreRemoved() {
    var array = items(0..<10)
    #expect(array.removeFirst().id == 0)
    #expect(array.removeLast().id == 9)
    array.removeFirst(2)
    array.removeLast(2)
    #expect(Array(array.ids) == [3, 4, 5, 6])
    array.removeSubrange(1...2)
    #expect(Array(array.ids) == [3, 6])
    array.removeAll(keepingCapacity: true)
    #expect(array.popFirst() == nil && array.popLast() == nil)
    array.append(Item(id: 1))
    #expect(array.count == 1)
  }

  @Test func orderMattersInEquality() {
    #expect(items([1, 2]) == items([1, 2]))
    #expect(items([1, 2]) != items([2, 1]))
    #expect(items(0..<500) != items(0..<501))
    #expect(Set([items([1, 2]), items([1, 2]), items([2, 1])]).count == 2)
    var changed = items(0..<500)
    let kept = changed
    changed.append(changed.removeFirst())
    #expect(changed != kept)
    changed.insert(changed.removeLast(), at: 0)
    #expect(changed == kept)
    #expect(changed.hashValue == kept.hashValue)
  }

  @Test func elementsTravelAsAnArray() throws {
    let array = items(0..<100)
    let data = try JSONEncoder().encode(array)
    #expect(try JSONDecoder().decode([Item].self, from: data) == array.elements)
    #expect(try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: data) == array)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: JSONEncoder().encode([Item(id: 1), Item(id: 1)]))
    }
  }

  @Test func arraysDescribeThemselvesAsArrays() {
    let array = IdentifiedArray(uniqueElements: [1, 2], id: \.self)
    #expect("\(array)" == "[1, 2]")
    #expect(String(reflecting: array) == "IdentifiedArray<Int>([1, 2])")
    let mirror = Mirror(reflecting: array)
    #expect(mirror.displayStyle == .collection)
    #expect(mirror.children.map { $0.value as? Int } == [1, 2])
    #expect(mirror.children.allSatisfy { $0.label == nil })
  }
}

/// Violations of documented preconditions end the program.
struct PreconditionTests {
  @Test func anIDThatIsThereTwice() async {
    await #expect(processExitsWith: .failure) { _ = items([1, 1]) }
  }

  @Test func anElementUnderAnotherID() async {
    await #expect(processExitsWith: .failure) {
      var array = items([1])
      array[id: 1] = Item(id: 2)
    }
    await #expect(processExitsWith: .failure) {
      var array = items([1])
      array[id: 3] = Item(id: 2)
    }
    await #expect(processExitsWith: .failure) {
      var array = items([1])
      array.update(Item(id: 2), at: 0)
    }
  }

  @Test func positionsThatAreNotThere() async {
    await #expect(processExitsWith: .failure) { _ = items([1])[1] }
    await #expect(processExitsWith: .failure) {
      var array = items([1])
      array.insert(Item(id: 2), at: 2)
    }
    await #expect(processExitsWith: .failure) {
      var array = items([])
      array.removeFirst()
    }
  }
}
