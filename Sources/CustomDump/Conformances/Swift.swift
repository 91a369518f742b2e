extension AnyHashable: CustomDumpRepresentable {
  /// The value that was erased.
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
  /// The path as it is written, such as `\User.name`; its type if the names of its parts are not known.
  public var customDumpDescription: String {
    // The runtime writes the root without the types around it.
    let root = "\\" + String(describing: Self.rootType)
    let path = debugDescription
    guard path.hasPrefix(root) else { return typeName(type(of: self), generics: true) }
    let parts = path.dropFirst(root.count)
    // A computed part has no name, only an address.
    guard !parts.contains("<") else { return typeName(type(of: self), generics: true) }
    return "\\" + typeName(Self.rootType, generics: true) + parts
  }
}
