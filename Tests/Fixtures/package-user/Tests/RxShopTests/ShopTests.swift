import RxComposableArchitecture
import RxComposableTesting
import XCTest

@testable import RxShop

final class ShopTests: XCTestCase {
  private var disposeBag = DisposeBag()
  private let products = [Product(id: 1, name: "Shoes"), Product(id: 2, name: "Hats")]

  override func setUp() {
    super.setUp()
    disposeBag = DisposeBag()
  }

  func testSearch() {
    let scheduler = TestScheduler(initialClock: 0)
    let products = self.products
    let store = TestStore(
      initialState: ShopState(),
      reducer: shopReducer,
      environment: ShopEnvironment(request: { _ in Effect(value: .success(products)) }, mainQueue: scheduler)
    )
    store.send(.keywordChanged("s")) { $0.keyword = "s" }
    scheduler.advance(by: .milliseconds(200))
    store.send(.keywordChanged("sh")) { $0.keyword = "sh" }
    scheduler.advance(by: .milliseconds(300))
    store.receive(.didLoad) { $0.isLoading = true }
    scheduler.advance()
    store.receive(.productsResponse(.success(products))) {
      $0.isLoading = false
      $0.products = IdentifiedArray(uniqueElements: products)
    }
    store.send(.product(id: 1, action: .tap)) {
      $0.products[id: 1]?.isSelected = true
      $0.recent = [1]
    }
    store.send(.product(id: 2, action: .tap)) {
      $0.products[id: 1]?.isSelected = false
      $0.products[id: 2]?.isSelected = true
      $0.recent = [1, 2]
    }
  }

  func testPage() {
    let products = self.products
    let live = ShopEnvironment(request: { _ in Effect(value: .success(products)) }, mainQueue: MainScheduler.instance)
    let store = Store(initialState: ShopState(), reducer: shopReducer, environment: live)
    var names: [[String]] = []
    var toasts: [String?] = []
    store.subscribe(\.products)
      .subscribe(onNext: { names.append($0.map(\.name)) })
      .disposed(by: disposeBag)
    store.subscribeNeverEqual(\.$toastMessage)
      .subscribe(onNext: { toasts.append($0) })
      .disposed(by: disposeBag)

    Bootstrap.mock(
      environment: ShopEnvironment(
        request: { _ in Effect(value: .failure(NetworkError())) }, mainQueue: MainScheduler.instance))
    store.send(.didLoad)
    store.send(.didLoad)
    Bootstrap.clear(environment: ShopEnvironment.self)
    store.send(.didLoad)
    XCTAssertEqual(names, [[], ["Shoes", "Hats"]])
    XCTAssertEqual(toasts, [nil, "Something is wrong", "Something is wrong"])

    let shoes = store.scope(state: \.products).scope(
      at: 1,
      action: { (action: ProductAction) in
        ShopAction.product(id: 1, action: action)
      })
    _ = shoes?.send(.tap)
    XCTAssertEqual(shoes?.state.isSelected, true)
  }

  @MainActor
  func testFavorite() async {
    let store = TestStore(initialState: Favorite.State(), reducer: Favorite())
    store.send(.tap)
    await store.receive(.response(true)) { $0.isFavorite = true }
  }
}
