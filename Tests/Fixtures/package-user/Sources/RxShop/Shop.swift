// A shop's page in the style of tokopedia's library, by an author who knew only that library.
import Foundation
import RxComposableArchitecture

public struct Product: HashDiffable, Equatable {
  public let id: Int
  public var name: String
  public var isSelected = false
}

public struct NetworkError: Error, Equatable {
  public init() {}
}

public struct ShopState: Equatable {
  @SingleSelection(wrappedValue: [], selection: \.isSelected)
  public var products: IdentifiedArrayOf<Product>
  @UniqueElements public var recent: [Int] = []
  @NeverEqual public var toastMessage: String?
  public var keyword = ""
  public var isLoading = false
  public init() {}
}

public enum ShopAction: Equatable {
  case didLoad
  case keywordChanged(String)
  case productsResponse(Result<[Product], NetworkError>)
  case product(id: Int, action: ProductAction)
}

public enum ProductAction: Equatable { case tap }

public struct ShopEnvironment {
  public var request: (String) -> Effect<Result<[Product], NetworkError>>
  public var mainQueue: SchedulerType
  public init(request: @escaping (String) -> Effect<Result<[Product], NetworkError>>, mainQueue: SchedulerType) {
    self.request = request
    self.mainQueue = mainQueue
  }
}

let productReducer = AnyReducer<Product, ProductAction, Void> { state, action, _ in
  state.isSelected = true
  return .none
}

public let shopReducer = Reducer<ShopState, ShopAction, ShopEnvironment>.combine(
  productReducer.forEach(
    state: \.products, action: /ShopAction.product(id:action:), environment: { _ in () }),
  Reducer { state, action, env in
    struct SearchId: Hashable {}
    switch action {
    case .didLoad:
      state.isLoading = true
      return env.request(state.keyword)
        .observe(on: env.mainQueue)
        .map(ShopAction.productsResponse)
        .eraseToEffect()
    case let .keywordChanged(keyword):
      state.keyword = keyword
      return Effect(value: .didLoad)
        .debounce(id: SearchId(), for: .milliseconds(300), scheduler: env.mainQueue)
    case let .productsResponse(.success(products)):
      state.isLoading = false
      state.products = IdentifiedArray(uniqueElements: products)
      return .none
    case .productsResponse(.failure):
      state.isLoading = false
      state.toastMessage = "Something is wrong"
      return .none
    case let .product(id, .tap):
      state.recent.append(id)
      return .none
    }
  }
)

public struct Favorite: ReducerProtocol {
  public struct State: Equatable {
    public var isFavorite = false
    public init() {}
  }
  public enum Action: Equatable { case tap, response(Bool) }
  public init() {}

  @Dependency(\.rxMainQueue) var mainQueue

  public var body: some ReducerProtocol<State, Action> {
    Reduce { state, action in
      switch action {
      case .tap:
        return .task { [isFavorite = state.isFavorite] in .response(!isFavorite) }
      case let .response(isFavorite):
        state.isFavorite = isFavorite
        return .none
      }
    }
  }
}
