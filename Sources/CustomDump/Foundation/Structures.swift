internal import Foundation

extension Calendar: LibraryReflected {
  var libraryFields: [(String, Any)] {
    [
      ("identifier", identifier), ("locale", locale ?? Locale(identifier: "")), ("timeZone", timeZone),
      ("firstWeekday", firstWeekday), ("minimumDaysInFirstWeek", minimumDaysInFirstWeek),
    ]
  }
}

extension TimeZone: LibraryReflected {
  var libraryFields: [(String, Any)] {
    [
      ("identifier", identifier), ("abbreviation", abbreviation() as Any), ("secondsFromGMT", secondsFromGMT()),
      ("isDaylightSavingTime", isDaylightSavingTime()),
    ]
  }
}

extension DateComponents: LibraryReflected {
  /// The components that are set.
  var libraryFields: [(String, Any)] {
    let all: [(String, Any?)] = [
      ("calendar", calendar), ("timeZone", timeZone), ("era", era), ("year", year), ("month", month), ("day", day),
      ("hour", hour), ("minute", minute), ("second", second), ("nanosecond", nanosecond), ("weekday", weekday),
      ("weekdayOrdinal", weekdayOrdinal), ("quarter", quarter), ("weekOfMonth", weekOfMonth),
      ("weekOfYear", weekOfYear), ("yearForWeekOfYear", yearForWeekOfYear), ("isLeapMonth", isLeapMonth),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }
}

extension Measurement: LibraryReflected {
  var libraryFields: [(String, Any)] { [("value", value), ("unit", unit.symbol)] }
}

extension IndexSet: LibraryReflected {
  var libraryFields: [(String, Any)] { [("ranges", Array(rangeView))] }
}

extension URLComponents: LibraryReflected {
  /// The components that are set.
  var libraryFields: [(String, Any)] {
    let all: [(String, Any?)] = [
      ("scheme", scheme), ("user", user), ("password", password), ("host", host), ("port", port),
      ("path", path.isEmpty ? nil : path), ("queryItems", queryItems), ("fragment", fragment),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }
}

extension URLQueryItem: LibraryReflected {
  var libraryFields: [(String, Any)] { [("name", name), ("value", value as Any)] }
}

extension NSError: LibraryReflected {
  var libraryFields: [(String, Any)] { [("domain", domain), ("code", code), ("userInfo", userInfo)] }
}
