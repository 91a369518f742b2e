extension AnyHashable: CustomDumpRepresentable {
  /// The wrapped value.
  public var customDumpValue: Any { base }
}

extension Substring: CustomDumpRepresentable {
  /// The text as a string.
  public var customDumpValue: Any { String(self) }
}

extension StaticString: CustomDumpRepresentable {
  /// The text as a string.
  public var customDumpValue: Any { String(describing: self) }
}

extension Character: CustomDumpRepresentable {
  /// The character as a string.
  public var customDumpValue: Any { String(self) }
}

extension Unicode.Scalar: CustomDumpRepresentable {
  /// The scalar as a string.
  public var customDumpValue: Any { String(self) }
}

extension ObjectIdentifier: CustomDumpStringConvertible {
  /// The identifier with its address.
  public var customDumpDescription: String { debugDescription }
}

extension AnyKeyPath: CustomDumpStringConvertible {
  /// The path as in source code, such as `\User.name`; its type if the names of its components are unknown.
  public var customDumpDescription: String {
    // The runtime prints the root without its enclosing types.
    let root = "\\" + String(describing: Self.rootType)
    let path = debugDescription
    guard path.hasPrefix(root) else { return typeName(type(of: self), generics: true) }
    let parts = path.dropFirst(root.count)
    // A computed component has no name, only an address.
    guard !parts.contains("<") else { return typeName(type(of: self), generics: true) }
    return "\\" + typeName(Self.rootType, generics: true) + parts
  }
}
