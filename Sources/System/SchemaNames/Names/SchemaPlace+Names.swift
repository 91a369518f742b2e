internal import Spelling
public import Wire

// In users' notation, a path skips optionals: `alert.title`, not `alert.some.title`.

extension Schema {
  /// The steps of a path from the root of the state, in users' notation.
  ///
  /// ```swift
  /// try schema.path(named: "todos.todos[3].text")
  /// ```
  ///
  /// - Fields, the cases of an enum, and the success and failure of a result follow points. A case with several values
  ///   is followed by the label or index of one of them.
  /// - An element of an identified array is named by its id: `[3]`, `["text"]`, `[1B4E28BA-…]`; one of a stack by
  ///   `[#2]`. An id of any other type is the hexadecimal of its CBOR: `[h'820102']`.
  /// - The value in an optional needs no step before another one; at the end of a path it is `?`.
  /// - A name that is not an identifier is quoted with backticks.
  /// - `[0..<50]` after an ordered collection is the window with the elements at these positions, and `[-20...]` that
  ///   with the last 20.
  /// - An empty path and `.` are the whole state. A trailing point is ignored.
  /// - Parameter allowsWindow: True if the path may end at a window.
  /// - Throws: The first part that does not exist, with suggestions.
  /// - Complexity: O(parts × fields); for an error, also O(places of the schema), of which at most 4,096 are visited.
  public func path(named text: String, allowsWindow: Bool = false) throws(SchemaNameError) -> [PathStep] {
    var walk = NameWalk(self, text, allowsWindow: allowsWindow)
    let tokens = try NameScanner.tokens(of: text)
    for token in tokens { try walk.take(token) }
    return try walk.end()
  }

  /// A path in users' notation.
  /// - Throws: The first step that is impossible.
  public func name(of path: [PathStep]) throws(SchemaPathError) -> String {
    var place = SchemaPlace(in: self, state, name: "the state")
    var (text, unwrapped) = ("", 0)
    for step in path {
      let part = place.text(of: step)
      try place.take(step)
      if part == "?" {
        unwrapped += 1
      } else {
        text += text.isEmpty && part.hasPrefix(".") ? String(part.dropFirst()) : part
        unwrapped = 0
      }
    }
    _ = try place.end()
    return text + String(repeating: "?", count: unwrapped)
  }
}

extension SchemaPlace {
  /// The layout of the named type here.
  var layout: NamedLayout? {
    guard choices == nil, case .named(let name, let parts) = type else { return nil }
    return NamedLayout(name, parts.count)
  }

  /// The names of the parts here, with their steps. For an optional, the parts of its value.
  var parts: [(name: String, step: PathStep)] {
    if let choices {
      return Self.labels(of: choices).enumerated().map { ($1, .key(UInt64($0))) }
    }
    switch definition?.content {
    case .fields(let fields): return fields.map { ($0.name, .key($0.key)) }
    case .cases(let cases): return cases.filter { !$0.payload.isEmpty }.map { ($0.name, .key($0.key)) }
    case nil: return layout == .result ? [("success", 0), ("failure", 1)] : []
    }
  }

  /// The names of a case's values: their labels if those are distinct, otherwise their indices.
  static func labels(of payload: [Schema.Payload]) -> [String] {
    let labels = payload.map(\.label)
    return labels.enumerated().map { index, label in
      let isUsable = !label.isEmpty && labels.firstIndex(of: label) == index
      return isUsable ? label : "\(index)"
    }
  }

  /// Enters the optional here, and those nested in it.
  mutating func unwrapAll() throws(SchemaPathError) -> Int {
    var count = 0
    while layout == .optional {
      try take(.key(0))
      count += 1
    }
    return count
  }

  /// A step in users' notation; `?` for one into an optional, and an empty text for an impossible one.
  func text(of step: PathStep) -> String {
    switch step {
    case .key where layout == .optional: return "?"
    case .key:
      return parts.first { $0.step == step }.map { ".\(NameText.name($0.name))" } ?? ""
    case .id(let id):
      guard let idType else { return "" }
      return schema.text(ofID: id, idType, isInStack: layout == .stack)
    case .window(let start, let count): return WindowText.text(start: start, count: count)
    }
  }

  /// The type of the ids of the elements here.
  var idType: SchemaType? {
    guard case .named(_, let parts) = type else { return nil }
    return switch layout {
    case .identified: parts[0]
    case .stack: .named("StackElementID")
    default: nil
    }
  }

