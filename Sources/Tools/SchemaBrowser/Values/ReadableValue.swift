internal import JSONText
internal import SchemaNames
package import Wire

/// Values of a schema's types as people read them: `on the stove`, `2 h 5 min`, `3 items`.
///
/// ```swift
/// let readable = ReadableValue(schema)
/// readable.text(order.value, order.type)       // "12, fish soup"
/// ```
///
/// The texts are for reading only: they do not say everything, and cannot be read back.
package struct ReadableValue: Sendable {
  /// The reader of the schema's values.
  package let values: SchemaValues
  /// The forms of dates and numbers.
  package let format: ValueFormat
  /// The wall-clock time in seconds since 1970, for relative dates.
  package let now: Double
  /// The maximum number of Unicode scalars of a text; the rest of a longer one is left out.
  package static let limit = 500
  /// The depth at which structs and enums inside each other are no longer shown.
  private static let depthLimit = 3

  /// Creates the texts of a schema's values.
  package init(_ schema: Schema, _ format: ValueFormat = ValueFormat(), now: Double = 0) {
    (values, self.format, self.now) = (SchemaValues(schema), format, now)
  }

  /// A value in one line, without characters that would control a terminal.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(shown parts).
  package func text(_ value: CBORValue, _ type: SchemaType) -> String { text(value, type, depth: 0) }

  /// True for an absent optional.
  package func isAbsent(_ value: CBORValue, _ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type else { return false }
    return NamedLayout(name, parts.count) == .optional && value == .null
  }

  private func text(_ value: CBORValue, _ type: SchemaType, depth: Int) -> String {
    switch type {
    case .definition(let index):
      switch values.schema.definitions[index].content {
      case .fields(let fields): return summary(value, values.schema.definitions[index], fields, depth)
      case .cases(let cases): return enumeration(value, cases, depth) ?? Self.unreadable
      }
    case .named(let name, let parts):
      if name == "raw", parts.count == 2 { return text(value, parts[1], depth: depth) }
      guard let layout = NamedLayout(name, parts.count) else { return leaf(value, name, type) }
      return container(value, layout, type, parts, depth) ?? Self.unreadable
    }
  }

  /// The text of a value whose form does not match its type.
  static let unreadable = "?"

  // MARK: Structs and enums

  private func enumeration(_ value: CBORValue, _ cases: [Schema.Case], _ depth: Int) -> String? {
    guard let (element, items) = SchemaValues.element(of: value, cases) else { return nil }
    let name = Wording.words(element.name)
    guard !items.isEmpty, depth < Self.depthLimit else { return name }
    let texts = zip(element.payload, items).map { payload, item in
      (payload.label.isEmpty ? "" : "\(Wording.words(payload.label)) ") + text(item, payload.type, depth: depth + 1)
    }
    return Self.cut("\(name) (\(texts.joined(separator: ", ")))")
  }

  /// The field that names a struct, or its first few fields.
  private func summary(
    _ value: CBORValue, _ definition: Schema.Definition, _ fields: [Schema.Field], _ depth: Int
  ) -> String {
    guard case .map(let pairs) = value else { return Self.unreadable }
    guard depth < Self.depthLimit else { return "…" }
    func found(_ field: Schema.Field) -> CBORValue? { pairs.first { $0.key == .unsigned(field.key) }?.value }
    if let field = FieldRank.naming(fields, of: definition), let value = found(field) {
      let name = text(value, field.type, depth: depth + 1)
      if !name.isEmpty { return name }
    }
    let ranked = FieldRank.sorted(fields, of: definition, in: values.schema).filter { found($0) != nil }
    let texts = ranked.prefix(3).compactMap { field in
      found(field).map { "\(Wording.words(field.name)) \(text($0, field.type, depth: depth + 1))" }
    }
    return texts.isEmpty ? "empty" : Self.cut(texts.joined(separator: ", ") + (ranked.count > 3 ? ", …" : ""))
  }

  // MARK: Containers

  private func container(
    _ value: CBORValue, _ layout: NamedLayout, _ type: SchemaType, _ parts: [SchemaType], _ depth: Int
  ) -> String? {
    switch layout {
    case .optional:
      if value == .null { return "–" }
      guard case .array(let items) = value, items.count == 1 else { return nil }
      return text(items[0], parts[0], depth: depth)
    case .array, .set:
      guard case .array(let items) = value else { return nil }
      return list(items, parts[0], depth)
    case .dictionary, .identified, .stack: return values.elementCount(of: value, as: type).map { Wording.count($0) }
    case .result:
      guard case .array(let items) = value, items.count == 2, case .unsigned(let key) = items[0], key < 2 else {
        return nil
      }
      return Self.cut("\(key == 0 ? "success" : "failure") (\(text(items[1], parts[Int(key)], depth: depth + 1)))")
    case .range:
      guard case .array(let items) = value, items.count == 2 else { return nil }
      let bounds = items.map { text($0, parts[0], depth: depth + 1) }
      return bounds.joined(separator: " to ")
    case .button, .alert, .dialog: return prompt(value, type)
    case .change: return "a change"
    }
  }

  /// Short leaves, or the number of the items.
  private func list(_ items: [CBORValue], _ type: SchemaType, _ depth: Int) -> String {
    guard items.count <= 5, !items.isEmpty, !Self.isNested(type, values.schema) else {
      return Wording.count(items.count)
    }
    let text = items.map { self.text($0, type, depth: depth + 1) }.joined(separator: ", ")
    return text.count <= 60 ? text : Wording.count(items.count)
  }

  private func prompt(_ value: CBORValue, _ type: SchemaType) -> String {
    let json = SchemaJSON(values.schema).json(of: value, as: type)
    guard case .object = json else { return Self.unreadable }
    return (json["title"] ?? json["label"]).map { Self.plainText($0) } ?? Self.unreadable
  }

  /// The text of a `TextState` without its styles.
  static func plainText(_ json: JSONValue) -> String {
    switch json {
    case .string(let text): safe(text)
    case .array(let pieces): pieces.map { plainText($0["text"] ?? "") }.joined()
    default: ""
    }
  }

  /// True for a type whose values consist of parts.
  static func isNested(_ type: SchemaType, _ schema: Schema) -> Bool {
    switch type {
    case .definition(let index):
      switch schema.definitions[index].content {
      case .fields: return true
      case .cases: return false
      }
    case .named("raw", let parts) where parts.count == 2: return isNested(parts[1], schema)
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case nil, .range, .button: return false
      case .optional: return isNested(parts[0], schema)
      case .result: return parts.contains { isNested($0, schema) }
      default: return true
      }
    }
  }
}

