import ComposableTesting
import XCTest

final class RemindersTests: XCTestCase {
  @MainActor
  func testTimer() async {
    let mainQueue = DispatchQueue.test
    let store = TestStore(initialState: Reminders.State()) {
      Reminders()
    } withDependencies: {
      $0.mainQueue = mainQueue.eraseToAnyScheduler()
    }
    await store.send(.toggleTimerButtonTapped) { $0.isTicking = true }
    await mainQueue.advance(by: .seconds(1))
    await store.receive(\.timerTicked) { $0.seconds = 1 }
    await mainQueue.advance(by: .seconds(2))
    await store.receive(\.timerTicked) { $0.seconds = 2 }
    await store.receive(\.timerTicked) { $0.seconds = 3 }
    await store.send(.toggleTimerButtonTapped) { $0.isTicking = false }
  }

  @MainActor
  func testSearchIsDebounced() async {
    let mainQueue = DispatchQueue.test
    let store = TestStore(initialState: Reminders.State()) {
      Reminders()
    } withDependencies: {
      $0.mainQueue = mainQueue.eraseToAnyScheduler()
      $0.reminders.load = { ["Milk", "Mail"] }
      $0.uuid = .incrementing
    }
    await store.send(.task)
    await store.receive(\.loaded.success) {
      $0.items = [Reminder(id: UUID(0), title: "Milk"), Reminder(id: UUID(1), title: "Mail")]
    }
    await store.send(.binding(.set(\.query, "M"))) { $0.query = "M" }
    await mainQueue.advance(by: .milliseconds(200))
    await store.send(.binding(.set(\.query, "Milk"))) { $0.query = "Milk" }
    await mainQueue.advance(by: .milliseconds(300))
    await store.receive(\.searched) { $0.items.remove(id: UUID(1)) }
  }

  @MainActor
  func testDeletion() async {
    let reminder = Reminder(id: UUID(-1), title: "Milk")
    let store = TestStore(initialState: Reminders.State(items: [reminder])) { Reminders() }
    await store.send(.itemTapped(id: reminder.id)) { $0.edit = EditReminder.State(reminder: reminder) }
    await store.send(.edit(.presented(.deleteButtonTapped))) {
      $0.edit?.alert = AlertState {
        TextState("Delete?")
      } actions: {
        ButtonState(role: .destructive, action: .send(.confirmDeletion, animation: .default)) {
          TextState("Delete")
        }
        ButtonState(role: .cancel) { TextState("Keep") }
      }
    }
    await store.send(.edit(.presented(.alert(.presented(.confirmDeletion))))) { $0.edit?.alert = nil }
    await store.receive(\.edit.presented.delegate.delete) { $0.items = [] }
    await store.receive(\.edit.dismiss) { $0.edit = nil }
  }

  @MainActor
  func testAddition() async {
    let store = TestStore(initialState: Reminders.State()) {
      Reminders()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(.addButtonTapped) {
      $0.items = [Reminder(id: UUID(0), title: "New")]
      $0.$lastTitle.withLock { $0 = "New" }
    }
    XCTAssertEqual(store.state.items.ids, [UUID(0)])
  }
}
