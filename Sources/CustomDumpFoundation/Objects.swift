internal import CustomDump
internal import Foundation

// Objects that stand for a Swift value, as APIs that came from Objective-C return them.

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
