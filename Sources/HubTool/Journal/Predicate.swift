internal import JSONText
internal import Wire

/// A condition on a state: `counter.count > 5`, `todos.todos.count == 0`, `counter.isTimerOn`, `!factAlert`.
nonisolated struct Predicate {
  enum Comparison: String, CaseIterable {
    // A longer operator precedes those that are its prefix.
    case equal = "==", unequal = "!=", atMost = "<=", atLeast = ">=", less = "<", more = ">", contains = "~"
  }

  let text: String
  private let path: [PathStep]
  /// True if the condition is on the number of elements and not on the part itself.
  private let counts: Bool
  private let comparison: (Comparison, JSONValue)?
  private let isNegated: Bool

  init(_ text: String, in schema: Schema) throws(ToolFailure) {
    self.text = text
    var left = text.trimmed
    isNegated = left.hasPrefix("!")
    if isNegated { left = String(left.dropFirst()).trimmed }
    if let (place, found) = try Self.comparison(in: left) {
      guard !isNegated else { throw ToolFailure(.usage, "'\(text)' both begins with ! and compares") }
      let word = String(left[place...].dropFirst(found.rawValue.count)).trimmed
      guard !word.isEmpty else { throw ToolFailure(.usage, "a value must stand behind \(found.rawValue) in '\(text)'") }
      comparison = (found, Self.value(word))
      left = String(left[..<place]).trimmed
    } else {
      comparison = nil
    }
    guard !left.isEmpty else { throw ToolFailure(.usage, "a path must stand in '\(text)', such as counter.count > 5") }
    do throws(SchemaNameError) {
      (path, counts) = (try schema.path(named: left), false)
    } catch {
      guard left.hasSuffix(".count"), let path = try? schema.path(named: String(left.dropLast(6))) else {
        throw ToolFailure(.unknownName, "\(error)")
      }
      (self.path, counts) = (path, true)
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

  /// Parses JSON, or a word without quotes.
  private static func value(_ word: String) -> JSONValue { (try? JSONValue(parsing: word)) ?? .string(word) }

  /// Returns true if a state satisfies the condition.
  ///
  /// A missing part is null. A part alone is true if it exists and is neither false nor null.
  /// - Complexity: O(size of the part); O(log n) for the number of elements of a list.
  func holds(_ state: CBORValue, _ schema: Schema) -> Bool {
    let values = SchemaValues(schema)
    let part = values.part(at: path, of: state, as: schema.state)
    let value: JSONValue =
      part.map { value, type in
        guard counts else { return SchemaJSON(schema).json(of: value, as: type) }
        return .integer(values.elementCount(of: value, as: type) ?? values.parts(of: value, as: type)?.count ?? 0)
      } ?? .null
    guard let (comparison, other) = comparison else { return (value != .null && value != .bool(false)) != isNegated }
    switch comparison {
    case .equal: return Self.areEqual(value, other)
    case .unequal: return !Self.areEqual(value, other)
    case .less: return Self.isLess(value, other)
    case .more: return Self.isLess(other, value)
    case .atMost: return Self.isLess(value, other) || Self.areEqual(value, other)
    case .atLeast: return Self.isLess(other, value) || Self.areEqual(value, other)
    case .contains: return Self.plain(value).contains(Self.plain(other))
    }
  }

  private static func plain(_ value: JSONValue) -> String {
    if case .string(let text) = value { text } else { "\(value)" }
  }

  private static func number(_ value: JSONValue) -> Double? {
    if case .number(let text) = value { Double(text) } else { nil }
  }

  private static func areEqual(_ one: JSONValue, _ other: JSONValue) -> Bool {
    if let one = number(one), let other = number(other) { return one == other }
    return one == other
  }

  private static func isLess(_ one: JSONValue, _ other: JSONValue) -> Bool {
    if let one = number(one), let other = number(other) { return one < other }
    if case .string(let one) = one, case .string(let other) = other { return one < other }
    return false
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
