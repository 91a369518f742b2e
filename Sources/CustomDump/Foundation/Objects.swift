internal import Foundation

// Objects that stand for a Swift value, as APIs that came from Objective-C return them.

extension NSString: LibraryRepresented {
  var libraryValue: Any { String(describing: self) }
}

extension NSNumber: LibraryDescribed {
  var libraryDescription: String { stringValue }
}

extension NSNull: LibraryDescribed {
  var libraryDescription: String { "NSNull()" }
}

extension NSDate: LibraryRepresented {
  var libraryValue: Any { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }
}

extension NSUUID: LibraryRepresented {
  var libraryValue: Any { UUID(uuidString: uuidString) ?? uuidString }
}

extension NSData: LibraryRepresented {
  var libraryValue: Any { Data(referencing: self) }
}

extension NSArray: LibraryRepresented {
  var libraryValue: Any { Array(self) }
}

extension NSSet: LibraryRepresented {
  var libraryValue: Any { Set(compactMap { $0 as? AnyHashable }) }
}

extension NSDictionary: LibraryRepresented {
  var libraryValue: Any {
    let entries = compactMap { key, value in (key as? AnyHashable).map { ($0, value) } }
    return Dictionary(entries) { first, _ in first }
  }
}