  /// True for a place with elements, also those without ids.
  var isCollection: Bool {
    switch layout {
    case .array, .identified, .set, .dictionary, .stack: true
    default: false
    }
  }

  /// True for a place with elements in an order, of which there are windows.
  var isOrdered: Bool {
    switch layout {
    case .array, .identified, .stack: true
    default: false
    }
  }

  /// The type of the elements of a plain array, and of the values of a dictionary with that of its keys.
  var elementsWithoutIDs: (type: SchemaType, keyType: SchemaType?)? {
    guard case .named(_, let parts) = type else { return nil }
    return switch layout {
    case .array: (parts[0], nil)
    case .dictionary: (parts[1], parts[0])
    default: nil
    }
  }

  /// A description of this place for an error: `'alert' of Counter.State, of type Optional<Alert>,`.
  var description: String { "\(name) (\(schema.name(of: type)))" }
}

/// A walk along a path in a user's notation.
struct NameWalk {
  private let schema: Schema
  private let text: String
  private(set) var place: SchemaPlace
  private(set) var steps: [PathStep] = []
  /// The steps after those that a hub knows.
  private(set) var rest: [PartPath.Step] = []
  private let leadsIntoValues: Bool
  private let allowsWindow: Bool
  /// True once the walk has left the parts that a hub knows.
  private var isWithinValue = false

  /// - Parameters:
  ///   - leadsIntoValues: True for a path as of `part(named:)`.
  ///   - allowsWindow: True if the path may end at a window of a collection.
  init(_ schema: Schema, _ text: String, leadsIntoValues: Bool = false, allowsWindow: Bool = false) {
    (self.schema, self.text, self.leadsIntoValues) = (schema, text, leadsIntoValues)
    self.allowsWindow = allowsWindow
    place = SchemaPlace(in: schema, schema.state, name: "the state")
  }

  /// A walk from a value of a type, also into dictionaries.
  init(_ schema: Schema, from type: SchemaType, _ text: String) {
    (self.schema, self.text, leadsIntoValues, allowsWindow) = (schema, text, true, false)
    place = SchemaPlace(in: schema, type, name: "the value")
  }

  mutating func take(_ token: NameToken) throws(SchemaNameError) {
    switch token.kind {
    case .unwrapped:
      guard place.layout == .optional else { throw failure(token, "\(place.description) is not optional") }
      try take(.key(0), token)
    case .name(let name, let isQuoted):
      try unwrap(token)
      if leadsIntoValues, !isQuoted, name == "count", place.isCollection {
        return enter(.count, .named("Int"), "the number of elements of \(place.name)")
      }
      let parts = place.parts
      if let part = parts.first(where: { $0.name == name }) { return try take(part.step, token) }
      if let choices = place.choices, !isQuoted, let index = Int(name), choices.indices.contains(index) {
        return try take(.key(UInt64(index)), token)
      }
      throw unknown(name, token, parts.map(\.name))
    case .id(let literal):
      try unwrap(token)
      if case .word(let word) = literal, let window = WindowText.step(word), place.isOrdered {
        guard allowsWindow, !isWithinValue else {
          throw failure(token, "a window of \(place.name) is no part of the state, as is needed here")
        }
        return try take(window, token)
      }
      if leadsIntoValues, let (type, keyType) = place.elementsWithoutIDs {
        return enter(try step(literal, keyType, token), type, "an element of \(place.name)")
      }
      guard let idType = place.idType else { throw failure(token, "\(place.description) has no elements with ids") }
      let isInStack = place.layout == .stack
      let id: [UInt8]
      do throws(SchemaValueError) {
        id = try schema.id(literal, idType, isInStack: isInStack)
      } catch {
        throw failure(token, "'\(written(token))' is not the id of an element of \(place.name): \(error.reason)")
      }
      try take(.id(id), token)
    }
  }

  func end() throws(SchemaNameError) -> [PathStep] {
    if let choices = place.choices {
      let suggestions = SchemaPlace.labels(of: choices).map { "\(text).\($0)" }
      let reason = "\(place.name) has \(choices.count) values, and the path must name one"
      throw SchemaNameError(text, text.utf8.count..<text.utf8.count, reason, suggestions: suggestions)
    }
    return steps
  }

