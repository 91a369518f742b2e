public import FoundationEssentials

extension DependencyValues {
  /// The calendar by which features reckon dates.
  ///
  /// The user's own, as it is when it is asked; a test that does not override it is told so.
  public var calendar: Calendar {
    get { self[CalendarKey.self] }
    set { self[CalendarKey.self] = newValue }
  }
}

private enum CalendarKey: DependencyKey {
  static let liveValue = Calendar.autoupdatingCurrent
  static var testValue: Calendar {
    reportUnimplemented("calendar")
    return .autoupdatingCurrent
  }
}
