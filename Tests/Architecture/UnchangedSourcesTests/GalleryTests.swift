import ComposableArchitecture
import ComposableTesting
import Foundation
import Sharing
import XCTest

// A feature as written for version 1.26: scopes without a label, an effect of a change, scopes of an enum's cases.

@Reducer
struct Filters {
  @ObservableState
  struct State: Equatable {
    var query = ""
    var isStarredOnly = false
  }
  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case delegate(Delegate)
    @CasePathable enum Delegate: Equatable { case changed }
  }
  @Dependency(\.continuousClock) var clock
  enum CancelID { case debounce }
  var body: some ReducerOf<Self> {
    BindingReducer()
      .onChange(of: \.query) { oldValue, state in
        guard state.query.count != oldValue.count else { return .none }
        return .run { send in
          try await clock.sleep(for: .milliseconds(300))
          await send(.delegate(.changed))
        }
        .cancellable(id: CancelID.debounce, cancelInFlight: true)
      }
      .onChange(of: \.isStarredOnly) { _, _ in .send(.delegate(.changed)) }
  }
}

@Reducer
struct Picture {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: Int
    var isStarred = false
  }
  enum Action { case starTapped }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .starTapped:
        state.isStarred.toggle()
        return .none
      }
    }
  }
}

@Reducer
struct Gallery {
  @Reducer
  enum Destination {
    case picture(Picture)
    case alert(AlertState<Never>)
  }
  @ObservableState
  struct State: Equatable {
    var filters = Filters.State()
    var pictures: IdentifiedArrayOf<Picture.State> = []
    @Presents var destination: Destination.State?
    @Shared(.inMemory("searches")) var searches = 0
  }
  enum Action {
    case destination(PresentationAction<Destination.Action>)
    case filters(Filters.Action)
    case pictures(IdentifiedActionOf<Picture>)
    case pictureTapped(id: Int)
    case resetButtonTapped
  }
  var body: some ReducerOf<Self> {
    Scope(\.filters, action: \.filters) { Filters() }
    Reduce { state, action in
      switch action {
      case .destination, .pictures: return .none
      case .filters(.delegate(.changed)):
        state.$searches.withLock { $0 += 1 }
        return .none
      case .filters: return .none
      case let .pictureTapped(id):
        guard let picture = state.pictures[id: id] else {
          state.destination = .alert(AlertState { TextState("Not found") })
          return .none
        }
        state.destination = .picture(picture)
        return .none
      case .resetButtonTapped:
        state.$searches.withLock { $0 = 0 }
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
    .forEach(\.pictures, action: \.pictures) { Picture() }
  }
}
extension Gallery.Destination.State: Equatable {}

/// What a view of it reads and sends.
@MainActor
private func title(of store: StoreOf<Gallery>) -> String {
  if let alert = store.scope(\.$destination, action: \.destination).alert { return String(state: alert.title) }
  if let picture = store.scope(\.$destination, action: \.destination).picture { return "Picture \(picture.state.id)" }
  let starred = store.scope(\.pictures, action: \.pictures).filter(\.isStarred).count
  return "\(starred) of \(store.pictures.count), “\(store.scope(\.filters, action: \.filters).query)”"
}

final class GalleryTests: XCTestCase {
  @MainActor
  func testSearching() async {
    let clock = TestClock()
    let store = TestStore(initialState: Gallery.State()) {
      Gallery()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(\.filters.binding.query, "b") { $0.filters.query = "b" }
    await store.send(\.filters.binding.query, "bl") { $0.filters.query = "bl" }
    await clock.advance(by: .milliseconds(300))
    await store.receive(\.filters.delegate.changed) { $0.$searches.withLock { $0 = 1 } }
    await store.send(\.filters.binding.isStarredOnly, true) { $0.filters.isStarredOnly = true }
    await store.receive(\.filters.delegate.changed) { $0.$searches.withLock { $0 = 2 } }
    await store.send(.resetButtonTapped) { $0.$searches.withLock { $0 = 0 } }
    await store.send(.resetButtonTapped) { $0.$searches.withLock { $0 = 0 } }
  }

  @MainActor
  func testWhatAViewShows() {
    let pictures: IdentifiedArrayOf<Picture.State> = [Picture.State(id: 1), Picture.State(id: 2)]
    let store = Store(
      initialState: Gallery.State(pictures: pictures), initialAction: .pictures(.element(id: 2, action: .starTapped))
    ) {
      Gallery()
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
    }
    XCTAssertEqual(title(of: store), "1 of 2, “”")
    store.send(.pictureTapped(id: 1))
    XCTAssertEqual(title(of: store), "Picture 1")
    store.scope(\.$destination, action: \.destination).picture?.send(.starTapped)
    XCTAssertEqual(store.destination?.picture?.isStarred, true)
    store.send(.destination(.dismiss))
    store.send(.pictureTapped(id: 3))
    XCTAssertEqual(title(of: store), "Not found")
    store.send(.destination(.dismiss))
    store.scope(\.filters, action: \.filters).query = "blob"
    XCTAssertEqual(title(of: store), "1 of 2, “blob”")
  }
}
