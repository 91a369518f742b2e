extension Effect {
  /// Gives the effect an id by which it can be cancelled.
  ///
  /// An id is valid within one store. Effects with the same id are cancelled together.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: Whether running effects with the id are cancelled first. `.none` stays `.none` and cancels
  ///     nothing.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
    guard let tree else { return .none }
    if tree.isRefusal { return self }
    return Effect(tree: .cancellable(tree, CancelID(id), cancelInFlight: cancelInFlight))
  }

  /// Cancels the effects with an id.
  ///
  /// - Complexity: O(effects with the id), independent of the number of others.
  public static func cancel(id: some Hashable & Sendable) -> Effect {
    Effect(tree: .cancel(CancelID(id)))
  }
}
