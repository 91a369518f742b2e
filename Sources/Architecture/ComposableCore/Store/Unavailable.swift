// Parts of the original library that need SwiftUI, UIKit or Combine.

extension Store {
  /// The state as a Combine publisher.
  @available(*, unavailable, message: "Combine is not available on Linux: use 'values(of:)' or 'subscribe(_:)'")
  public var publisher: Never { preconditionFailure() }

  /// Code for a present and an absent child, with Combine.
  @available(*, unavailable, message: "Combine is not available on Linux: scope to the optional state in 'observe'")
  public func ifLet<Wrapped>(then unwrap: @escaping (Store<Wrapped, Action>) -> Void, else: @escaping () -> Void = {})
  where State == Wrapped? {}
}

/// A store's state as a view observes it.
@available(*, unavailable, message: "SwiftUI is not available on Linux: read the state from the store and send to it")
public struct ViewStore<ViewState, ViewAction> {
  /// Observes a store.
  public init<State>(
    _ store: Store<State, ViewAction>, observe toViewState: @escaping (State) -> ViewState,
    removeDuplicates isDuplicate: ((ViewState, ViewState) -> Bool)? = nil
  ) {}
}

/// The view store of a reducer.
@available(*, unavailable, message: "SwiftUI is not available on Linux: read the state from the store and send to it")
public typealias ViewStoreOf<R: Reducer> = ViewStore<R.State, R.Action>

/// A view that observes a store.
@available(*, unavailable, message: "SwiftUI is not available on Linux: read the state from the store and send to it")
public struct WithViewStore<ViewState, ViewAction, Content> {
  /// Observes a store.
  public init<State>(
    _ store: Store<State, ViewAction>, observe toViewState: @escaping (State) -> ViewState,
    content: @escaping (ViewStore<ViewState, ViewAction>) -> Content
  ) {}
}
