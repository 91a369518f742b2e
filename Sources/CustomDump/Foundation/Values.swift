internal import Foundation

extension Date: LibraryDescribed {
  var libraryDescription: String { "Date(\(ISO8601FormatStyle(includingFractionalSeconds: true).format(self)))" }
}

extension UUID: LibraryDescribed {
  var libraryDescription: String { "UUID(\(uuidString))" }
}

extension URL: LibraryDescribed {
  var libraryDescription: String { "URL(\(absoluteString))" }
}

extension Data: LibraryDescribed {
  var libraryDescription: String { "Data(\(count) byte\(count == 1 ? "" : "s"))" }
}

extension Decimal: LibraryDescribed {
  var libraryDescription: String { description }
}

extension Locale: LibraryDescribed {
  var libraryDescription: String { "Locale(\(identifier))" }
}

extension AttributedString: LibraryRepresented {
  var libraryValue: Any { String(characters) }
}

extension NSRange: LibraryDescribed {
  var libraryDescription: String { location == NSNotFound ? "NSNotFound" : "\(location)..<\(upperBound)" }
}
