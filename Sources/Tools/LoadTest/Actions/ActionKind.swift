internal import Wire

/// A kind of action in compiled form: its bytes, its elements, and its expected effect.
struct ActionKind: Sendable {
  let name: String
  let segments: Segments
  let weight: Int
  let isRandom: Bool
  let removes: Bool
  /// The index of its collection in the run; nil if it does not refer to an element.
  let elements: Int?
  /// A part of the element, and its value after the action.
  let sets: (path: [PathStep], value: Segments)?
  /// A number or a collection, and the amount by which the action increases it.
  let counts: (path: [PathStep], by: Int)?
  /// A collection, a field, and the value by which the new element is recognised.
  let creates: (collection: [PathStep], field: [PathStep], value: Segments)?
  /// The parts of the state that it changes, as far as the scenario names them.
  let touched: [[PathStep]]
}

/// Parses the expected effects in a scenario.
struct EffectReader {
  let compiler: TemplateCompiler
  let reader: StateReader

  /// Parses the path of a part of the element, and its value.
  func sets(_ text: String) throws(LoadError) -> (collection: [PathStep], path: [PathStep], value: Segments) {
    let (path, value) = try Self.split(text, "a path with [{id}] and a value")
    let (collection, rest) = try compiler.elementPath(path)
    let type = try elementType(of: collection, rest, path)
    return (collection, rest, try compiler.value(value, of: type))
  }

  /// The greatest amount by which an action may increase a number, so that the sum of all fits an `Int`.
  private static let greatestCount: UInt = 1_000_000_000

  /// Parses the path of a number or a collection, and the amount by which it grows.
  func counts(_ text: String) throws(LoadError) -> (path: [PathStep], by: Int) {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, words.count <= 2, let by = words.count == 1 ? 1 : Int(words[1]),
      by.magnitude <= Self.greatestCount
    else {
      let range = "from -\(Self.greatestCount) to \(Self.greatestCount)"
      throw .scenario("'counts' needs a path and a whole number \(range), not '\(text)'")
    }
    return (try compiler.path(name), by)
  }

  /// Parses the collection, the field of its elements and the value of a new one.
  func creates(
    _ text: String
  ) throws(LoadError) -> (collection: [PathStep], field: [PathStep], value: Segments) {
    let (collectionName, rest) = try Self.split(text, "a collection, a field and a value")
    let (field, value) = try Self.split(rest, "a collection, a field and a value")
    let (collection, path) = try compiler.elementPath("\(collectionName)[{id}].\(field)")
    let type = try elementType(of: collection, path, collectionName)
    return (collection, path, try compiler.value(value, of: type))
  }

  private func elementType(of collection: [PathStep], _ rest: [PathStep], _ name: String) throws(LoadError)
    -> SchemaType
  {
    let type = try find(collection, in: compiler.schema)
    guard reader.collection(type) != nil, let element = reader.element(of: type) else {
      throw .doesNotFit("'\(name)' leads to no collection of elements with ids")
    }
    var schema = compiler.schema
    schema.state = element
    return try find(rest, in: schema)
  }

  private func find(_ path: [PathStep], in schema: Schema) throws(LoadError) -> SchemaType {
    do throws(SchemaPathError) { return try schema.type(at: path) } catch { throw .doesNotFit("\(error)") }
  }

  /// Splits a text after its first word.
  private static func split(_ text: String, _ what: String) throws(LoadError) -> (String, String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { throw .scenario("\(what) are needed, not '\(text)'") }
    return (words[0], words[1])
  }
}
