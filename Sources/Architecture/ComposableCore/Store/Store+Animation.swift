public import PromptState

// Nothing here animates. These overloads let code that was written for SwiftUI compile.

extension Store {
  /// Sends an action to the feature. The animation has no effect.
  @discardableResult
  public func send(_ action: Action, animation: Animation?) -> StoreTask { send(action) }

  /// Sends an action to the feature. The transaction has no effect.
  @discardableResult
  public func send(_ action: Action, transaction: Transaction) -> StoreTask { send(action) }
}

extension ViewActionSending {
  /// Sends an action of the view. The animation has no effect.
  @discardableResult
  public func send(_ action: StoreAction.ViewAction, animation: Animation?) -> StoreTask { send(action) }

  /// Sends an action of the view. The transaction has no effect.
  @discardableResult
  public func send(_ action: StoreAction.ViewAction, transaction: Transaction) -> StoreTask { send(action) }
}
