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
    let path = debugDescription
    let root = "\\" + String(reflecting: Self.rootType)
    // A computed part is printed as an address, and a stored one may be printed as an offset.
    guard !path.contains("<"), path.hasPrefix(root) else { return typeName(type(of: self), generics: true) }
    return "\\" + typeName(Self.rootType, generics: true) + path.dropFirst(root.count)
  }
}
