/// Two types that cannot be mapped, described as in `SchemaCompatibility.incompatible`.
public struct SchemaMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first difference. "Here" is the source of the mapping, unless `SchemaSides` have other words.
  public let description: String
}

/// Converts bytes of one schema to bytes of another, by the names of fields and cases.
///
/// ```swift
/// let mapping = try SchemaMapping(from: theirs, to: ours, .state)
/// var encoder = CBOREncoder()
/// try mapping.mapChange(&decoder, to: &encoder)
/// ```
///
/// Fields that the target does not have are omitted; a case that it does not have is refused. Fields that only the
/// target has remain absent, for the target's default. An action that changes such a field of a shared model is refused,
/// because that would be lost. A type that is the same on both sides at all depths is copied.
/// The table for this is created once, with the mapping.
///
/// The output is deterministic if the input is. Texts, numbers and other values without parts are copied if they are
/// well-formed; the reader of the result checks their values.
public struct SchemaMapping: Sendable {
  /// The maximum nesting depth of values, to protect the stack. It leaves room for the readers' own limit, which counts
  /// only about one level in three.
  static let depthLimit = CBORDecoder.nestingLimit

  /// The types that a mapping converts between.
  public enum Root: Hashable, Sendable {
    /// The types of the two states.
    case state
    /// The types of the two actions.
    case action
    /// Two types of the schemas.
    case types(source: SchemaType, target: SchemaType)
  }

  let source: Schema
  let target: Schema
  let pair: MappingTable.Pair
  /// The name of the root in errors about paths.
  let name: String
  let table: MappingTable
  let root: Int
  /// The replacement of each text; nil if texts are copied.
  let replacement: (@Sendable (String) -> String)?

  /// Creates a mapping from one schema to another.
  ///
  /// - Parameters:
  ///   - source: The schema of the bytes.
  ///   - target: The schema to which they are converted.
  ///   - root: The types to convert between.
  ///   - sides: The words for the two sides in the error.
  /// - Throws: The first difference that prevents a mapping.
  /// - Complexity: O(corresponding pairs of types × fields).
  public init(
    from source: Schema, to target: Schema, _ root: Root, sides: SchemaSides = .peers
  ) throws(SchemaMismatch) {
    switch root {
    case .state: (pair, name) = (MappingTable.Pair(source: source.state, target: target.state), "the state")
    case .action: (pair, name) = (MappingTable.Pair(source: source.action, target: target.action), "the action")
    case .types(let mine, let theirs):
      guard mine.refers(below: source.definitions.count), theirs.refers(below: target.definitions.count) else {
        throw SchemaMismatch(description: "a type is not among its schema's definitions")
      }
      (pair, name) = (MappingTable.Pair(source: mine, target: theirs), source.name(of: mine))
    }
    var comparison = SchemaComparison(here: source, there: target, sides: sides)
    if let difference = comparison.difference([(pair.source, pair.target, name)]) {
      throw SchemaMismatch(description: difference)
    }
    if root == .state, let difference = source.difference(ofFeaturesFrom: target) {
      throw SchemaMismatch(description: difference)
    }
    (self.source, self.target) = (source, target)
    (table, replacement) = (MappingTable(from: source, to: target, pair), nil)
    // The root is entered first.
    self.root = 0
  }

  /// Creates a mapping from a schema to itself that replaces the texts: values of the types `String`, `Substring`,
  /// `Character` and `TextState`, also as keys, members and ids. Raw values of enums are none.
  ///
  /// - Parameters:
  ///   - schema: The schema of the bytes.
  ///   - root: The state or the action.
  ///   - replacement: Returns the text in place of another one: always the same for the same, and never the same for two.
  package init(
    replacingTextsOf schema: Schema, _ root: Root, by replacement: @escaping @Sendable (String) -> String
  ) {
    (source, target) = (schema, schema)
    let (type, name) = root == .action ? (schema.action, "the action") : (schema.state, "the state")
    (pair, self.name) = (MappingTable.Pair(source: type, target: type), name)
    table = MappingTable(from: schema, to: schema, pair, replacesTexts: true)
    (self.root, self.replacement) = (0, replacement)
  }

  /// Creates the mapping of a place inside the root.
  init(_ whole: SchemaMapping, _ pair: MappingTable.Pair, at index: Int, name: String) {
    (source, target, table) = (whole.source, whole.target, whole.table)
    replacement = whole.replacement
    (self.pair, self.name, root) = (pair, name, index)
  }

  /// True if the bytes are the same on both sides, and are copied.
  public var isIdentity: Bool {
    if case .verbatim = table.entries[root] { true } else { false }
  }

  /// Reads a value of the source and writes it for the target.
  ///
  /// - Throws: The problem with the bytes, or `unknownName` for a case and `unknownField` for a changed field of a
  ///   shared model that the target does not have. In that case, nothing is written.
  /// - Complexity: O(bytes), plus O(n log n) for members and keys whose order changes.
  public func mapValue(_ decoder: inout CBORDecoder, to encoder: inout CBOREncoder) throws(WireError) {
    try map(.value, &decoder, to: &encoder)
  }

  /// Reads a change (PROTOCOL.md, 10) of the source and writes it for the target.
  ///
  /// Applied to the mapped old value, it gives the mapped new value. Changes of fields that the target does not have
  /// are omitted; a change of which nothing remains is `{}`.
  /// - Throws: The errors of `mapValue(_:to:)`.
  /// - Complexity: That of `mapValue(_:to:)`.
  public func mapChange(_ decoder: inout CBORDecoder, to encoder: inout CBOREncoder) throws(WireError) {
    try map(.change, &decoder, to: &encoder)
  }

  private func map(
    _ form: MappingForm, _ decoder: inout CBORDecoder, to encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = encoder.count
    do throws(WireError) {
      try map(root, form, &decoder, &encoder)
    } catch {
      encoder.cut(to: start)
      throw error
    }
  }
}

/// The forms in which a value occurs: itself (PROTOCOL.md, 9), as a change in a delta (10), or as a change that can be
/// merged into any version of it.
enum MappingForm {
  case value
  case change
  case sharedChange
}
