// The replicated state and actions of the number fact app of seeds/000 and seeds/002: only `@Replicated` is added. This
// file imports no generation of the architecture by name.
import ReplicatedArchitecture

@Replicated
struct AppState: Equatable {
  var count = 0
  var numberFactAlert: String?
}

@Replicated
enum AppAction: Equatable {
  case factAlertDismissed
  case decrementButtonTapped
  case incrementButtonTapped
  case numberFactButtonTapped
  case numberFactResponse(Result<String, ApiError>)
}

@Replicated
struct ApiError: Error, Equatable {}
