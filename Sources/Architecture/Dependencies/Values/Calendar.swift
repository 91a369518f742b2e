public import FoundationEssentials

extension DependencyValues {
  /// The calendar for computing dates.
  ///
  /// It is the user's current calendar, but in a hub's reducer that of the hub's configuration, with its time zone and
  /// locale; by default the Gregorian one with GMT and `en_US_POSIX`.
  /// Tests that use it without overriding it get a report.
  public var calendar: Calendar {
    get { value(inReducerOfHub: \.calendar, unlessReplaced: CalendarKey.self) ?? self[CalendarKey.self] }
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