// MARK: - Leaves

extension ReadableValue {
  private func leaf(_ value: CBORValue, _ name: String, _ type: SchemaType) -> String {
    switch (name, value) {
    case ("Bool", .simple(20)): "no"
    case ("Bool", .simple(21)): "yes"
    case ("String", .text(let text)), ("Substring", .text(let text)): Self.safe(text)
    case ("Double", .float(let bits)), ("Float", .float(let bits)): number(Double(bitPattern: bits), name)
    case ("Date", .float(let bits)):
      TimeText.date(Double(bitPattern: bits) + TimeText.reference, format.dates, now: now)
    case ("Duration", .array(let items)) where items.count == 2: duration(items) ?? Self.unreadable
    case ("Data", .bytes(let bytes)): data(bytes)
    default:
      switch SchemaJSON(values.schema).json(of: value, as: type) {
      case .string(let text): Self.safe(text)
      case .null: "–"
      case .array(let pieces) where name == "TextState": pieces.map { Self.plainText($0) }.joined()
      case .object where name == "opaque": "bytes of its own"
      case let json: Self.safe("\(json)")
      }
    }
  }

  private func number(_ number: Double, _ name: String) -> String {
    if let decimals = format.decimals { return TimeText.decimal(number, digits: decimals) }
    let text = name == "Float" ? "\(Float(number))" : "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private func duration(_ items: [CBORValue]) -> String? {
    Self.seconds(items).map { TimeText.duration($0, format.durations) }
  }

  /// The seconds of a duration; nil for a value of another form.
  static func seconds(_ items: [CBORValue]) -> Double? {
    guard items.count == 2, let seconds = integer(items[0]), let attoseconds = integer(items[1]) else { return nil }
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  private static func integer(_ value: CBORValue) -> Int64? {
    switch value {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let argument): Int64(exactly: argument).map { -1 - $0 }
    default: nil
    }
  }

  private func data(_ bytes: [UInt8]) -> String {
    let shown = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return Wording.count(bytes.count, "byte") + (bytes.isEmpty ? "" : " \(shown)\(bytes.count > 8 ? "…" : "")")
  }

  /// A text in one line and of a limited number of scalars, without those that would control a terminal. A character can
  /// have any number of scalars.
  /// - Complexity: O(limit).
  static func safe(_ text: String, limit: Int = limit) -> String {
    let isPlain = text.utf8.count <= limit && text.unicodeScalars.allSatisfy(\.isPrintable)
    guard !isPlain else { return text }
    var result = ""
    var isAfterReturn = false
    for scalar in text.unicodeScalars.prefix(limit) {
      if Character(scalar).isNewline || scalar == "\t" {
        if scalar != "\n" || !isAfterReturn { result.unicodeScalars.append(" ") }
      } else {
        result.unicodeScalars.append(scalar.isPrintable ? scalar : "\u{FFFD}")
      }
      isAfterReturn = scalar == "\r"
    }
    return result + (text.unicodeScalars.dropFirst(limit).isEmpty ? "" : "…")
  }

  static func cut(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    let scalars = text.unicodeScalars.prefix(limit)
    return scalars.endIndex == text.endIndex ? text : String(scalars) + "…"
  }
}
