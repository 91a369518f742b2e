internal import JSONParser
internal import JSONText
internal import SchemaNames
internal import Wire

/// A condition on a state: `counter.count > 5`, `todos.todos.count == 0`, `counter.isTimerOn`, `!factAlert`.
nonisolated struct Predicate {
  enum Comparison: String, CaseIterable {
    // A longer operator precedes those that are its prefix.
    case equal = "==", unequal = "!=", atMost = "<=", atLeast = ">=", less = "<", more = ">", contains = "~"
  }

  let text: String
  /// Nil if the schema does not have it: nothing is there.
  let path: PartPath?
  private var comparison: (Comparison, word: String)?
  private let isNegated: Bool

  /// Reads a condition for the states of one of a journal's schemas.
  ///
  /// - Throws: `usage` if it is not a condition; `unknownName` if no schema of the journal has the path with values such as
  ///   the one that it is compared with.
  init(_ text: String, in schema: Schema, of schemas: [Schema] = [], isOfView: Bool = false) throws(ToolFailure) {
    do throws(ToolFailure) { self = try Predicate(text, of: schema, isOfView: isOfView) } catch {
      guard error.status == .unknownName, schemas.count > 1, let newest = schemas.last else { throw error }
      let other = schemas.lazy.compactMap { try? Predicate(text, of: $0) }.first
      guard let other else {
        self = try Predicate(text, of: newest)
        return
      }
      (self.text, path) = (text, nil)
      (comparison, isNegated) = (other.comparison, other.isNegated)
    }
  }

  private init(_ text: String, of schema: Schema, isOfView: Bool = false) throws(ToolFailure) {
    self.text = text
    var left = text.trimmed
    isNegated = left.hasPrefix("!")
    if isNegated { left = String(left.dropFirst()).trimmed }
    if let (place, found) = try Self.comparison(in: left) {
      guard !isNegated else { throw ToolFailure(.usage, "'\(text)' both begins with ! and compares") }
      let word = String(left[place...].dropFirst(found.rawValue.count)).trimmed
      guard !word.isEmpty else { throw ToolFailure(.usage, "a value must follow \(found.rawValue) in '\(text)'") }
      comparison = (found, word)
      left = String(left[..<place]).trimmed
    } else {
      comparison = nil
    }
    guard !left.isEmpty else {
      let place = text.isEmpty ? "is needed" : "must begin with a path, unlike '\(text)'"
      throw ToolFailure(.usage, "a predicate \(place); an example is 'counter.count > 5'")
    }
    let path: PartPath
    do throws(SchemaNameError) { path = try schema.part(named: left) } catch {
      throw isOfView ? ToolFailure(error.inViews(schema), in: .views) : ToolFailure(error)
    }
    self.path = path
    // As trees print it; the text is "nil" in quotes.
    if let (found, word) = comparison, word == "nil", case .named("Optional", _) = path.type {
      comparison = (found, "null")
    }
    guard let comparison, comparison.0 != .contains else { return }
    if Operand.isBeyondNumbers(comparison.word, path.type) {
      let place = text.count - text.reversed().prefix { $0.isWhitespace }.count - comparison.word.count + 1
      throw ToolFailure(
        .unknownName,
        """
        '\(left)' cannot be compared with \(comparison.word) (character \(place) of '\(text)'): the number is not finite, \
        and no value reaches it
        """)
    }
    do throws(SchemaValueError) {
      try Operand.check(comparison.word, path.type, SchemaJSON(schema))
    } catch {
      throw ToolFailure(.unknownName, "'\(left)' cannot be compared with \(comparison.word): \(error)")
    }
  }

  /// Returns the first comparison outside of brackets and quotes.
  private static func comparison(in text: String) throws(ToolFailure) -> (String.Index, Comparison)? {
    var (depth, isQuoted) = (0, false)
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case "[" where !isQuoted: depth += 1
      case "]" where !isQuoted: depth -= 1
      default: break
      }
      guard depth == 0, !isQuoted else { continue }
      if let found = Comparison.allCases.first(where: { text[index...].hasPrefix($0.rawValue) }) {
        return (index, found)
      }
      if text[index] == "=" {
        let known = Comparison.allCases.map(\.rawValue).joined(separator: ", ")
        throw ToolFailure(.usage, "'\(text)' has none of the comparisons \(known)")
      }
    }
    return nil
  }

  /// Returns true if a state satisfies the condition.
  ///
  /// A missing part is null. A part alone is true if it exists and is neither false nor null.
  /// - Complexity: O(size of the part); O(log n) for the number of elements of a list.
  func holds(_ state: CBORValue, _ schema: Schema) -> Bool {
    holds(path.flatMap { SchemaValues(schema).part(at: $0, of: state) }, schema)
  }

  /// Returns true if the part at `path`, which is nil if it is absent, satisfies the condition.
  func holds(_ part: (value: CBORValue, type: SchemaType)?, _ schema: Schema) -> Bool {
    let json = SchemaJSON(schema)
    func whole() -> JSONValue { part.map { json.json(of: $0.value, as: $0.type) } ?? .null }
    guard let (comparison, word) = comparison else { return ![.null, .bool(false)].contains(whole()) != isNegated }
    let one = part.map { Operand($0.value, $0.type, json) } ?? .other(.null)
    let other = Operand(word, part?.type, json)
    switch comparison {
    case .equal: return one.equals(other)
    case .unequal: return !one.equals(other)
    case .less: return one.isLess(than: other)
    case .more: return other.isLess(than: one)
    case .atMost: return one.isLess(than: other) || one.equals(other)
    case .atLeast: return other.isLess(than: one) || one.equals(other)
    case .contains: return Self.plain(whole()).contains(Self.plain(Self.parsed(word)))
    }
  }

  /// Parses JSON, or a word without quotes.
  fileprivate static func parsed(_ word: String) -> JSONValue { (try? JSONValue(parsing: word)) ?? .string(word) }

  private static func plain(_ value: JSONValue) -> String {
    if case .string(let text) = value { text } else { "\(value)" }
  }
}

