import ComposableTesting
import Kitchen
import Testing

@MainActor
@Suite struct KitchenTests {
  @Test func aDishIsOrderedCookedAndServed() async {
    let clock = TestClock()
    let store = TestStore(initialState: Kitchen.State()) {
      Kitchen()
    } withDependencies: {
      $0.continuousClock = clock
    }
    store.exhaustivity = .off

    await store.send(.ordered(dish: "soup", table: 4))
    await store.send(.cookStarted(1)) { $0.orders[id: 1]?.stage = .onTheStove }
    await clock.advance(by: .seconds(2))
    await store.receive(\.cookingEnded) { $0.orders[id: 1]?.stage = .ready }
    await store.send(.waiterServed(1)) {
      $0.orders = []
      $0.served = 1
    }
  }
}
