extension Effect {
  /// Lets all who start the effect share it: while it runs, it is not started again.
  ///
  /// ```swift
  /// case .task:
  ///   return .run { send in for await price in prices() { await send(.priceChanged(price)) } }
  ///     .shared(id: CancelID.prices)
  /// ```
  ///
  /// Each send of the action holds the effect until its task is cancelled (``ComposableCore/StoreTask/cancel()``). The
  /// effect is cancelled when the last one is. In a hub, a client that leaves does not hold it any more. So the effect
  /// of an element that several clients show runs once, and as long as one of them shows it. A client that ends without
  /// leaving, as in a crash, holds it for 10 seconds (`HubLimits.holdTimeout`). One that was without a connection for
  /// longer learns that its effects may have ended, and ``ComposableCore/Store/hold(_:)`` begins them again.
  ///
  /// An effect may send an action that starts it, as one that polls does: it does not hold itself.
  ///
  /// `Effect.cancel(id:)`, and the removal of the child that the effect belongs to, cancel it for all. A send that finds
  /// the effect running starts nothing of its own; in a concatenation, the next effect then begins at once. Within a
  /// stream, as behind `receive(on:)`, effects are not shared.
  ///
  /// - Parameter id: The id, within the feature and its parents, as of `cancellable`.
  public func shared(id: some Hashable & Sendable) -> Effect {
    guard let tree else { return .none }
    if tree.isRefusal { return self }
    return Effect(tree: .shared(tree, CancelID(id)))
  }
}
