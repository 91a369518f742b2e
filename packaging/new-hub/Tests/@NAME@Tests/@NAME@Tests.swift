import ComposableTesting
import @NAME@
import Testing

@MainActor
@Suite struct @NAME@Tests {
  @Test func theButtonCounts() async {
    let store = TestStore(initialState: @NAME@.State()) { @NAME@() }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
  }
}
