/// What the decoders of a feature refuse beyond bytes that do not have the form of their type, as far as its schema shows
/// it.
struct SchemaReadingRules: Sendable {
  /// The enums that contain themselves otherwise than in a collection, so that they are indirect.
  private var indirect: Set<Int> = []

  init(_ schema: Schema) { self.init(schema.definitions) }

  init(_ definitions: [Schema.Definition]) {
    for (index, definition) in definitions.enumerated() {
      guard case .cases = definition.content else { continue }
      var (seen, waiting): (Set<Int>, [SchemaType]) = ([], definition.parts)
      while let type = waiting.popLast() {
        switch type {
        case .definition(let inner):
          if seen.insert(inner).inserted { waiting += definitions[inner].parts }
        case .named(_, let parts):
          if !Self.countsForDepth(type) { waiting += parts }
        }
      }
      if seen.contains(index) { indirect.insert(index) }
    }
  }

  /// Returns true for types whose values count for the depth (`CBORDecoder.depthLimit`).
  func countsForDepth(_ type: SchemaType) -> Bool {
    if case .definition(let index) = type { return indirect.contains(index) }
    return Self.countsForDepth(type)
  }

  private static func countsForDepth(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type else { return false }
    switch NamedLayout(name, parts.count) {
    case .array, .identified, .set, .dictionary, .stack: return true
    case .optional: return name == "PresentationState"
    default: return false
    }
  }

  /// Refuses a key, a member or an id that is not equal to itself.
  func checkKey(_ key: CBORValue, at offset: Int) throws(WireError) {
    guard key.isReflexive else {
      throw WireError(.typeMismatch(expected: "a key that is equal to itself"), at: offset)
    }
  }
}

extension CBORValue {
  /// True if the value that has these bytes is equal to itself: it contains no NaN.
  fileprivate var isReflexive: Bool {
    switch self {
    case .float(let bits): !Double(bitPattern: bits).isNaN
    case .array(let items): items.allSatisfy(\.isReflexive)
    case .elements(let items): items.allSatisfy(\.isReflexive)
    case .map(let pairs): pairs.allSatisfy { $0.key.isReflexive && $0.value.isReflexive }
    case .tagged(_, let value): value.isReflexive
    case .unsigned, .negative, .bytes, .text, .simple: true
    }
  }
}
