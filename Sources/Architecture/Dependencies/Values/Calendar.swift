public import FoundationEssentials

extension DependencyValues {
  /// The calendar for computing dates.
  ///
  /// It is the user's current calendar. Tests that use it without overriding it get a report.
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
