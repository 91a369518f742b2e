internal import Glibc

/// A wall-clock time in the time zone of the terminal.
package nonisolated struct LocalTime {
  private let parts: tm
  private let milliseconds: Int

  /// - Parameter milliseconds: The time since 1970-01-01 00:00 UTC.
  package init(milliseconds: Int64) {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    (self.parts, self.milliseconds) = (parts, Int(milliseconds % 1000))
  }

  /// The time of the day, such as `09:11:12`.
  package var clock: String {
    [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), 2) }.joined(separator: ":")
  }

  /// The day, such as `2026-11-26`.
  package var day: String {
    let (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    return [Self.padded(year, 4), Self.padded(month, 2), Self.padded(day, 2)].joined(separator: "-")
  }

  /// The day and the time with milliseconds.
  package var full: String { "\(day) \(clock).\(Self.padded(milliseconds, 3))" }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(count - text.count, 0)) + text
  }
}
