/// An action by the names of its cases: `AppAction.counter(.numberFactResponse(.success))`.
package enum DebugLabels {
  /// The names, without the values that the innermost case carries.
  package static func of(_ action: Any) -> String {
    "\(typeName(type(of: action)))\(labels(of: action))"
  }

  private static func labels(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "" }
    guard let child = mirror.children.first else { return ".\(value)" }
    let name = child.label ?? ""
    let payload = Mirror(reflecting: child.value)
    let inner: String
    switch payload.displayStyle {
    case .enum: inner = labels(of: child.value)
    case .tuple:
      inner = payload.children.map { part in
        let label = part.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
        let value = labels(of: part.value)
        return label + (value.isEmpty ? (label.isEmpty ? "…" : "") : value)
      }.joined(separator: ", ").trimmingSuffix(": ")
    default: inner = ""
    }
    return inner.isEmpty ? ".\(name)" : ".\(name)(\(inner))"
  }

  /// A type's name with the types that it is in, without its module.
  package static func typeName(_ type: Any.Type) -> String {
    let name = String(reflecting: type)
    return name.split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }.joined(separator: ".")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
