internal import CustomDump

/// An action by the names of its cases: `AppAction.counter(.numberFactResponse(.success))`.
package enum DebugLabels {
  /// The names, without the payload of the innermost case.
  package static func of(_ action: Any) -> String {
    "\(typeName(type(of: action)))\(labels(of: action))"
  }

  /// The names without the type, as in lists of actions: `.counter(.numberFactResponse(.success))`.
  package static func abbreviated(_ action: Any) -> String {
    (action as? any CustomDebugStringConvertible)?.debugDescription ?? labels(of: action)
  }

  private static func labels(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "" }
    guard let child = mirror.children.first else { return caseName(of: value).map { ".\($0)" } ?? "" }
    let inner = labels(ofPayload: child.value)
    return ".\(child.label ?? "")\(inner.isEmpty ? "" : "(\(inner))")"
  }

  /// An enum's labels. For several values: their argument labels, and the labels of those that are enums.
  private static func labels(ofPayload payload: Any) -> String {
    let mirror = Mirror(reflecting: payload)
    guard mirror.displayStyle == .tuple else { return labels(of: payload) }
    return mirror.children.map { part in
      let name = part.label.flatMap { $0.hasPrefix(".") ? nil : "\($0):" } ?? "_:"
      let inner = labels(ofPayload: part.value)
      return inner.isEmpty ? name : "\(name) \(inner)"
    }.joined(separator: ", ")
  }

  /// The name of an enum value's case, quoted and preceded by a space; empty for other values.
  package static func quotedCase(of value: Any?) -> String {
    value.flatMap { caseName(of: $0) }.map { " \($0.debugDescription)" } ?? ""
  }

  /// A type's name with the enclosing types, without its module.
  package static func typeName(_ type: Any.Type) -> String { CustomDump.typeName(type, generics: true) }
}
