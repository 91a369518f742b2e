extension DependencyValues {
  /// The clock for sleeping: the continuous clock; in tests, one that reports that it was not overridden.
  ///
  /// ```swift
  /// @Dependency(\.continuousClock) var clock
  /// try await clock.sleep(for: .seconds(1))
  /// ```
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }

  /// A clock that stops while the machine sleeps; in tests, one that reports that it was not overridden.
  public var suspendingClock: any Clock<Duration> {
    get { self[SuspendingClockKey.self] }
    set { self[SuspendingClockKey.self] = newValue }
  }
}

private enum ContinuousClockKey: DependencyKey {
  static let isReproducible = true
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static var testValue: any Clock<Duration> {
    let report = unimplementedReport(of: "continuousClock")
    return UnimplementedClock(ContinuousClock()) { report($0, nil) }
  }
}

private enum SuspendingClockKey: DependencyKey {
  static let isReproducible = true
  static let liveValue: any Clock<Duration> = SuspendingClock()
  static var testValue: any Clock<Duration> {
    let report = unimplementedReport(of: "suspendingClock")
    return UnimplementedClock(SuspendingClock()) { report($0, nil) }
  }
}
