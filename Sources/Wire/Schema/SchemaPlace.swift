/// A path that does not exist: the step, and the reason.
public struct SchemaPathError: Error, Hashable, Sendable {
  /// The index of the first impossible step; the number of steps if the path ends too early.
  public let step: Int
  /// A sentence that names the place, such as `'counter' of App has no field with key 7`.
  public let reason: String
}

extension SchemaPathError: CustomStringConvertible {
  /// The reason.
  public var description: String { reason }
}

extension Schema {
  /// The type of the part at a path from the root of the state.
  ///
  /// - Throws: The first step that is impossible, such as an id of another type than the elements', or a window, whose
  ///   type is none of this schema's: `rooted(at:)`.
  /// - Complexity: O(steps × fields).
  public func type(at path: [PathStep]) throws(SchemaPathError) -> SchemaType {
    let place = try place(at: path)
    guard !place.isWindow else { throw place.failure("\(place.name) is not a part of the state") }
    return try place.end()
  }

  /// This schema with the type of the value at a path, which may be a window, as its state.
  ///
  /// - Throws: The first step that is impossible.
  /// - Complexity: O(steps × fields).
  package func rooted(at path: [PathStep]) throws(SchemaPathError) -> Schema {
    let place = try place(at: path)
    var schema = place.schema
    schema.state = try place.end()
    return schema
  }

  private func place(at path: [PathStep]) throws(SchemaPathError) -> SchemaPlace {
    var place = SchemaPlace(in: self, state, name: "the state")
    for step in path { try place.take(step) }
    return place
  }

  /// A type in users' notation.
  package func name(of type: SchemaType) -> String {
    switch type {
    case .definition(let index): definitions[index].name
    // The feature's own types are shown by their own names.
    case .named("raw", let parts), .named("opaque", let parts):
      parts.first.map { self.name(of: $0) } ?? ""
    case .named(let name, let parts):
      parts.isEmpty ? name : "\(name)<\(parts.map { self.name(of: $0) }.joined(separator: ", "))>"
    }
  }
}

/// The place that a path has reached.
package struct SchemaPlace {
  /// The schema; in a window, with the definition of its type.
  package private(set) var schema: Schema
  /// The type at this place, or of the whole enum while `choices` is not nil.
  package private(set) var type: SchemaType
  /// The values of a case, of which the next step selects one.
  package private(set) var choices: [Schema.Payload]?
  package private(set) var name: String
  /// True in a window of a collection, from which no step leads further.
  package private(set) var isWindow = false
  private var steps = 0

  package init(in schema: Schema, _ type: SchemaType, name: String) {
    (self.schema, self.type, self.name) = (schema, type, name)
  }

  /// The content of the definition at this place.
  package var definition: Schema.Definition? {
    guard choices == nil, case .definition(let index) = type else { return nil }
    return schema.definitions[index]
  }

  /// Takes one more step.
  package mutating func take(_ step: PathStep) throws(SchemaPathError) {
    guard !isWindow else { throw failure("no step leads further from \(name)") }
    if choices != nil {
      try takeValue(step)
    } else {
      switch type {
      case .definition(let index): try take(step, in: schema.definitions[index])
      case .named(let container, let parts): try take(step, in: container, parts)
      }
    }
    steps += 1
  }

  /// The type at the end of the path.
  package func end() throws(SchemaPathError) -> SchemaType {
    guard choices == nil else { throw failure("\(name) has several values, and no step says which") }
    return type
  }

  func failure(_ reason: String) -> SchemaPathError { SchemaPathError(step: steps, reason: reason) }

  private mutating func take(_ step: PathStep, in definition: Schema.Definition) throws(SchemaPathError) {
    guard case .key(let key) = step else { throw failure("\(name) has no elements with ids") }
    switch definition.content {
    case .fields(let fields):
      guard let field = fields.first(where: { $0.key == key }) else {
        throw failure("\(name) has no field with key \(key)")
      }
      (name, type) = ("'\(field.name)' of \(definition.name)", field.type)
    case .cases(let cases):
      guard let element = cases.first(where: { $0.key == key }) else {
        throw failure("\(name) has no case with key \(key)")
      }
      let place = "'\(element.name)' of \(definition.name)"
      guard let first = element.payload.first else { throw failure("the case \(place) holds nothing") }
      name = place
      if element.payload.count > 1 { choices = element.payload } else { type = first.type }
    }
  }

  private mutating func takeValue(_ step: PathStep) throws(SchemaPathError) {
    guard let values = choices, case .key(let key) = step, let index = Int(exactly: key), index < values.count else {
      throw failure("\(name) has no such value among its \(choices?.count ?? 0)")
    }
    (name, type, choices) = ("value \(index) of \(name)", values[index].type, nil)
  }

  private func check(_ id: [UInt8], _ type: SchemaType) throws(SchemaPathError) {
    do throws(WireError) {
      try schema.check(id, type)
    } catch {
      throw failure("the id of an element of \(name) is refused: \(error)")
    }
  }

  private mutating func take(_ step: PathStep, in container: String, _ parts: [SchemaType]) throws(SchemaPathError) {
    switch (NamedLayout(container, parts.count), step) {
    case (.optional, .key(0)): type = parts[0]
    case (.optional, _): throw failure("\(name) is optional, and only step 0 leads to what it holds")
    case (.result, .key(0)): (name, type) = ("the success of \(name)", parts[0])
    case (.result, .key(1)): (name, type) = ("the failure of \(name)", parts[1])
    case (.result, _): throw failure("\(name) is a Result, and only steps 0 and 1 lead into it")
    case (.identified, .id(let id)):
      try check(id, parts[0])
      (name, type) = ("an element of \(name)", parts[1])
    case (.stack, .id(let id)):
      try check(id, .named("StackElementID"))
      (name, type) = ("an element of \(name)", parts[0])
    case (.array, .window), (.identified, .window), (.stack, .window): enterWindow()
    case (.identified, .key), (.stack, .key): throw failure("\(name) has elements, which are found by id")
    default: throw failure("\(name) is of type \(schema.name(of: type)), into which no path leads")
    }
  }

  /// Enters a window of the collection here: a struct that no part of the state has (`Window`).
  private mutating func enterWindow() {
    let int = SchemaType.named("Int")
    schema.definitions.append(
      Schema.Definition(
        name: "Window",
        content: .fields([
          Schema.Field(key: 0, name: "count", type: int, hasDefault: false),
          Schema.Field(key: 1, name: "start", type: int, hasDefault: false),
          Schema.Field(key: 2, name: "elements", type: type, hasDefault: false),
        ])))
    (name, type, isWindow) = ("a window of \(name)", .definition(schema.definitions.count - 1), true)
  }
}
