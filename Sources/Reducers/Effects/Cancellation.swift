extension Effect {
  /// Gives the effect a name by which it can be cancelled.
  ///
  /// Names hold within one store. Several effects may have the same one; they are cancelled together.
  ///
  /// - Parameters:
  ///   - id: The name.
  ///   - cancelInFlight: Whether effects of that name which run already are cancelled first. They are not when there is
  ///     nothing to run: `.none` stays `.none`.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
    guard let tree else { return .none }
    return Effect(tree: .cancellable(tree, CancelID(id), cancelInFlight: cancelInFlight))
  }

  /// Cancels the effects of a name.
  public static func cancel(id: some Hashable & Sendable) -> Effect {
    Effect(tree: .cancel(CancelID(id)))
  }
}
