// The reducer of seeds/002, block 4.
import RxComposableArchitecture

struct RxEnvironment {
  var mainQueue: any SchedulerType
  var numberFact: (Int) -> Effect<String>
}

let rxReducer = Reducer<AppState, AppAction, RxEnvironment> { state, action, environment in
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

extension RxEnvironment {
  static var live: RxEnvironment {
    RxEnvironment(
      mainQueue: MainScheduler.asyncInstance,
      numberFact: { number in
        number < 0 ? Effect(error: ApiError()) : Effect(value: "\(number) is a good number Brent")
      })
  }
}

/// A screen of this generation that observes a store of 1.x, possibly one whose state is a hub's.
@MainActor
final class RxScreen {
  let store: Store<AppState, AppAction>
  private(set) var counts: [Int] = []
  private let disposeBag = DisposeBag()

  init(store: Store<AppState, AppAction>) {
    self.store = store
    store.subscribe(\.count)
      .subscribe(onNext: { [weak self] count in self?.counts.append(count) })
      .disposed(by: disposeBag)
  }
}
