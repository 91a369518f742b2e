import RxComposableArchitecture
import Testing

@Suite struct ElementTests {
  struct Item: HashDiffable, Equatable, Hashable, Selectable {
    var id: Int
    var text = ""
    var isSelected = false
  }

  @Test func uniqueElements() {
    struct State: Equatable { @UniqueElements var ids: [Int] = [1, 1, 2] }
    var state = State()
    #expect(state.ids == [1, 2])
    state.ids += [2, 3, 1]
    #expect(state.ids == [1, 2, 3])
  }

  @Test func aNewSelectionReplacesTheOldOne() {
    struct State: Equatable {
      @SingleSelection(selection: \.isSelected) var items: IdentifiedArrayOf<Item> = []
      @SingleSelection var others: IdentifiedArrayOf<Item> = [
        Item(id: 1, isSelected: true), Item(id: 2, isSelected: true),
      ]
    }
    var state = State()
    #expect(state.others.filter(\.isSelected).map(\.id) == [1])
    state.items = [Item(id: 1), Item(id: 2), Item(id: 3)]
    for id in [2, 1, 3, 3] {
      state.items[id: id]?.isSelected = true
      #expect(state.items.filter(\.isSelected).map(\.id) == [id] && state.$items.selectedID == id)
    }
    state.items[id: 3]?.isSelected = false
    #expect(state.$items.selectedID == nil)
  }

  @Test func theDifferenceOfTwoLists() {
    let old = [1, 2, 3, 4].map { Item(id: $0) }
    var new = [Item(id: 4), Item(id: 1), Item(id: 5), Item(id: 2, text: "new")]
    let result = DiffingInterfaceList.diffing(oldArray: old, newArray: new)
    #expect(result.deletes == [2] && result.inserts == [2] && result.updates == [1])
    #expect(result.moves.contains(.init(from: 3, to: 0)))
    #expect(result.oldIndexFor(identifier: 4) == 3 && result.newIndexFor(identifier: 4) == 0)
    let batch = result.forBatchUpdates()
    #expect(batch.updates.isEmpty && batch.deletes == [1, 2] && batch.inserts == [2, 3])
    new = old
    #expect(!DiffingInterfaceList.diffing(oldArray: old, newArray: new).hasChanges)
    #expect(DiffingInterfaceList.diffing(oldArray: [], newArray: old).inserts.count == 4)
    #expect(DiffingInterfaceList.diffing(oldArray: old, newArray: []).deletes.count == 4)
  }

  /// Deletions, insertions and moves convert any list to any other.
  @Test func theChangesLeadFromOneListToTheOther() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let ids = Array(0..<8)
      let old = ids.shuffled(using: &generator).prefix(.random(in: 0...8)).map { Item(id: $0) }
      let new = ids.shuffled(using: &generator).prefix(.random(in: 0...8)).map { Item(id: $0) }
      let result = DiffingInterfaceList.diffing(oldArray: old, newArray: new)
      var places: [Item?] = Array(repeating: nil, count: new.count)
      for index in result.inserts { places[index] = new[index] }
      for move in result.moves { places[move.to] = old[move.from] }
      let moved = Set(result.moves.map(\.from))
      var rest = old.indices.filter { !result.deletes.contains($0) && !moved.contains($0) }.map { old[$0] }[...]
      for index in places.indices where places[index] == nil { places[index] = rest.popFirst() }
      #expect(places == new.map(Optional.some) && rest.isEmpty, "\(old.map(\.id)) \(new.map(\.id))")
    }
  }

  @Test func elementsWithoutTheirTypes() {
    let (first, second) = (AnyHashDiffable(Item(id: 1)), AnyHashDiffable(Item(id: 1, text: "new")))
    #expect(first == AnyHashDiffable(Item(id: 1)) && first != second && first.id == second.id)
    #expect(DiffingInterfaceList.diffing(oldArray: [first], newArray: [second]).updates == [0])
  }

  @Test func accessToIdentifiedArrays() {
    var items: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    #expect(items[safe: 1]?.id == 2 && items[safe: 2] == nil && items[safe: -1] == nil)
    items.removeDuplicates()
    #expect(items.count == 2)
  }
}
