public import Dependencies

extension DependencyValues {
  /// The term in which the hub led its cluster when the effect began; nil outside of a cluster and outside of an effect.
  ///
  /// Effects run on the hub that leads only. But a process that was stopped for seconds, and goes on, may run those of
  /// its term while those of the next one run elsewhere. A system that they change tells the two apart by the term: it
  /// keeps the greatest that it has seen, and refuses what comes with a smaller one.
  ///
  /// ```swift
  /// return .run { [order = state.order] send in
  ///   @Dependency(\.fencingToken) var token
  ///   await send(.booked(Result { try await warehouse.book(order, fencedBy: token) }))
  /// }
  /// ```
  ///
  /// Read it in the effect, not in the reducer: another hub that reduces the same action leads in another term. A test
  /// sets it.
  public var fencingToken: UInt64? {
    get { EffectContext.current?.host.fencingToken ?? self[FencingTokenKey.self] }
    set { self[FencingTokenKey.self] = newValue }
  }
}

private enum FencingTokenKey: DependencyKey {
  static let liveValue: UInt64? = nil
  static let testValue: UInt64? = nil
}
