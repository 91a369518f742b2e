// seeds/000, blocks 6 to 10.
import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import ConcurrencyExtras
import XCTest

final class Seed000Tests: XCTestCase {
  typealias AppState = Seed000.AppState
  typealias AppAction = Seed000.AppAction
  typealias AppEnvironment = Seed000.AppEnvironment
  let appReducer = Seed000.appReducer

  // Blocks 8 and 9, as printed.
  func testTheReadmesTest() {
    let scheduler = DispatchQueue.testScheduler

    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: scheduler.eraseToAnyScheduler(),
        numberFact: { number in Effect(value: "\(number) is a good number Brent") }
      )
    )

    store.assert(
      // Test that tapping on the increment/decrement buttons changes the count
      .send(.incrementButtonTapped) {
        $0.count = 1
      },
      .send(.decrementButtonTapped) {
        $0.count = 0
      },

      // Test that tapping the fact button causes us to receive a response from the effect. Note
      // that we have to advance the scheduler because we used `.receive(on:)` in the reducer.
      .send(.numberFactButtonTapped),
      .do { scheduler.advance() },
      .receive(.numberFactResponse(.success("0 is a good number Brent"))) {
        $0.numberFactAlert = "0 is a good number Brent"
      },

      // And finally dismiss the alert
      .send(.factAlertDismissed) {
        $0.numberFactAlert = nil
      }
    )
  }

  // Block 7, as printed, without the view; block 6 with labels of our own.
  func testTheReadmesApp() {
    let store = Store(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: DispatchQueue.immediateScheduler.eraseToAnyScheduler(),
        numberFact: { number in Effect(value: "\(number) is a good number Brent") }
      )
    )
    let controller = AppViewController(store: store)
    controller.viewDidLoad()
    XCTAssertEqual(controller.countLabel.text, "0")
    controller.viewStore.send(.incrementButtonTapped)
    controller.viewStore.send(.numberFactButtonTapped)
    XCTAssertEqual(controller.countLabel.text, "1")
    XCTAssertEqual(controller.presented, [nil, "1 is a good number Brent"])

    // The alert of block 4's view.
    let alert = controller.viewStore.binding(
      get: { $0.numberFactAlert.map(Seed000.FactAlert.init(title:)) },
      send: .factAlertDismissed
    )
    XCTAssertEqual(alert.wrappedValue?.id, "1 is a good number Brent")
    alert.wrappedValue = nil
    XCTAssertNil(controller.viewStore.numberFactAlert)
    XCTAssertEqual(controller.presented.count, 3)
  }

  // Block 7 with the main queue as it is printed there.
  func testTheLiveMainQueue() {
    let store = Store(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: DispatchQueue.main.eraseToAnyScheduler(),
        numberFact: { number in Effect(value: "\(number) is a good number Brent") }
      )
    )
    let shown = expectation(description: "alert")
    let cancellable = ViewStore(store).publisher.numberFactAlert.sink { if $0 != nil { shown.fulfill() } }
    ViewStore(store).send(.numberFactButtonTapped)
    XCTAssertNil(ViewStore(store).numberFactAlert)
    wait(for: [shown], timeout: 120)
    cancellable.cancel()
  }

  // Block 11, applied.
  func testTheHigherOrderReducerOfTheFAQ() {
    let scheduler = DispatchQueue.testScheduler
    let echo = Reducer<[Int], Int, Void> { state, action, _ in
      state.append(action)
      return action < 3 ? Effect(value: action + 1) : .none
    }
    let store = TestStore(initialState: [], reducer: echo.receive(on: scheduler), environment: ())
    store.assert(
      .send(2) { $0 = [2] },
      .do { scheduler.advance() },
      .receive(3) { $0 = [2, 3] })
  }

  // Block 10: the text of `debug()`.
  func testDebugOutput() {
    struct Todo: Equatable {
      var isComplete: Bool
      var description: String
      var id: UUID
    }
    struct AppState: Equatable { var todos: [Todo] }
    enum AppAction { case todoCheckboxTapped(index: Int) }
    let (printed, lock) = (LockIsolated(""), DispatchQueue(label: "printer"))
    let reducer = Reducer<AppState, AppAction, Void> { state, action, _ in
      guard case .todoCheckboxTapped(let index) = action else { return .none }
      state.todos[index].isComplete.toggle()
      return .none
    }
    .debug(environment: { _ in DebugEnvironment(printer: { text in printed.withValue { $0 += text } }, queue: lock) })
    let ids = [
      "5834811A-83B4-4E5E-BCD3-8A38F6BDCA90", "AB3C7921-8262-4412-AA93-9DC5575C1107",
      "06E94D88-D726-42EF-BA8B-7B4478179D19",
    ].compactMap(UUID.init(uuidString:))
    let todos = zip(["Milk", "Eggs", "Hand Soap"], ids)
      .map { Todo(isComplete: $0 == "Hand Soap", description: $0, id: $1) }
    let store = Store(initialState: AppState(todos: todos), reducer: reducer, environment: ())
    store.send(.todoCheckboxTapped(index: 0))
    lock.sync {}
    XCTAssertEqual(
      printed.value.replacingOccurrences(of: "(#1)", with: ""),
      """
      received action:
        AppAction.todoCheckboxTapped(
          index: 0
        )
        AppState(
          todos: [
            Todo(
      -       isComplete: false,
      +       isComplete: true,
              description: "Milk",
              id: 5834811A-83B4-4E5E-BCD3-8A38F6BDCA90
            ),
            Todo(
              isComplete: false,
              description: "Eggs",
              id: AB3C7921-8262-4412-AA93-9DC5575C1107
            ),
            Todo(
              isComplete: true,
              description: "Hand Soap",
              id: 06E94D88-D726-42EF-BA8B-7B4478179D19
            ),
          ]
        )

      """)
  }
}

/// The view controller of block 6, with UIKit's labels and alerts replaced.
private class AppViewController {
  class UILabel { var text: String? }

  let viewStore: ViewStore<Seed000.AppState, Seed000.AppAction>
  var cancellables: Set<AnyCancellable> = []
  let countLabel = UILabel()
  var presented: [String?] = []

  init(store: Store<Seed000.AppState, Seed000.AppAction>) {
    self.viewStore = ViewStore(store)
  }

  func viewDidLoad() {
    self.viewStore.publisher
      .map { "\($0.count)" }
      .assign(to: \.text, on: countLabel)
      .store(in: &self.cancellables)

    self.viewStore.publisher.numberFactAlert
      .sink { [weak self] numberFactAlert in
        self?.presented.append(numberFactAlert)
      }
      .store(in: &self.cancellables)
  }
}
