// What the types of Foundation conform to. The public protocols would do, but a public conformance needs a public
// import, and then every module that dumps a value would have Foundation too. The types that are not in its essentials
// conform in CustomDumpFoundation, so that a program that does without it need not load it.

/// A library's type that dumps as a text.
package protocol LibraryDescribed {
  var libraryDescription: String { get }
}

/// A library's type that dumps as another value.
package protocol LibraryRepresented {
  var libraryValue: Any { get }
}

/// A library's type that dumps as a structure of fields.
package protocol LibraryReflected {
  var libraryFields: [(String, Any)] { get }
}

/// A dictionary without an order of its own.
protocol UnorderedDictionary {
  var pairs: [(key: AnyHashable, value: Any)] { get }
  func value(of key: AnyHashable) -> Any?
}

extension Dictionary: UnorderedDictionary {
  var pairs: [(key: AnyHashable, value: Any)] { map { (AnyHashable($0.key), $0.value) } }
  func value(of key: AnyHashable) -> Any? { (key.base as? Key).flatMap { self[$0] } }
}
