import ComposableArchitecture

/// A view, which does belong to the main actor.
@ViewAction(for: Journey.self)
public struct JourneyView {
  public let store: StoreOf<Journey>

  public init(store: StoreOf<Journey>) { self.store = store }

  public func addButtonTapped() { send(.addButtonTapped) }

  public var lines: [String] {
    store.scope(state: \.stops, action: \.stops).map { "stop: \($0.city)" }
  }
}
