internal import FoundationEssentials

extension Calendar: LibraryReflected {
  package var libraryFields: [(String, Any)] {
    [
      ("identifier", identifier), ("locale", locale ?? Locale(identifier: "")), ("timeZone", timeZone),
      ("firstWeekday", firstWeekday), ("minimumDaysInFirstWeek", minimumDaysInFirstWeek),
    ]
  }
}

extension TimeZone: LibraryReflected {
  package var libraryFields: [(String, Any)] {
    [
      ("identifier", identifier), ("abbreviation", abbreviation() as Any), ("secondsFromGMT", secondsFromGMT()),
      ("isDaylightSavingTime", isDaylightSavingTime()),
    ]
  }
}

extension DateComponents: LibraryReflected {
  /// The components that are set.
  package var libraryFields: [(String, Any)] {
    let all: [(String, Any?)] = [
      ("calendar", calendar), ("timeZone", timeZone), ("era", era), ("year", year), ("month", month), ("day", day),
      ("hour", hour), ("minute", minute), ("second", second), ("nanosecond", nanosecond), ("weekday", weekday),
      ("weekdayOrdinal", weekdayOrdinal), ("quarter", quarter), ("weekOfMonth", weekOfMonth),
      ("weekOfYear", weekOfYear), ("yearForWeekOfYear", yearForWeekOfYear), ("isLeapMonth", isLeapMonth),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }
}

extension URLComponents: LibraryReflected {
  /// The components that are set.
  package var libraryFields: [(String, Any)] {
    let all: [(String, Any?)] = [
      ("scheme", scheme), ("user", user), ("password", password), ("host", host), ("port", port),
      ("path", path.isEmpty ? nil : path), ("queryItems", queryItems), ("fragment", fragment),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }
}

extension URLQueryItem: LibraryReflected {
  package var libraryFields: [(String, Any)] { [("name", name), ("value", value as Any)] }
}
