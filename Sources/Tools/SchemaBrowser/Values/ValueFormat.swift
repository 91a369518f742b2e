/// The forms of values on the screen.
package struct ValueFormat: Equatable, Sendable {
  /// The form of dates.
  package enum Dates: String, CaseIterable, Sendable {
    /// The date and time of this computer's time zone, such as `2026-11-26 09:11:12`.
    case local
    /// The date and time in UTC, such as `2026-11-26 08:11:12Z`.
    case utc
    /// The time from or until now, such as `3 min ago` or `in 2 h`.
    case relative
  }

  /// The form of durations.
  package enum Durations: String, CaseIterable, Sendable {
    /// The two greatest units, such as `2 h 5 min`.
    case units
    /// Seconds, such as `7500.25 s`.
    case seconds
  }

  /// The form of dates.
  package var dates = Dates.local
  /// The form of durations.
  package var durations = Durations.units
  /// The maximum number of digits after the point; nil for as many as the value needs.
  package var decimals: Int?

  /// Creates the default format.
  package init() {}
}
