import Foundation
import Testing

@testable import Dependencies

/// The calendar, the time zone and the locale of a hub, by their names.
@Suite struct RegionalValuesTests {
  private func values(
    calendar: String = "gregorian", timeZone: String = "GMT", locale: String = "en_US_POSIX"
  ) throws(UnknownRegion) -> RegionalValues {
    try RegionalValues(calendar: calendar, timeZone: timeZone, locale: locale)
  }

  private func problem(
    calendar: String = "gregorian", timeZone: String = "GMT", locale: String = "en_US_POSIX"
  ) -> String? {
    do throws(UnknownRegion) {
      _ = try values(calendar: calendar, timeZone: timeZone, locale: locale)
      return nil
    } catch { return error.description }
  }

  /// Also the weeks, which the calendar of a program without the data of locales has otherwise.
  @Test func theStandardNamesAreTheStandard() throws {
    let named = try values()
    for values in [RegionalValues.standard, named] {
      #expect(values.timeZone == .gmt && values.locale.identifier == "en_US_POSIX")
      #expect(values.calendar.identifier == .gregorian && values.calendar.timeZone == .gmt)
      #expect(values.calendar.firstWeekday == 1 && values.calendar.minimumDaysInFirstWeek == 1)
    }
  }

  @Test func theCalendarHasTheTimeZoneAndTheLocale() throws {
    let german = try values(timeZone: "Europe/Berlin", locale: "de_DE")
    let midnight = german.calendar.startOfDay(for: Date(timeIntervalSince1970: 1_720_000_000))
    #expect(midnight == Date(timeIntervalSince1970: 1_719_957_600))
    #expect(german.calendar.firstWeekday == 2 && german.locale.identifier == "de_DE")
    #expect(try values(calendar: "buddhist").calendar.identifier == .buddhist)
  }

  @Test(arguments: [
    ("UTC", 0), ("GMT+2", 7200), ("GMT+02:00", 7200), ("GMT-03:30", -12600), ("UTC+14", 50400),
  ])
  func offsetsNeedNoData(name: String, seconds: Int) throws {
    #expect(try values(timeZone: name).timeZone.secondsFromGMT() == seconds)
  }

  @Test func unknownNamesAreRefusedWithTheRemedy() {
    #expect(
      problem(calendar: "julian")?.hasPrefix("there is no calendar 'julian'; the calendars are buddhist, ") == true)
    let zone = "there is no time zone 'Europe/Brlin'; write a name such as Europe/Berlin, or GMT+02:00"
    #expect(problem(timeZone: "Europe/Brlin") == zone)
    for name in ["GMT+", "GMT+19", "GMT+2:60", "GMT+2:3:4", "GMT+x", ""] {
      #expect(problem(timeZone: name) != nil, "\(name)")
    }
    for name in ["", "german", "de DE", "d", "12"] {
      #expect(problem(locale: name) == "'\(name)' is not the name of a locale; write one such as de_DE")
    }
    #expect(problem(locale: "sr_Latn_RS@currency=EUR") == nil)
  }
}
