public import FoundationEssentials

extension DependencyValues {
  /// The time zone by which features reckon dates.
  ///
  /// The user's own, as it is when it is asked; a test that does not override it is told so.
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
