// The protocols for Foundation's types. Public conformances would need a public import, and then all modules that dump
// values would import Foundation as well. Types outside FoundationEssentials conform in CustomDumpFoundation, so that
// programs without that module need not load them.

/// A library type that dumps as a text.
package protocol LibraryDescribed {
  var libraryDescription: String { get }
}

/// A library type that dumps as another value.
package protocol LibraryRepresented {
  var libraryValue: Any { get }
}

/// A library type that dumps as a structure with fields.
package protocol LibraryReflected {
  var libraryFields: [(String, Any)] { get }
}

/// An unordered dictionary.
protocol UnorderedDictionary {
  var pairs: [(key: AnyHashable, value: Any)] { get }
  func value(of key: AnyHashable) -> Any?
}

extension Dictionary: UnorderedDictionary {
  var pairs: [(key: AnyHashable, value: Any)] { map { (AnyHashable($0.key), $0.value) } }
  func value(of key: AnyHashable) -> Any? { (key.base as? Key).flatMap { self[$0] } }
}
