// seeds/002, blocks 1 to 9: the README of tokopedia's RxComposableArchitecture, as printed where it type-checks.
import ConcurrencyExtras
import RxComposableArchitecture
import RxComposableTesting
import XCTest

// Block 1.
private struct AppState: Equatable {
  var count = 0
  var numberFactAlert: String?
}

// Block 2.
private enum AppAction: Equatable {
  case factAlertDismissed
  case decrementButtonTapped
  case incrementButtonTapped
  case numberFactButtonTapped
  case numberFactResponse(Result<String, ApiError>)
}

private struct ApiError: Error, Equatable {}

// Block 3. `SchedulerType` stands alone there, as Swift 5 allows.
private struct AppEnvironment {
  var mainQueue: SchedulerType
  var numberFact: (Int) -> Effect<String>
}

// Block 4, which does not type-check with the original library; here it does, as printed.
private let appReducer = Reducer<AppState, AppAction, AppEnvironment> { state, action, environment in
  switch action {
  case .factAlertDismissed:
    state.numberFactAlert = nil
    return .none

  case .decrementButtonTapped:
    state.count -= 1
    return .none

  case .incrementButtonTapped:
    state.count += 1
    return .none

  case .numberFactButtonTapped:
    return environment.numberFact(state.count)
      .receive(on: environment.mainQueue)
      .catchToEffect(AppAction.numberFactResponse)

  case let .numberFactResponse(.success(fact)):
    state.numberFactAlert = fact
    return .none

  case .numberFactResponse(.failure):
    state.numberFactAlert = "Could not load a number fact :("
    return .none
  }
}

// Block 5, with our own labels and alerts. As printed it subscribes to `\.number`, which the state does not have, and
// captures `numberLabel`, which is called `countLabel`; the state and that label are used instead.
private class AppViewController {
  class UILabel { var text: String? }

  private let store: Store<AppState, AppAction>
  private let disposeBag = DisposeBag()
  let countLabel = UILabel()
  var presented: [String?] = []

  init(store: Store<AppState, AppAction>) {
    self.store = store
  }

  func viewDidLoad() {
    store.subscribe { $0 }
      .map { "\($0.count)" }
      .subscribe(onNext: { [countLabel] in
        countLabel.text = String($0)
      })
      .disposed(by: disposeBag)

    store.subscribe(\.numberFactAlert)
      .subscribe(onNext: { [weak self] numberFactAlert in
        self?.presented.append(numberFactAlert)
      })
      .disposed(by: disposeBag)
  }

  func incrementButtonTapped() {
    store.send(.incrementButtonTapped)
  }
  func decrementButtonTapped() {
    store.send(.decrementButtonTapped)
  }
  func factButtonTapped() {
    store.send(.numberFactButtonTapped)
  }
}

final class Seed002Tests: XCTestCase {
  // Block 6.
  func testTheReadmesController() {
    let viewController = AppViewController(
      store: Store(
        initialState: AppState(),
        reducer: appReducer,
        environment: AppEnvironment(
          mainQueue: MainScheduler.instance,
          numberFact: { number in Effect(value: "\(number) is a good number Brent") }
        )
      ))
    viewController.viewDidLoad()
    viewController.incrementButtonTapped()
    viewController.incrementButtonTapped()
    viewController.decrementButtonTapped()
    XCTAssertEqual(viewController.countLabel.text, "1")
    viewController.factButtonTapped()
    XCTAssertEqual(viewController.presented, [nil, "1 is a good number Brent"])
  }

  // Blocks 7 and 8.
  func testTheReadmesTest() {
    let scheduler = TestScheduler(initialClock: 0)

    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: scheduler,
        numberFact: { number in Effect(value: "\(number) is a good number Brent") }
      )
    )

    // Test that tapping on the increment/decrement buttons changes the count
    store.send(.incrementButtonTapped) {
      $0.count = 1
    }
    store.send(.decrementButtonTapped) {
      $0.count = 0
    }

    // Test that tapping the fact button causes us to receive a response from the effect. Note
    // that we have to advance the scheduler because we used `.receive(on:)` in the reducer.
    store.send(.numberFactButtonTapped)

    scheduler.advance()
    store.receive(.numberFactResponse(.success("0 is a good number Brent"))) {
      $0.numberFactAlert = "0 is a good number Brent"
    }

    // And finally dismiss the alert
    store.send(.factAlertDismissed) {
      $0.numberFactAlert = nil
    }
  }

  func testTheErrorBecomesAnAction() {
    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(mainQueue: ImmediateScheduler(), numberFact: { _ in Effect(error: ApiError()) })
    )
    store.send(.numberFactButtonTapped)
    store.receive(.numberFactResponse(.failure(ApiError()))) {
      $0.numberFactAlert = "Could not load a number fact :("
    }
  }

  // Block 9: the text of `debug()`. As printed the action's id is `UUID(…)` and the list's rest is `… (2 unchanged)`.
  func testDebugOutput() throws {
    struct Todo: Equatable, Identifiable {
      var isComplete: Bool
      var description: String
      var id: UUID
    }
    struct AppState: Equatable { var todos: IdentifiedArrayOf<Todo> }
    enum AppAction: Equatable { case todoCheckboxTapped(id: UUID) }
    let ids = try [
      "5834811A-83B4-4E5E-BCD3-8A38F6BDCA90", "AB3C7921-8262-4412-AA93-9DC5575C1107",
      "06E94D88-D726-42EF-BA8B-7B4478179D19",
    ].map { try XCTUnwrap(UUID(uuidString: $0)) }
    let (printed, queue) = (LockIsolated(""), DispatchQueue(label: "printer"))
    let reducer = Reducer<AppState, AppAction, Void> { state, action, _ in
      guard case .todoCheckboxTapped(let id) = action else { return .none }
      state.todos[id: id]?.isComplete.toggle()
      return .none
    }
    .debug(environment: { _ in
      DebugEnvironment(printer: { text in printed.withValue { $0 += text } }, queue: queue)
    })
    let todos = zip(["Milk", "Eggs", "Hand Soap"], ids).map { Todo(isComplete: false, description: $0, id: $1) }
    let store = Store(initialState: AppState(todos: .init(uniqueElements: todos)), reducer: reducer, environment: ())
    store.send(.todoCheckboxTapped(id: ids[0]))
    queue.sync {}
    XCTAssertEqual(
      printed.value.replacingOccurrences(of: "Seed002Tests.", with: "").replacingOccurrences(of: "\u{2007}", with: " "),
      """
      received action:
        AppAction.todoCheckboxTapped(id: UUID(5834811A-83B4-4E5E-BCD3-8A38F6BDCA90))
        AppState(
          todos: [
            [0]: Todo(
      -       isComplete: false,
      +       isComplete: true,
              description: "Milk",
              id: UUID(5834811A-83B4-4E5E-BCD3-8A38F6BDCA90)
            ),
            … (2 unchanged)
          ]
        )

      """)
  }
}
