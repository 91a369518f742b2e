public import JSONText
internal import Spelling
public import Wire

/// An action in a user's notation: the cases that lead to it, and the values of the last one.
public struct ActionParts: Hashable, Sendable {
  /// The cases from the action's type on. `.id` stands for the collection element to which the action applies.
  public let path: [PathStep]
  /// The values of the last case, with their labels and types.
  public let values: [Value]

  /// A value of an action.
  public struct Value: Hashable, Sendable {
    /// The label and the type.
    public let payload: Schema.Payload
    /// The value.
    public let value: CBORValue
  }
}

extension Schema {
  /// The cases of an action's path in users' notation.
  ///
  /// ```swift
  /// try schema.actionPath(named: "counter.incrementButtonTapped")
  /// try schema.actionPath(named: "todos.todos[3].textChanged")
  /// ```
  ///
  /// Each name is a case of an enum, whose only value is the enum of the next one. `[id]` stands for the case `element`
  /// of an `IdentifiedAction` with this id, `[#id]` for that of a `StackAction`; the next name is a case of the
  /// element's action. A path that ends early stands for all actions below.
  /// - Throws: The first part that does not exist, with suggestions.
  /// - Complexity: As `path(named:)`.
  public func actionPath(named text: String) throws(SchemaNameError) -> [PathStep] {
    var walk = ActionWalk(self, text)
    for token in try NameScanner.tokens(of: text) { try walk.take(token) }
    return walk.steps
  }

  /// An action's path in users' notation; nil for a path that does not exist.
  public func name(ofAction path: [PathStep]) -> String? {
    var (text, place) = ("", ActionPlace(action))
    for step in path {
      guard let part = place.text(of: step, in: self), place.take(step, in: self) else { return nil }
      text += text.isEmpty && part.hasPrefix(".") ? String(part.dropFirst()) : part
    }
    return text
  }

  /// The values that an action with a path requires. For an empty path, a value of the action's type; nil for a path
  /// that does not exist.
  public func payload(ofAction path: [PathStep]) -> [Payload]? {
    var place = ActionPlace(action)
    for step in path { guard place.take(step, in: self) else { return nil } }
    return place.payload
  }

  /// Creates an action from its path and the values of its last case.
  ///
  /// - Parameters:
  ///   - path: The cases; empty if the only value is the whole action.
  ///   - values: The individual values. Several may also be given as one object by their labels, or as one array.
  /// - Throws: The problem with the values. The created action fits the schema, as far as the schema describes it.
  /// - Complexity: O(size of the values).
  public func action(_ path: [PathStep], _ values: [JSONValue]) throws(SchemaValueError) -> CBORValue {
    let made = try make(action, path[...], values)
    do throws(WireError) {
      try check(made.encoded(), action)
    } catch {
      throw SchemaValueError("", "\(error.problem)")
    }
    return made
  }

  /// The path and the values of an action; nil if it is not an action of this schema.
  /// - Complexity: O(cases of the path × values).
  public func parts(ofAction action: CBORValue) -> ActionParts? {
    var (steps, type, value): ([PathStep], SchemaType, CBORValue) = ([], self.action, action)
    while true {
      guard let cases = cases(of: type), let (element, values) = SchemaValues.element(of: value, cases) else {
        return nil
      }
      if element == elementCase(of: type) {
        steps.append(.id(values[0].encoded()))
        (type, value) = (element.payload[1].type, values[1])
      } else {
        steps.append(.key(element.key))
        guard element.payload.count == 1, self.cases(of: element.payload[0].type) != nil else {
          let parts = zip(element.payload, values).map { ActionParts.Value(payload: $0, value: $1) }
          return ActionParts(path: steps, values: parts)
        }
        (type, value) = (element.payload[0].type, values[0])
      }
    }
  }

  /// An action on one line: its path and its values as JSON, such as `todos.addButtonTapped "bread"`; or the change of a
  /// shared model in words.
  ///
  /// A value that is not an action of this schema is shown in CBOR diagnostic notation.
  public func text(ofAction action: CBORValue) -> String {
    guard let parts = parts(ofAction: action), let name = name(ofAction: parts.path) else { return "\(action)" }
    if let change = changeText(of: parts.values, name: name) { return change }
    let json = SchemaJSON(self)
    return ([name] + parts.values.map { "\(json.json(of: $0.value, as: $0.payload.type))" }).joined(separator: " ")
  }

  private func make(
    _ type: SchemaType, _ path: ArraySlice<PathStep>, _ values: [JSONValue]
  ) throws(SchemaValueError) -> CBORValue {
    let json = SchemaJSON(self)
    let rest = path.dropFirst()
    switch path.first {
    case nil:
      guard values.count == 1 else {
        throw SchemaValueError("", "one value of type \(name(of: type)) is needed, not \(values.count)")
      }
      return try json.value(of: values[0], as: type)
    case .key(let key):
      guard let element = cases(of: type)?.first(where: { $0.key == key }) else { break }
      if rest.isEmpty { return try json.value(of: element, values) }
      guard element.payload.count == 1 else { break }
      return .array([.unsigned(key), try make(element.payload[0].type, rest, values)])
    case .id(let id):
      guard let element = elementCase(of: type), let id = try? unsafe CBORValue(decoding: id.span.bytes) else { break }
      return .array([.unsigned(element.key), id, try make(element.payload[1].type, rest, values)])
    case .window: break
    }
    throw SchemaValueError("", "there is no such action")
  }
}

/// The place that the path of an action has reached.
struct ActionPlace {
  /// The type for the next step; nil if there is none.
  private(set) var type: SchemaType?
  /// The values that an action needs if it ends here.
  private(set) var payload: [Schema.Payload]

