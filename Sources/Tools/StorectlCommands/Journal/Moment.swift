internal import Glibc

/// A point in a history: a revision or a time.
nonisolated enum Moment: Equatable {
  case revision(UInt64)
  /// A time in milliseconds since 1970.
  case time(Int64)

  /// Parses `1234`, `now`, `10m` (ago), `14:30`, `yesterday`, `monday 14:30`, `2026-11-21`, `2026-11-21T22:51:30.5Z`.
  ///
  /// A time without a zone is in this machine's zone; a time without a date is today.
  init(_ text: String, now: Int64 = Moment.now) throws(ToolFailure) {
    if let revision = UInt64(text) {
      self = .revision(revision)
    } else if text == "now" {
      self = .time(.max)
    } else if let ago = Self.milliseconds(text) {
      self = .time(now - ago)
    } else if let time = Self.date(Self.withDate(text, now), now) {
      self = .time(time)
    } else {
      throw ToolFailure(
        .usage,
        "'\(text)' is neither a revision nor a time, such as 10m (ago), 14:30, yesterday, 2026-11-21 or 2026-11-21T22:51:30Z"
      )
    }
  }

  /// The current time.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Parses a duration such as `1.5h`.
  private static func milliseconds(_ text: String) -> Int64? {
    let units: [(String, Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let count = Double(text.dropLast(unit.count)), count >= 0, count < 1e9 else { continue }
      return Int64(count * factor)
    }
    return nil
  }

  /// Returns true if the text of a time names its day.
  static func hasDate(_ text: String) -> Bool { text.contains("-") || daysAgo(dayWord(text), from: 0) != nil }

  /// Returns a time with the date of the day that its first word names, as in `yesterday` and `monday 14:30`; the
  /// unchanged text if there is none.
  private static func withDate(_ text: String, _ now: Int64) -> String {
    let word = dayWord(text)
    var seconds = time_t(now / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    guard let days = daysAgo(word, from: parts.tm_wday) else { return text }
    // Every day has a noon, whatever the zone.
    (parts.tm_mday, parts.tm_hour, parts.tm_isdst) = (parts.tm_mday - days, 12, -1)
    _ = mktime(&parts)
    let date = [1900 + parts.tm_year, parts.tm_mon + 1, parts.tm_mday].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return date.joined(separator: "-") + text.dropFirst(word.count)
  }

  private static func dayWord(_ text: String) -> Substring { text.prefix { $0.isLetter } }

  /// Returns how many days ago a day was: `today`, `yesterday`, or the last `monday` before today.
  private static func daysAgo(_ word: Substring, from today: Int32) -> Int32? {
    switch word.lowercased() {
    case "today": return 0
    case "yesterday": return 1
    case let name:
      let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
      guard name.count >= 3, let day = days.firstIndex(where: { $0.hasPrefix(name) }) else { return nil }
      return (today - Int32(day) + 6) % 7 + 1
    }
  }

  private static func date(_ text: String, _ now: Int64) -> Int64? {
    let isUniversal = text.last == "Z"
    let words = text.prefix { $0 != "Z" }.split(omittingEmptySubsequences: false) {
      $0 == "T" || $0 == " "
    }
    let dayWord = words.first.flatMap { $0.contains("-") ? $0 : nil }
    guard let timeWord = words.dropFirst(dayWord == nil ? 0 : 1).first ?? (dayWord == nil ? nil : "0:0"),
      words.count <= (dayWord == nil ? 1 : 2), text.filter({ $0 == "Z" }).count == (isUniversal ? 1 : 0)
    else { return nil }
    var seconds = time_t(now / 1000)
    var parts = tm()
    _ = isUniversal ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)
    if let dayWord {
      guard let day = numbers(dayWord, "-", 3...3), 1...12 ~= day[1], 1...31 ~= day[2] else { return nil }
      (parts.tm_year, parts.tm_mon, parts.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
      // Otherwise 31 February would be read as 3 March. Every day has a noon, whatever the zone.
      var noon = parts
      (noon.tm_hour, noon.tm_min, noon.tm_sec) = (12, 0, 0)
      _ = timegm(&noon)
      guard noon.tm_mday == day[2] else { return nil }
    }
    let pieces = timeWord.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let time = numbers(pieces[0], ":", 2...3), time[0] < 24, time[1] < 60, time.count < 3 || time[2] < 61 else {
      return nil
    }
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time.count > 2 ? time[2] : 0)
    parts.tm_isdst = -1
    var fraction = 0.0
    if pieces.count > 1 {
      guard time.count == 3, pieces[1].allSatisfy(\.isNumber), let part = Double("0.\(pieces[1])") else {
        return nil
      }
      fraction = part
    }
    seconds = isUniversal ? timegm(&parts) : mktime(&parts)
    // A year may have so many digits that its milliseconds do not fit.
    let (whole, isTooLarge) = Int64(seconds).multipliedReportingOverflow(by: 1000)
    let (milliseconds, overflows) = whole.addingReportingOverflow(Int64((fraction * 1000).rounded()))
    return isTooLarge || overflows ? nil : milliseconds
  }

  /// Parses whole numbers between separators.
  private static func numbers(
    _ text: Substring, _ separator: Character, _ count: ClosedRange<Int>
  ) -> [Int32]? {
    let pieces = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = pieces.compactMap { $0.allSatisfy(\.isNumber) ? Int32($0) : nil }
    return numbers.count == pieces.count && count.contains(numbers.count) ? numbers : nil
  }

  /// A time in this machine's zone for people: `2026-11-21 22:51:30.500`.
  static func text(_ milliseconds: Int64) -> String {
    format(milliseconds, "%Y-%m-%d %H:%M:%S", isUniversal: false)
  }

  /// A time for programs: `2026-11-21T22:51:30.500Z`.
  static func json(_ milliseconds: Int64) -> String {
    format(milliseconds, "%Y-%m-%dT%H:%M:%S", isUniversal: true) + "Z"
  }

  /// A time in this machine's zone for tables: `22:51:30` for today, otherwise `2026-11-21`.
  static func short(_ milliseconds: Int64) -> String {
    let (words, today) = (text(milliseconds).split(separator: " "), text(now).split(separator: " "))
    return words[0] == today[0] ? String(words[1].prefix(8)) : String(words[0])
  }

  private static func format(_ milliseconds: Int64, _ format: String, isUniversal: Bool) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    _ = isUniversal ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, format, &parts)
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) + ".\(rest)"
  }
}
