import ComposableArchitectureClassic
import Foundation

public struct SearchClient {
  public var search: (String) -> Effect<[String], Failure>
  public struct Failure: Error, Equatable {}

  public init(search: @escaping (String) -> Effect<[String], Failure>) { self.search = search }

  public static let live = SearchClient(search: { query in
    Effect.future { callback in
      callback(query.isEmpty ? .failure(Failure()) : .success([query, query.uppercased()]))
    }
    .eraseToEffect()
  })
  public static let failing = SearchClient(search: { _ in .failing("SearchClient.search") })
}

public struct SearchState: Equatable {
  public var query = ""
  public var results: [String] = []
  public var isLoading = false
}

public enum SearchAction: Equatable {
  case queryChanged(String)
  case response(Result<[String], SearchClient.Failure>)
}

struct SearchEnvironment {
  let client: SearchClient
  let mainQueue: AnySchedulerOf<DispatchQueue>
}

struct SearchID: Hashable {}

typealias SearchReducer = Reducer<SearchState, SearchAction, SearchEnvironment>

let searchReducer: SearchReducer = .init { state, action, environment in
  func finish(_ results: [String]) -> Effect<SearchAction, Never> {
    state.isLoading = false
    state.results = results
    return .none
  }

  switch action {
  case let .queryChanged(query):
    state.query = query
    guard !query.isEmpty else {
      state.results = []
      return .cancel(id: SearchID())
    }
    state.isLoading = true
    return environment.client.search(query)
      .debounce(id: SearchID(), for: 0.3, scheduler: environment.mainQueue)
      .receive(on: environment.mainQueue)
      .catchToEffect()
      .map(SearchAction.response)
  case let .response(.success(results)):
    return finish(results)
  case .response(.failure):
    return finish([])
  }
}
