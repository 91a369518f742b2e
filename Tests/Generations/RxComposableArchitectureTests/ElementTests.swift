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

  @Test func equalElementsLookTheSame() {
    #expect(Item(id: 1).isEqual(to: Item(id: 1)) && !Item(id: 1).isEqual(to: Item(id: 1, text: "new")))
  }

  @Test func accessToIdentifiedArrays() {
    var items: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    #expect(items[safe: 1]?.id == 2 && items[safe: 2] == nil && items[safe: -1] == nil)
    items.removeDuplicates()
    #expect(items.count == 2)
  }
}
