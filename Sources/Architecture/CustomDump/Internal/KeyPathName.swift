internal import Synchronization

extension AnyKeyPath {
  /// The path as in source code, with the last part of the root's name: `\State.name`; nil if a name is unknown.
  package var sourceDescription: String? {
    let path = debugDescription
    guard path.hasPrefix("\\") else { return nil }
    var name = ""
    var rest = path[...]
    while let start = rest.firstRange(of: "<computed ") {
      name += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let (component, end) = computedComponent(rest) else { return nil }
      name += component
      rest = rest[end...]
    }
    return name + rest
  }

  /// The name of a computed component, after `<computed `: an address, a type in parentheses, and `>`.
  private func computedComponent(_ text: Substring) -> (name: String, end: Substring.Index)? {
    guard let space = text.firstIndex(of: " "), text.hasPrefix("0x"),
      let address = UInt(text[..<space].dropFirst(2), radix: 16),
      let name = KeyPathNames.name(at: address)
    else { return nil }
    var depth = 0
    for index in text[space...].indices {
      switch text[index] {
      case "(", "<": depth += 1
      case ">" where depth == 0: return (name, text.index(after: index))
      // The arrow of a function type is not a closing bracket.
      case ">" where text[text.index(before: index)] == "-": break
      case ")", ">": depth -= 1
      default: break
      }
    }
    return nil
  }
}

/// The names of computed properties, by the addresses of the functions with which key paths read them.
package enum KeyPathNames {
  private static let lookup = Mutex<(@Sendable (UInt) -> String?)?>(nil)
  private static let known = Mutex<[UInt: String?]>([:])

  /// Installs a function that returns the mangled symbol at an address. It reads files, which this module does not.
  package static func install(_ symbol: @escaping @Sendable (UInt) -> String?) {
    lookup.withLock { $0 = symbol }
  }

  static func name(at address: UInt) -> String? {
    if let name = known.withLock({ $0[address] }) { return name }
    let symbol = lookup.withLock { $0 }
    let name = symbol?(address).flatMap(demangled).flatMap(property)
    known.withLock { $0[address] = .some(name) }
    return name
  }

  /// The property in `key path getter for Module.Type.name : Value : Root`, or in `Module.Type.name.getter : Value`.
  private static func property(_ symbol: String) -> String? {
    guard let end = symbol.firstRange(of: " : ") else { return nil }
    var declaration = symbol[..<end.lowerBound]
    for prefix in ["key path getter for ", "key path setter for "] where declaration.hasPrefix(prefix) {
      declaration = declaration.dropFirst(prefix.count)
    }
    if declaration.hasSuffix(".getter") { declaration = declaration.dropLast(".getter".count) }
    let name = declaration.split(separator: ".").last.map(String.init)
    return name.flatMap { $0.contains(where: { " ()<>".contains($0) }) ? nil : $0 }
  }

  private static func demangled(_ symbol: String) -> String? {
    guard let text = demangle(symbol, UInt(symbol.utf8.count), nil, nil, 0) else { return nil }
    defer { text.deallocate() }
    return String(cString: text)
  }
}

/// The runtime's demangler.
@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>, _ count: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?,
  _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
