public import FoundationEssentials

extension DependencyValues {
  /// The calendar for computing dates.
  ///
  /// It is the user's current calendar, but in a hub's reducer the Gregorian one with GMT and the locale `en_US_POSIX`.
  /// Tests that use it without overriding it get a report.
  public var calendar: Calendar {
    get { value(inReducerOfHub: CalendarKey.ofHub, unlessReplaced: CalendarKey.self) ?? self[CalendarKey.self] }
    set { self[CalendarKey.self] = newValue }
  }
}

private enum CalendarKey: DependencyKey {
  /// The same on every machine.
  static let ofHub = {
    var calendar = Calendar(identifier: .gregorian)
    (calendar.timeZone, calendar.locale) = (.gmt, Locale(identifier: "en_US_POSIX"))
    return calendar
  }()
  static let liveValue = Calendar.autoupdatingCurrent
  static var testValue: Calendar {
    reportUnimplemented("calendar")
    return .autoupdatingCurrent
  }
}
