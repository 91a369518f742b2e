public import FoundationEssentials

extension DependencyValues {
  /// The time zone for computing dates.
  ///
  /// It is the user's current time zone, but in a hub's reducer that of the hub's configuration, by default GMT. Tests
  /// that use it without overriding it get a report.
  public var timeZone: TimeZone {
    get { value(inReducerOfHub: \.timeZone, unlessReplaced: TimeZoneKey.self) ?? self[TimeZoneKey.self] }
    set { self[TimeZoneKey.self] = newValue }
  }
}

private enum TimeZoneKey: DependencyKey {
  static let liveValue = TimeZone.autoupdatingCurrent
  static var testValue: TimeZone {
    reportUnimplemented("timeZone")
    return .autoupdatingCurrent
  }
}
