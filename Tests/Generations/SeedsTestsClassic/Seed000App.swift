// seeds/000, blocks 1 to 5 and 11: the README of the RxSwift fork, as printed. Block 6, the view controller, is in
// Seed000Tests.swift.
import ComposableArchitectureClassic

enum Seed000 {
  struct AppState: Equatable {
    var count = 0
    var numberFactAlert: String?
  }

  enum AppAction: Equatable {
    case factAlertDismissed
    case decrementButtonTapped
    case incrementButtonTapped
    case numberFactButtonTapped
    case numberFactResponse(Result<String, ApiError>)
  }

  struct ApiError: Error, Equatable {}

  struct AppEnvironment {
    var mainQueue: AnySchedulerOf<DispatchQueue>
    var numberFact: (Int) -> Effect<String, ApiError>
  }

  static let appReducer = Reducer<AppState, AppAction, AppEnvironment> { state, action, environment in
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

    // As printed, `let` binds nothing, which causes a compiler warning.
    case .numberFactResponse(.failure):
      state.numberFactAlert = "Could not load a number fact :("
      return .none
    }
  }

  struct FactAlert: Identifiable {
    var title: String
    var id: String { self.title }
  }
}

// Block 11, of the FAQ.
extension Reducer {
  func receive<S: Scheduler>(on scheduler: S) -> Self {
    Self { state, action, environment in
      self(&state, action, environment)
        .receive(on: scheduler)
        .eraseToEffect()
    }
  }
}
