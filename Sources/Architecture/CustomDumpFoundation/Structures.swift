internal import CustomDump
internal import Foundation

extension Measurement: LibraryReflected {
  package var libraryFields: [(String, Any)] { [("value", value), ("unit", unit.symbol)] }
}

extension IndexSet: LibraryReflected {
  package var libraryFields: [(String, Any)] { [("ranges", Array(rangeView))] }
}

extension NSError: LibraryReflected {
  package var libraryFields: [(String, Any)] { [("domain", domain), ("code", code), ("userInfo", userInfo)] }
}

extension NSRange: LibraryDescribed {
  package var libraryDescription: String { location == NSNotFound ? "NSNotFound" : "\(location)..<\(upperBound)" }
}
