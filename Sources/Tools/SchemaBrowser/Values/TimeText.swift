internal import Glibc

/// Dates and durations as people read them.
enum TimeText {
  /// The seconds from 1970 to 2001, where the wire counts dates from.
  static let reference = 978_307_200.0

  /// A date, given in seconds since 1970.
  static func date(_ seconds: Double, _ format: ValueFormat.Dates, now: Double) -> String {
    // The range in which the C library's calendar has four digits.
    guard seconds.isFinite, -62_135_596_800..<253_402_300_800 ~= seconds else {
      return seconds.isNaN ? "no date" : seconds < 0 ? "distant past" : "distant future"
    }
    if format == .relative { return relative(seconds - now) }
    var (whole, parts) = (time_t(seconds.rounded(.down)), tm())
    if format == .utc { gmtime_r(&whole, &parts) } else { localtime_r(&whole, &parts) }
    let day = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { (Int($0), 2) }
    let text = [(day, "-"), (clock, ":")].map { parts, separator in
      parts.map { padded($0.0, $0.1) }.joined(separator: separator)
    }
    return text.joined(separator: " ") + (format == .utc ? "Z" : "")
  }

  /// The distance of a date in seconds, such as `3 min ago`.
  private static func relative(_ seconds: Double) -> String {
    guard seconds.magnitude >= 1 else { return "now" }
    let text = largestUnits(seconds.magnitude, count: 1)
    return seconds < 0 ? "\(text) ago" : "in \(text)"
  }

  /// A duration in seconds.
  static func duration(_ seconds: Double, _ format: ValueFormat.Durations) -> String {
    guard format == .units, seconds.isFinite else { return "\(decimal(seconds, digits: 3)) s" }
    let sign = seconds < 0 ? "-" : ""
    return sign + largestUnits(seconds.magnitude, count: 2)
  }

  private static let units: [(seconds: Double, name: String)] = [
    (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"),
  ]

  private static func largestUnits(_ seconds: Double, count: Int) -> String {
    if seconds == 0 { return "0 s" }
    if seconds < 0.001 { return "\(decimal(seconds * 1_000_000, digits: 1)) µs" }
    if seconds < 1 { return "\(decimal(seconds * 1_000, digits: 1)) ms" }
    if seconds < 60 { return "\(decimal(seconds, digits: count > 1 ? 1 : 0)) s" }
    guard seconds < 1e15 else { return "\(decimal(seconds, digits: 0)) s" }
    var (rest, texts): (Double, [String]) = (seconds.rounded(.down), [])
    for unit in units where texts.count < count {
      let whole = (rest / unit.seconds).rounded(.down)
      if whole == 0, texts.isEmpty { continue }
      if whole > 0 { texts.append("\(Int(whole)) \(unit.name)") }
      rest -= whole * unit.seconds
      // The second unit is the one next to the first.
      if whole == 0 { break }
    }
    return texts.joined(separator: " ")
  }

  /// A number with at most `digits` digits after the point.
  static func decimal(_ number: Double, digits: Int) -> String {
    guard number.isFinite, number.magnitude < 1e15 else { return "\(number)" }
    var scale = 1.0
    for _ in 0..<min(max(digits, 0), 15) { scale *= 10 }
    let rounded = (number * scale).rounded() / scale
    let text = "\(rounded)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(count - text.count, 0)) + text
  }
}