/// A value in the form in which it is compared.
nonisolated private enum Operand {
  /// An integer, a decimal, or a duration in seconds.
  case number(DecimalNumber)
  /// A floating-point number, or a date in seconds since 2001.
  case float(Double)
  case other(JSONValue)

  /// Creates an operand from a part of a state.
  init(_ value: CBORValue, _ type: SchemaType, _ json: SchemaJSON) {
    switch (value, type) {
    case (.array(let items), .named("Optional", let parts)) where items.count == 1 && parts.count == 1:
      self.init(items[0], parts[0], json)
    case (_, .named("raw", let parts)) where parts.count == 2:
      self.init(value, parts[1], json)
    case (.float(let bits), _):
      self = .float(Double(bitPattern: bits))
    default:
      let form = json.json(of: value, as: type)
      self = Self.isNumeric(type) ? DecimalNumber(form).map { .number($0) } ?? .other(form) : .other(form)
    }
  }

  /// Creates an operand from a word that is compared with a part.
  init(_ word: String, _ type: SchemaType?, _ json: SchemaJSON) {
    let parsed = Predicate.parsed(word)
    if let type {
      // Quotes are optional, and numbers beyond 64 bits are texts.
      for form in [parsed, .string(word)] {
        guard let value = try? json.value(of: form, as: type) else { continue }
        self.init(value, type, json)
        return
      }
      if Self.plain(type) == .named("Date"), case .time(let milliseconds)? = try? Moment(word) {
        self = .float(Double(milliseconds) / 1000 - Self.referenceDate)
        return
      }
    }
    self = DecimalNumber(parsed).map { .number($0) } ?? .other(parsed)
  }

  /// Checks that a word can be compared with the values of a type.
  static func check(_ word: String, _ type: SchemaType, _ json: SchemaJSON) throws(SchemaValueError) {
    let parsed = Predicate.parsed(word)
    // A missing part is null, and numbers are compared whatever their range.
    if parsed == .null || isNumeric(plain(type)) && DecimalNumber(parsed) != nil { return }
    if plain(type) == .named("Date"), case .time? = try? Moment(word) { return }
    do throws(SchemaValueError) { _ = try json.value(of: parsed, as: type) } catch {
      if (try? json.value(of: .string(word), as: type)) == nil { throw error }
    }
  }

  /// Returns true if a word is a number that is compared with numbers, but too large for a Double, and so for all other
  /// types. A condition with it would never hold, or always.
  static func isBeyondNumbers(_ word: String, _ type: SchemaType) -> Bool {
    let type = plain(type)
    guard isNumeric(type) || [.named("Float"), .named("Double")].contains(type) else { return false }
    var digits = word.filter { $0 != "\"" }
    if digits.hasSuffix("s") { digits.removeLast() }
    // Not the words for infinities.
    return digits.allSatisfy { $0.isASCII && $0.isNumber || "+-.eE".contains($0) } && Double(digits)?.isInfinite == true
  }

  /// The seconds from 1970 to 2001, from which dates count.
  private static let referenceDate = 978_307_200.0

  /// The type of a value without the optionals and raw values around it.
  private static func plain(_ type: SchemaType) -> SchemaType {
    switch type {
    case .named("Optional", let parts) where parts.count == 1: plain(parts[0])
    case .named("raw", let parts) where parts.count == 2: plain(parts[1])
    default: type
    }
  }

  private static func isNumeric(_ type: SchemaType) -> Bool {
    guard case .named(let name, _) = type else { return false }
    return name.hasPrefix("Int") || name.hasPrefix("UInt") || ["Decimal", "Duration", "StackElementID"].contains(name)
  }

  func equals(_ other: Operand) -> Bool {
    switch (self, other) {
    case (.number(let one), .number(let other)): one == other
    case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
    case (.other(let one), .other(let other)): one == other
    default: false
    }
  }

  func isLess(than other: Operand) -> Bool {
    switch (self, other) {
    case (.number(let one), .number(let other)): one < other
    case (.float(let one), .float(let other)): one < other
    // As in comparisons of equality, by the bytes.
    case (.other(.string(let one)), .other(.string(let other))): one.utf8.lexicographicallyPrecedes(other.utf8)
    default: false
    }
  }
}

