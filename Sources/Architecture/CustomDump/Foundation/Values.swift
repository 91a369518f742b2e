internal import FoundationEssentials

extension Date: LibraryDescribed {
  package var libraryDescription: String {
    "Date(\(ISO8601FormatStyle(includingFractionalSeconds: true).format(self)))"
  }
}

extension UUID: LibraryDescribed {
  package var libraryDescription: String { "UUID(\(uuidString))" }
}

extension URL: LibraryDescribed {
  package var libraryDescription: String { "URL(\(absoluteString))" }
}

extension Data: LibraryDescribed {
  package var libraryDescription: String { "Data(\(count) byte\(count == 1 ? "" : "s"))" }
}

extension Decimal: LibraryDescribed {
  package var libraryDescription: String { description }
}

extension Locale: LibraryDescribed {
  package var libraryDescription: String { "Locale(\(identifier))" }
}

extension AttributedString: LibraryRepresented {
  package var libraryValue: Any { String(characters) }
}
