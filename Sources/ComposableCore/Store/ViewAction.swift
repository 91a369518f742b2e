/// An action with a case for what happens in the view.
public protocol ViewAction<ViewAction> {
  /// What happens in the view.
  associatedtype ViewAction
  /// Makes it an action.
  static func view(_ action: ViewAction) -> Self
}

/// What holds a store and sends only its view's actions. `@ViewAction(for:)` writes the conformance.
@MainActor
public protocol ViewActionSending<StoreState, StoreAction> {
  associatedtype StoreState
  associatedtype StoreAction: ViewAction
  /// The store.
  var store: Store<StoreState, StoreAction> { get }
}

extension ViewActionSending {
  /// Sends an action of the view.
  @discardableResult
  public func send(_ action: StoreAction.ViewAction) -> StoreTask {
    store.send(.view(action))
  }
}