  init(_ action: SchemaType) {
    (type, payload) = (action, [Schema.Payload(label: "", type: action)])
  }

  /// Takes one more step; returns false if that is impossible.
  mutating func take(_ step: PathStep, in schema: Schema) -> Bool {
    guard let type else { return false }
    switch step {
    case .key(let key):
      guard let element = schema.cases(of: type)?.first(where: { $0.key == key }) else { return false }
      payload = element.payload
      self.type = payload.count == 1 ? payload[0].type : nil
    case .id(let id):
      guard let element = schema.elementCase(of: type), (try? schema.check(id, element.payload[0].type)) != nil else {
        return false
      }
      payload = [element.payload[1]]
      self.type = payload[0].type
    case .window: return false
    }
    return true
  }

  func text(of step: PathStep, in schema: Schema) -> String? {
    guard let type else { return nil }
    switch step {
    case .key(let key):
      return schema.cases(of: type)?.first { $0.key == key }.map { ".\(NameText.name($0.name))" }
    case .id(let id):
      return schema.elementCase(of: type).map {
        let idType = $0.payload[0].type
        return schema.text(ofID: id, idType, isInStack: idType == .named("StackElementID"))
      }
    case .window: return nil
    }
  }

  /// The names of the cases that may follow.
  func names(in schema: Schema) -> [String] { type.flatMap { schema.cases(of: $0) }?.map(\.name) ?? [] }
}

/// A walk along an action's path in a user's notation.
struct ActionWalk {
  private let schema: Schema
  private let text: String
  private var place: ActionPlace
  private(set) var steps: [PathStep] = []

  init(_ schema: Schema, _ text: String) {
    (self.schema, self.text) = (schema, text)
    place = ActionPlace(schema.action)
  }

  /// True if the path ends at a field of a shared model.
  var isAtChange: Bool { place.payload.count == 1 && place.payload[0].type.isChange }
  /// True if the path ends at the changes of a shared model.
  var isAtSharedModel: Bool { place.type.map { schema.isSharedModel($0) } ?? false }

  mutating func take(_ token: NameToken) throws(SchemaNameError) {
    switch token.kind {
    case .unwrapped: throw failure(token, "nothing in an action is unwrapped")
    case .name(let name, _):
      guard let cases = place.type.flatMap({ schema.cases(of: $0) }) else { throw failure(token, tooLong()) }
      guard let element = cases.first(where: { $0.name == name }) else { throw unknown(name, token, cases) }
      step(.key(element.key))
    case .id(let literal):
      guard let type = place.type, let element = schema.elementCase(of: type) else {
        throw failure(token, steps.isEmpty ? "the action must begin with a name" : "\(stem(token)) is for no element")
      }
      let idType = element.payload[0].type
      do throws(SchemaValueError) {
        let id = try schema.id(literal, idType, isInStack: idType == .named("StackElementID"))
        step(.id(id))
      } catch {
        throw failure(token, "the id of the element: \(error.reason)")
      }
    }
  }

  private mutating func step(_ step: PathStep) {
    let isPossible = place.take(step, in: schema)
    precondition(isPossible, "a step that was found can be made")
    steps.append(step)
  }

  func failure(
    _ token: NameToken, _ reason: String, suggestions: [String] = [], type: String? = nil
  ) -> SchemaNameError {
    SchemaNameError(text, token.range, reason, suggestions: suggestions, type: type)
  }

  func stem(_ token: NameToken) -> String {
    var stem = Substring(String(decoding: text.utf8.prefix(token.range.lowerBound), as: UTF8.self))
    if stem.hasSuffix(".") { stem.removeLast() }
    return "'\(stem)'"
  }

  private func tooLong() -> String {
    guard let value = place.payload.first else { return "'\(schema.name(ofAction: steps) ?? text)' is whole already" }
    let values = place.payload.count == 1 ? "a value of type \(schema.name(of: value.type))" : "values"
    return "'\(schema.name(ofAction: steps) ?? text)' holds \(values), which is written after it and not as a name"
  }

  private func unknown(_ name: String, _ token: NameToken, _ cases: [Schema.Case]) -> SchemaNameError {
    let before = String(decoding: text.utf8.prefix(token.range.lowerBound), as: UTF8.self)
    let after = String(decoding: text.utf8.dropFirst(token.range.upperBound), as: UTF8.self)
    // It may be nested deeper: `count` for `counter.count`.
    let deeper = place.deeperNames(in: schema, limit: 4096).filter { $0.last == name }.map {
      $0.map(NameText.name).joined(separator: ".")
    }
    let near = Spelling.nearest(to: name, among: cases.map(\.name)).map(NameText.name)
    let suggestions = (deeper.prefix(3) + near.prefix(max(0, 3 - deeper.count))).map { before + $0 + after }
    let owner = place.type.map { schema.name(of: $0) } ?? ""
    return failure(token, "\(owner) has no case '\(name)'", suggestions: suggestions, type: owner)
  }
}

extension ActionPlace {
  /// The names of deeper cases, nearest first, without those of elements.
  func deeperNames(in schema: Schema, limit: Int) -> [[String]] {
    var (found, pending): ([[String]], [(ActionPlace, [String])]) = ([], [(self, [])])
    var index = 0
    while index < pending.count, found.count < limit {
      let (place, names) = pending[index]
      index += 1
      guard names.count < 8, let cases = place.type.flatMap({ schema.cases(of: $0) }) else { continue }
      for element in cases.prefix(limit) {
        var next = place
        guard next.take(.key(element.key), in: schema) else { continue }
        let path = names + [element.name]
        if !names.isEmpty { found.append(path) }
        pending.append((next, path))
      }
    }
    return found
  }
}
