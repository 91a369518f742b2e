import ComposableArchitecture
import ComposableTesting
import XCTest

@MainActor
final class ParlourTests: XCTestCase {
  let clock = TestClock()

  func testTimerInADestinationOnTheStack() async {
    let store = TestStore(initialState: Parlour.State()) {
      Parlour()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.welcome(.guest(Guest.State()))) { $0.path[id: 0] = .guest(Guest.State()) }
    await store.send(\.path[id: 0].guest.show, .stopwatch(Stopwatch.State())) {
      $0.path[id: 0, case: \.guest]?.destination = .stopwatch(Stopwatch.State())
    }
    await store.send(\.path[id: 0].guest.destination.stopwatch.start)
    await clock.advance(by: .seconds(2))
    await store.receive(\.path[id: 0].guest.destination.stopwatch.tick) {
      $0.path[id: 0, case: \.guest]?.$destination[case: \.stopwatch]?.seconds = 1
      $0.ticks = 1
      $0.steps = [1]
    }
    // An effect of the reducer is received before the next tick of the clock.
    await store.receive(\.struck)
    await store.receive(\.path[id: 0].guest.destination.presented.stopwatch.tick) {
      $0.path[id: 0]?.modify(\.guest) { $0.destination?.modify(\.stopwatch) { $0.seconds = 2 } }
      $0.ticks = 2
      $0.steps = [1, 1]
    }
    await store.send(\.path[id: 0].guest.destination.dismiss) {
      $0.path[id: 0, case: \.guest]?.destination = nil
      $0.path[id: 0, case: \.guest]?.log = ["dismissed"]
    }
    await clock.advance(by: .seconds(5))

    await store.send(\.path.push, (id: 1, state: .stopwatch(Stopwatch.State()))) {
      $0.path[id: 1] = .stopwatch(Stopwatch.State())
    }
    await store.send(\.path[id: 1].stopwatch.start)
    await store.send(\.path[id: 0].guest.leaveButtonTapped)
    await store.receive(\.path.popFrom) { $0.path = StackState() }
    await clock.advance(by: .seconds(5))
  }

  func testFormInADestination() async {
    let store = TestStore(initialState: Guest.State()) { Guest() }
    let form = Form<String>.State(value: "")
    await store.send(.show(.form(form))) { $0.destination = .form(form) }
    await store.send(\.destination.form.binding.value, "Ada") { $0.$destination[case: \.form]?.value = "Ada" }
    await store.send(\.destination.form.view.cancelTapped) {
      $0.$destination[case: \.form]?.alert = AlertState {
        TextState("Discard?")
      } actions: {
        ButtonState(role: .destructive, action: .discard) { TextState("Yes") }
      }
    }
    await store.send(\.destination.form.alert.dismiss) { $0.$destination[case: \.form]?.alert = nil }
    await store.send(\.destination.form.view.saveTapped)
    await store.receive(\.destination.form.delegate.saved, "Ada") { $0.name = "Ada" }
    await store.receive(\.destination.dismiss) {
      $0.destination = nil
      $0.log = ["dismissed"]
    }
  }

  func testDialogAndSeat() async {
    let store = TestStore(initialState: Guest.State()) { Guest() }
    let dialog = ConfirmationDialogState<Guest.Destination.Dialog> { TextState("Leave?") }
    await store.send(.show(.dialog(dialog))) { $0.destination = .dialog(dialog) }
    await store.send(\.destination.dialog.leave) {
      $0.destination = nil
      $0.log = ["left"]
    }
    await store.send(.show(.seat(3))) { $0.destination = .seat(3) }
    await store.send(.leaveButtonTapped)
    await store.send(.show(nil)) { $0.destination = nil }
  }

  func testLiveStore() async {
    let store = Store(initialState: Parlour.State()) { Parlour() }
    store.send(.welcome(.guest(Guest.State())))
    let path = store.scope(state: \.path, action: \.path)
    guard case .guest(let guest)? = path.first?.case else { return XCTFail("No guest") }
    guest.send(.show(.stopwatch(Stopwatch.State())))
    let stopwatch = guest.scope(state: \.destination?.stopwatch, action: \.destination.stopwatch)
    await stopwatch?.send(.tick).finish()
    XCTAssertEqual(stopwatch?.seconds, 1)
    XCTAssertEqual(store.ticks, 1)
    await guest.send(.leaveButtonTapped).finish()
    XCTAssertTrue(store.path.isEmpty)
  }
}
