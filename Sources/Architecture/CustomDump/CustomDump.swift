/// Prints a value in a form for reading and comparing.
///
/// ```swift
/// customDump(User(favorites: [42, 1729], id: 2, name: "Blob"))
/// ```
/// ```text
/// User(
///   favorites: [
///     [0]: 42,
///     [1]: 1729
///   ],
///   id: 2,
///   name: "Blob"
/// )
/// ```
///
/// - Parameters:
///   - value: The value.
///   - name: A label before the value.
///   - indent: The number of spaces by which lines are indented.
///   - maxDepth: The number of printed levels of fields; deeper ones are `…`.
/// - Returns: The value.
@discardableResult
public func customDump<T>(_ value: T, name: String? = nil, indent: Int = 0, maxDepth: Int = .max) -> T {
  var text = ""
  customDump(value, to: &text, name: name, indent: indent, maxDepth: maxDepth)
  print(text)
  return value
}

/// Writes a value's dump to a stream, without a trailing newline.
///
/// - Returns: The value.
@discardableResult
public func customDump<T, TargetStream: TextOutputStream>(
  _ value: T, to target: inout TargetStream, name: String? = nil, indent: Int = 0, maxDepth: Int = .max
) -> T {
  var dumper = Dumper()
  dumper.writeLine(
    Child(label: name.map(Label.name) ?? .none, value: value), indent: indent, depth: maxDepth, isRoot: true)
  target.write(dumper.text)
  return value
}

extension String {
  /// The text that ``customDump(_:name:indent:maxDepth:)`` prints for a value.
  ///
  /// ```swift
  /// String(customDumping: [1, 2].first)  // "1"
  /// ```
  public init<Subject>(customDumping subject: Subject, name: String? = nil) {
    var dump = ""
    customDump(subject, to: &dump, name: name)
    self = dump
  }
}
