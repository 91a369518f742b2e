/// An action with a case for events of the view.
public protocol ViewAction<ViewAction>: SendableMetatype {
  /// The events of the view.
  associatedtype ViewAction
  /// Embeds an event of the view.
  static func view(_ action: ViewAction) -> Self
}

/// A type with a store that sends only the view's actions. `@ViewAction(for:)` generates the conformance.
@MainActor
public protocol ViewActionSending<StoreState, StoreAction> {
  /// The state of the store.
  associatedtype StoreState
  /// The actions of the store.
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
