import ClusterHub
import Features
import HTTPClient
import StoreHub

/// The hub of the shipped features.
@main
nonisolated struct StoreHubDaemon: HubService {
  static let description = ServiceDescription(
    "storehubd", directory: "storehub",
    options: [
      ServiceOption(
        "fact-url", argument: "URL", "get facts from the web service at URL/NUMBER/trivia; default: built in")
    ])

  static var cluster: (any ClusterSupport.Type)? { EtcdCluster.self }

  let initialState = AppFeature.State()
  private var factURL: String?
  private var http: HTTPClient?

  mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError) {
    factURL = options["fact-url"]
    guard let factURL else { return }
    do throws(HTTPError) {
      guard try WebAddress(factURL).hasQueryOrFragment else { return }
    } catch {
      throw ServiceOptionError("--fact-url: \(error)")
    }
    throw ServiceOptionError(
      "--fact-url: '\(factURL)' must not have a query or a fragment, because a path is appended to it")
  }

  @MainActor mutating func prepare(on loop: EventLoop, log: Log) throws {
    if factURL != nil { http = try HTTPClient(loop: loop) }
  }

  var body: some ReducerOf<AppFeature> { AppFeature() }

  var views: StateViews<AppFeature.State> {
    // Terminals with a long list show windows of them, by the names of `TodoFilter`.
    StateView("active", Elements(\.todos.todos).filter { !$0.isComplete })
    StateView("completed", Elements(\.todos.todos).filter { $0.isComplete })
  }

  @MainActor func prepareDependencies(_ dependencies: inout DependencyValues) {
    if let factURL, let http { dependencies.numberFact = .service(at: factURL, over: http) }
  }

  func actions(for event: HubEvent, in state: AppFeature.State) -> [AppFeature.Action] {
    AppFeature.actions(for: event, in: state)
  }
}