  private mutating func unwrap(_ token: NameToken) throws(SchemaNameError) {
    do throws(SchemaPathError) {
      for _ in 0..<(try place.unwrapAll()) { append(.key(0)) }
    } catch {
      throw failure(token, error.reason)
    }
    while leadsIntoValues, case .named("raw", let parts) = place.type, parts.count == 2 {
      place = SchemaPlace(in: schema, parts[1], name: place.name)
      isWithinValue = true
    }
  }

  private mutating func append(_ step: PathStep) {
    if isWithinValue { rest.append(.part(step)) } else { steps.append(step) }
  }

  private mutating func enter(_ step: PartPath.Step, _ type: SchemaType, _ name: String) {
    rest.append(step)
    place = SchemaPlace(in: schema, type, name: name)
    isWithinValue = true
  }

  /// The step to a value of a dictionary, or without a type of keys to an element of a plain array.
  private func step(
    _ literal: NameLiteral, _ keyType: SchemaType?, _ token: NameToken
  ) throws(SchemaNameError) -> PartPath.Step {
    guard let keyType else {
      guard case .word(let word) = literal, let index = Int(word), index >= 0 else {
        throw failure(token, "the elements of \(place.name) are found by their index, as in [0]")
      }
      return .index(index)
    }
    do throws(SchemaValueError) {
      return .key(try schema.id(literal, keyType, isInStack: false))
    } catch {
      throw failure(token, "'\(written(token))' is not a key of \(place.name): \(error.reason)")
    }
  }

  private mutating func take(_ step: PathStep, _ token: NameToken) throws(SchemaNameError) {
    do throws(SchemaPathError) {
      try place.take(step)
    } catch {
      throw failure(token, error.reason)
    }
    append(step)
  }

  // MARK: Mistakes

  private func written(_ token: NameToken) -> String { String(decoding: Array(text.utf8)[token.range], as: UTF8.self) }

  private func failure(
    _ token: NameToken, _ reason: String, suggestions: [String] = [], type: String? = nil
  ) -> SchemaNameError {
    SchemaNameError(text, token.range, reason, suggestions: suggestions, type: type)
  }

  private func unknown(_ name: String, _ token: NameToken, _ known: [String]) -> SchemaNameError {
    let before = String(decoding: text.utf8.prefix(token.range.lowerBound), as: UTF8.self)
    let after = String(decoding: text.utf8.dropFirst(token.range.upperBound), as: UTF8.self)
    // It may be nested deeper: `count` for `counter.count`.
    let deeper = place.deeperNames(limit: 4096).filter { $0.last == name }.map {
      $0.map(NameText.name).joined(separator: ".")
    }
    let near = Spelling.nearest(to: name, among: known).map(NameText.name)
    let suggestions = (deeper.prefix(3) + near.prefix(max(0, 3 - deeper.count))).map { before + $0 + after }
    let reason: String
    switch place.definition?.content {
    case .fields: reason = "\(schema.name(of: place.type)) has no field '\(name)'"
    case .cases(let cases) where cases.contains { $0.name == name }:
      reason = "the case '\(name)' of \(schema.name(of: place.type)) holds nothing"
    case .cases: reason = "\(schema.name(of: place.type)) has no case '\(name)'"
    case nil:
      switch place.layout {
      case .identified: reason = "the elements of \(place.name) are found by id, as in '\(stem(before))[…]'"
      case .stack: reason = "the elements of \(place.name) are found by id, as in '\(stem(before))[#1]'"
      default:
        reason =
          place.choices == nil
          ? "\(place.description) has no part that can be named" : "\(place.name) has no value '\(name)'"
      }
    }
    // The type of a window is none of the schema's.
    let type = schema.definitions.first { $0.name == place.definition?.name }
    return failure(token, reason, suggestions: suggestions, type: type?.name)
  }

  private func stem(_ before: String) -> String { before.hasSuffix(".") ? String(before.dropLast()) : before }
}

extension SchemaPlace {
  /// The names that lead to deeper places, nearest first, without elements of collections.
  func deeperNames(limit: Int) -> [[String]] {
    var (found, pending): ([[String]], [(SchemaPlace, [String])]) = ([], [(self, [])])
    var index = 0
    while index < pending.count, found.count < limit {
      let (place, names) = pending[index]
      index += 1
      guard names.count < 8 else { continue }
      for part in place.parts.prefix(limit) {
        var next = place
        guard (try? next.take(part.step)) != nil, (try? next.unwrapAll()) != nil else { continue }
        let path = names + [part.name]
        if !names.isEmpty { found.append(path) }
        pending.append((next, path))
      }
    }
    return found
  }
}
