internal import CustomDump
internal import Foundation

// Objects that represent a Swift value, as returned by APIs from Objective-C.

extension NSString: LibraryRepresented {
  package var libraryValue: Any { String(describing: self) }
}

extension NSNumber: LibraryDescribed {
  package var libraryDescription: String { stringValue }
}

extension NSNull: LibraryDescribed {
  package var libraryDescription: String { "NSNull()" }
}

extension NSDate: LibraryRepresented {
  package var libraryValue: Any { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}

extension NSUUID: LibraryRepresented {
  package var libraryValue: Any { UUID(uuidString: uuidString) ?? uuidString }
}

extension NSData: LibraryRepresented {
  package var libraryValue: Any { Data(referencing: self) }
}

extension NSArray: LibraryRepresented {
  package var libraryValue: Any { Array(self) }
}

extension NSSet: LibraryRepresented {
  package var libraryValue: Any { Set(compactMap { $0 as? AnyHashable }) }
}

extension NSDictionary: LibraryRepresented {
  package var libraryValue: Any {
    let entries = compactMap { key, value in (key as? AnyHashable).map { ($0, value) } }
    return Dictionary(entries) { first, _ in first }
  }
}
