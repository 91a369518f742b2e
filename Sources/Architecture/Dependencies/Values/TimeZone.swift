public import FoundationEssentials

extension DependencyValues {
  /// The time zone for computing dates.
  ///
  /// It is the user's current time zone. Tests that use it without overriding it get a report.
  public var timeZone: TimeZone {
    get { self[TimeZoneKey.self] }
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
