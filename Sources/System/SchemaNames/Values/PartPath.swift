package import Wire

/// The path of a part in users' notation. It may lead further than a client can subscribe: into plain arrays and
/// dictionaries, and to the number of elements of a collection.
///
/// Tools read the part at `steps` and find the rest in its value.
package struct PartPath: Hashable, Sendable {
  /// The steps that a hub knows.
  package private(set) var steps: [PathStep]
  /// The steps that lead on from there.
  package let rest: [Step]
  /// The type of the part.
  package let type: SchemaType
  /// The schema to which the type belongs: for a window of a collection, that of the state with the window's type.
  package let schema: Schema

  /// A step within a value.
  package enum Step: Hashable, Sendable {
    /// A step as in `steps`.
    case part(PathStep)
    /// The value of a dictionary under a key with these bytes.
    case key([UInt8])
    /// The element of a plain array at an index.
    case index(Int)
    /// The number of elements of a collection.
    case count
  }

  /// The same path with the first of these steps, which have other ids of the same types.
  package func replacing(_ steps: [PathStep]) -> Self {
    var path = self
    path.steps = Array(steps.prefix(self.steps.count))
    return path
  }
}

extension Schema {
  /// The path of a part in users' notation, as `path(named:)` reads it, and further:
  ///
  /// - `["text"]` and `[3]` also select the value of a dictionary by its key, and the element of a plain array by its
  ///   index from 0.
  /// - `.count` is the number of elements of a collection.
  /// - `[0..<50]` after an ordered collection is a window of its elements, and `[-20...]` that of its last 20.
  ///
  /// - Parameter allowsWindow: True if the path may end at a window.
  /// - Throws: The first part that does not exist, with suggestions.
  /// - Complexity: As `path(named:)`.
  package func part(named text: String, allowsWindow: Bool = false) throws(SchemaNameError) -> PartPath {
    var walk = NameWalk(self, text, leadsIntoValues: true, allowsWindow: allowsWindow)
    for token in try NameScanner.tokens(of: text) { try walk.take(token) }
    let steps = try walk.end()
    return PartPath(steps: steps, rest: walk.rest, type: walk.place.type, schema: walk.place.schema)
  }
}

extension SchemaValues {
  /// The part of a state at a path; nil if it is absent.
  /// - Complexity: As `part(at:of:as:)`; O(n) for a key of a dictionary of n pairs.
  package func part(at path: PartPath, of state: CBORValue) -> (value: CBORValue, type: SchemaType)? {
    part(at: path.steps, of: state, as: schema.state).flatMap { part(at: path.rest, of: $0.value, as: $0.type) }
  }

  /// The part of a value at the steps within it; nil if it is absent.
  /// - Complexity: As `part(at:of:as:)`; O(n) for a key of a dictionary of n pairs.
  package func part(
    at steps: some Collection<PartPath.Step>, of value: CBORValue, as type: SchemaType
  ) -> (value: CBORValue, type: SchemaType)? {
    var (value, type) = (value, type)
    for step in steps {
      while case .named("raw", let parts) = type, parts.count == 2 { type = parts[1] }
      switch (step, value, type) {
      case (.part(let step), _, _):
        guard let part = part(at: [step], of: value, as: type) else { return nil }
        (value, type) = part
      case (.count, _, _):
        let count = elementCount(of: value, as: type) ?? parts(of: value, as: type)?.count
        guard let count else { return nil }
        (value, type) = (.unsigned(UInt64(count)), .named("Int"))
      case (.key(let bytes), .map(let pairs), .named(_, let parts)) where parts.count == 2:
        // As in the hub, a key may be written differently.
        guard let key = (try? unsafe CBORValue(decoding: bytes.span.bytes)).map(ElementID.init),
          let pair = pairs.first(where: { ElementID($0.key) == key })
        else { return nil }
        (value, type) = (pair.value, parts[1])
      case (.index(let index), .array(let items), .named(_, let parts)) where parts.count == 1:
        guard items.indices.contains(index) else { return nil }
        (value, type) = (items[index], parts[0])
      default: return nil
      }
    }
    return (value, type)
  }
}
