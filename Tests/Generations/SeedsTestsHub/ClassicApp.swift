// The reducer of seeds/000, block 4.
import ComposableArchitectureClassic
import ConcurrencyExtras

struct ClassicEnvironment {
  var mainQueue: AnySchedulerOf<DispatchQueue>
  var numberFact: (Int) -> Effect<String, ApiError>
}

let classicReducer = Reducer<AppState, AppAction, ClassicEnvironment> { state, action, environment in
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
      .catchToEffect()
      .map(AppAction.numberFactResponse)

  case let .numberFactResponse(.success(fact)):
    state.numberFactAlert = fact
    return .none

  case .numberFactResponse(.failure):
    state.numberFactAlert = "Could not load a number fact :("
    return .none
  }
}

extension ClassicEnvironment {
  /// Facts from another thread, delivered on the main queue.
  static var live: ClassicEnvironment {
    ClassicEnvironment(
      mainQueue: DispatchQueue.main.eraseToAnyScheduler(),
      numberFact: { number in
        Effect.future { callback in
          let callback = UncheckedSendable(callback)
          DispatchQueue.global().async {
            callback.value(number < 0 ? .failure(ApiError()) : .success("\(number) is a good number Brent"))
          }
        }
      })
  }
}

/// A view store of this generation that observes a store of 1.x, including one whose state is in a hub.
@MainActor
final class ClassicScreen {
  let viewStore: ViewStore<AppState, AppAction>
  private(set) var alerts: [String?] = []
  private var cancellables: Set<AnyCancellable> = []

  init(store: Store<AppState, AppAction>) {
    viewStore = ViewStore(store)
    viewStore.publisher.numberFactAlert
      .sink { [weak self] alert in self?.alerts.append(alert) }
      .store(in: &cancellables)
  }
}
