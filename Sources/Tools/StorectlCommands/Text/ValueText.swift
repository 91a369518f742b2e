internal import JSONText
internal import SchemaNames
internal import Terminal
internal import Wire

/// The text of values: one line per field, short values within one line, and elements by their ids.
nonisolated struct ValueText {
  let values: SchemaValues
  let palette: Palette
  /// The columns of a line; nil for no limit.
  let width: Int?

  init(_ schema: Schema, _ palette: Palette, width: Int?) {
    values = SchemaValues(schema)
    (self.palette, self.width) = (palette, width)
  }

  /// Returns the lines of a value; the text itself for a text.
  func lines(_ value: CBORValue, _ type: SchemaType) -> [String] {
    if let text = Self.text(value, type) {
      return Self.safe(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    guard let parts = values.parts(of: value, as: type) else { return [leaf(value, type)] }
    if parts.isEmpty { return [leaf(value, type)] }
    return parts.flatMap { lines($0, indent: 0) }
  }

  private func lines(_ part: SchemaValues.Part, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: 2 * indent)
    let isElement = part.name.hasPrefix("[")
    let name = isElement ? palette.faint(part.name) : palette.name(Self.safe(part.name)) + ":"
    let room = max((width ?? 100) - 2 * indent - part.name.count - 2, 20)
    if let line = inline(part.value, part.type, room: room, isNested: isElement ? false : true) {
      return [margin + name + " " + line]
    }
    guard let parts = values.parts(of: part.value, as: part.type), !parts.isEmpty else {
      return [margin + name + " " + leaf(part.value, part.type)]
    }
    let count = parts[0].name.hasPrefix("[") ? " " + palette.faint("(\(parts.count))") : ""
    return [margin + name + count] + parts.flatMap { lines($0, indent: indent + 1) }
  }

  /// Returns a value in one line, or nil if it does not fit or has so many parts that lines are easier to read.
  func inline(_ value: CBORValue, _ type: SchemaType, room: Int, isNested: Bool = false) -> String? {
    guard let parts = values.parts(of: value, as: type) else {
      let text = leaf(value, type)
      // A long text is not broken but gets its own line.
      return TextWidth.columns(of: text) <= room || values.parts(of: value, as: type) == nil ? text : nil
    }
    if parts.isEmpty { return leaf(value, type) }
    // Only collections of short leaves are written in one line.
    let isCollection = parts[0].name.hasPrefix("[")
    if isCollection, parts.count > 8 || parts.contains(where: { values.parts(of: $0.value, as: $0.type) != nil }) {
      return nil
    }
    if isNested, !isCollection, parts.count > 2 { return nil }
    var (texts, used): ([String], Int) = ([], 2)
    for part in parts {
      guard let text = inline(part.value, part.type, room: room - used, isNested: isNested) else { return nil }
      let isPlain = isCollection && !values.isKeyed(type)
      used += TextWidth.columns(of: text) + (isPlain ? 2 : part.name.count + 4)
      guard used <= room else { return nil }
      texts.append(isPlain ? text : palette.name(Self.safe(part.name)) + (part.name.hasPrefix("[") ? " " : ": ") + text)
    }
    let joined = texts.joined(separator: ", ")
    return isCollection ? "[\(joined)]" : isNested ? "{\(joined)}" : joined
  }

  /// Returns a value without parts, in one line.
  func leaf(_ value: CBORValue, _ type: SchemaType) -> String {
    switch SchemaJSON(values.schema).json(of: value, as: type) {
    case .null: palette.faint("nil")
    case .string(let text) where Self.isBare(type, in: values.schema): Self.safe(text)
    case let json: "\(json)"
    }
  }

  /// Returns true if the JSON string of a type needs no quotes for people.
  private static func isBare(_ type: SchemaType, in schema: Schema) -> Bool {
    switch type {
    case .definition: true
    case .named("Optional", let parts), .named("PresentationState", let parts):
      parts.first.map { isBare($0, in: schema) } ?? false
    case .named("String", _), .named("Substring", _), .named("Character", _), .named("Unicode.Scalar", _),
      .named("TextState", _), .named("URL", _), .named("raw", _):
      false
    case .named: true
    }
  }

  /// Returns the contents of a text value.
  static func text(_ value: CBORValue, _ type: SchemaType) -> String? {
    switch (type, value) {
    case (.named("String", _), .text(let text)), (.named("Substring", _), .text(let text)): text
    case (.named("Optional", let parts), .array(let items)) where items.count == 1: Self.text(items[0], parts[0])
    default: nil
    }
  }

  /// Returns a text without characters that would control a terminal.
  static func safe(_ text: String) -> String { text.printable }
}
