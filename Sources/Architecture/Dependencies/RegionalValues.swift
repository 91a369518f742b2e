package import FoundationEssentials

/// The calendar, the time zone and the locale that a hub's reducer reads.
package final class RegionalValues: Sendable {
  package let calendar: Calendar
  package let timeZone: TimeZone
  package let locale: Locale

  /// The Gregorian calendar, GMT and `en_US_POSIX`, which every program has.
  package static let standard = RegionalValues()

  private init() {
    (timeZone, locale) = (.gmt, Locale(identifier: standardLocale))
    var calendar = Calendar(identifier: .gregorian)
    (calendar.timeZone, calendar.locale) = (timeZone, locale)
    // Without the data of locales, the calendar has the weeks of another one.
    (calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (1, 1)
    self.calendar = calendar
  }

  /// Finds the values with these names.
  ///
  /// Offsets from GMT are known to every program. Others need the data of time zones and locales, which a program has if
  /// it uses `Foundation`, and not only its essentials.
  ///
  /// - Throws: An error that names the first unknown value.
  package init(calendar name: String, timeZone zoneName: String, locale localeName: String) throws(UnknownRegion) {
    guard let identifier = calendars[name] else {
      let all = calendars.keys.sorted().joined(separator: ", ")
      throw UnknownRegion("there is no calendar '\(name)'; the calendars are \(all)")
    }
    if !name.isOneOf("gregorian", "iso8601"), !hasData { throw UnknownRegion(withoutData: "the calendar \(name)") }
    let isOffset = zoneName.hasPrefix("GMT") || zoneName.hasPrefix("UTC")
    guard !zoneName.isEmpty, let zone = isOffset ? offsetZone(zoneName) : TimeZone(identifier: zoneName) else {
      throw isOffset || hasData
        ? UnknownRegion("there is no time zone '\(zoneName)'; write a name such as Europe/Berlin, or GMT+02:00")
        : UnknownRegion(withoutData: "the time zone \(zoneName)")
    }
    guard localeName.isLocale else {
      throw UnknownRegion("'\(localeName)' is not the name of a locale; write one such as de_DE")
    }
    if localeName != standardLocale, !hasData { throw UnknownRegion(withoutData: "the locale \(localeName)") }
    (timeZone, locale) = (zone, localeName == standardLocale ? Self.standard.locale : Locale(identifier: localeName))
    var calendar = Calendar(identifier: identifier)
    (calendar.timeZone, calendar.locale) = (timeZone, locale)
    if localeName == standardLocale, name == "gregorian" {
      (calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (1, 1)
    }
    self.calendar = calendar
  }
}

/// A calendar, time zone or locale that this program does not know.
package struct UnknownRegion: Error, Equatable, CustomStringConvertible {
  /// The unknown value, and the remedy.
  package let description: String

  fileprivate init(_ description: String) { self.description = description }

  fileprivate init(withoutData value: String) {
    self.init(
      """
      \(value) is unknown to this program, which has no data of time zones and locales; let it use Foundation, for \
      example TimeZone.knownTimeZoneIdentifiers
      """)
  }
}

private let standardLocale = "en_US_POSIX"

/// True if this program has the data of time zones and locales.
private var hasData: Bool { TimeZone(identifier: "Europe/London") != nil }

private let calendars: [String: Calendar.Identifier] = [
  "gregorian": .gregorian, "iso8601": .iso8601, "buddhist": .buddhist, "chinese": .chinese, "coptic": .coptic,
  "ethiopicAmeteAlem": .ethiopicAmeteAlem, "ethiopicAmeteMihret": .ethiopicAmeteMihret, "hebrew": .hebrew,
  "indian": .indian, "islamic": .islamic, "islamicCivil": .islamicCivil, "islamicTabular": .islamicTabular,
  "islamicUmmAlQura": .islamicUmmAlQura, "japanese": .japanese, "persian": .persian,
  "republicOfChina": .republicOfChina,
]

/// The time zone of `GMT`, `UTC`, `GMT+2` or `GMT-03:30`; nil for other texts behind these three letters.
private func offsetZone(_ name: String) -> TimeZone? {
  let offset = name.dropFirst(3)
  guard let sign = offset.first else { return .gmt }
  let numbers = offset.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
  guard sign == "+" || sign == "-", numbers.count <= 2,
    numbers.allSatisfy({ (1...2).contains($0.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
    let hours = Int(numbers[0]), let minutes = numbers.count == 2 ? Int(numbers[1]) : 0, hours <= 18, minutes < 60
  else { return nil }
  return TimeZone(secondsFromGMT: (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60)
}

extension String {
  fileprivate func isOneOf(_ names: String...) -> Bool { names.contains(self) }

  /// True for a language, optionally with a script, a region and keywords.
  fileprivate var isLocale: Bool {
    guard let language = split(omittingEmptySubsequences: false, whereSeparator: { "_-@".contains($0) }).first else {
      return false
    }
    return (2...3).contains(language.count) && language.allSatisfy { $0.isASCII && $0.isLetter }
      && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-@=;".contains($0)) }
  }
}
