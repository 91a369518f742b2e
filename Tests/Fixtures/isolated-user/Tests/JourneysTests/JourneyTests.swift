import ComposableTesting
import Testing

@testable import Journeys

@Suite struct JourneyTests {
  @Test func aStopIsAddedEditedAndRemoved() async {
    let store = TestStore(initialState: Journey.State()) { Journey() }
    await store.send(\.view.addButtonTapped) {
      $0.stops = [Stop.State(id: 0)]
      $0.$visits.withLock { $0 = 1 }
    }
    await store.send(\.view.editButtonTapped, 0) { $0.destination = .edit(Stop.State(id: 0)) }
    await store.send(\.destination.edit.binding.city, "Oslo") {
      $0.destination?.modify(\.edit) {
        $0.city = "Oslo"
        $0.notes.lines = ["renamed"]
      }
    }
    await store.receive(\.destination.edit.delegate.renamed) {
      $0.path[id: 0] = .stop(Stop.State(id: 0, city: "Oslo"))
    }
    await store.send(\.view.removeButtonTapped, 0) { $0.destination = .alert(.remove(0)) }
    await store.send(\.destination.alert.confirmRemoval, 0) {
      $0.stops = []
      $0.destination = nil
    }
  }

  @Test func aForecastArrives() async {
    let store = TestStore(initialState: Stop.State(id: 1, city: "Bergen")) {
      Stop()
    } withDependencies: {
      $0.continuousClock = .immediate
      $0.weather.forecast = { "rain in \($0)" }
    }
    await store.send(\.forecastButtonTapped)
    await store.receive(\.forecastResponse.success) { $0.forecast = "rain in Bergen °T" }
  }

  @Test func theViewSendsItsActions() {
    let view = JourneyView(store: Store(initialState: Journey.State()) { Journey() })
    view.addButtonTapped()
    #expect(view.lines == ["stop: "])
  }
}