/// A decimal number with all its digits.
nonisolated private struct DecimalNumber: Comparable {
  private var isNegative = false
  /// The digits without zeros at either end; the first one follows the decimal point.
  private var digits: [UInt8] = []
  /// The power of ten by which they are multiplied.
  private var exponent = 0

  /// Reads a number, a text of digits, or a duration such as `1.5s`; nil for anything else.
  init?(_ json: JSONValue) {
    switch json {
    case .number(let text): self.init(text[...])
    case .string(let text): self.init(text.hasSuffix("s") ? text.dropLast() : text[...])
    default: return nil
    }
  }

  private init?(_ text: Substring) {
    var rest = text.utf8[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    var (hasPoint, hasDigit) = (false, false)
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest.removeFirst()
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigit = true
        if !digits.isEmpty || byte != UInt8(ascii: "0") {
          digits.append(byte)
          if !hasPoint { exponent += 1 }
        } else if hasPoint {
          exponent -= 1
        }
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      default: return nil
      }
    }
    guard hasDigit else { return nil }
    if !rest.isEmpty {
      guard let shift = Int32(Substring(rest.dropFirst())) else { return nil }
      exponent += Int(shift)
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  static func < (one: Self, other: Self) -> Bool {
    if one.isNegative != other.isNegative { return one.isNegative }
    return one.isNegative ? other.isNearerToZero(than: one) : one.isNearerToZero(than: other)
  }

  private func isNearerToZero(than other: Self) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}

extension String {
  /// The text without spaces around it.
  nonisolated fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
