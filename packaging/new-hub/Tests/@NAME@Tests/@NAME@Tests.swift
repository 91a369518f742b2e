import ComposableTesting
import @NAME@
import Testing

@MainActor
@Suite struct @NAME@Tests {
  @Test func theButtonCounts() async {
    let store = TestStore(initialState: @NAME@.State()) { @NAME@() }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
  }

  @Test func aNoteNeedsAText() async {
    let store = TestStore(initialState: @NAME@.State()) { @NAME@() }
    await store.send(.addButtonTapped(text: ""), refused: "a note needs a text")
  }
}
