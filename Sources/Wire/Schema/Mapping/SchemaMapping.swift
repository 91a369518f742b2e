/// Two types that cannot be mapped, as the sentence of `SchemaCompatibility.incompatible`.
public struct SchemaMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the first difference is; "here" is the source of the mapping.
  public let description: String
}

/// Turns bytes that were written for one schema into bytes for another, field by field and case by case, by name.
///
/// ```swift
/// let mapping = try SchemaMapping(from: theirs, to: ours, .state)
/// var encoder = CBOREncoder()
/// try mapping.mapChange(&decoder, to: &encoder)
/// ```
///
/// Fields that the target does not have are left out, a case that it does not have is refused. What the target has and the
/// source has not stays absent, for the target's default. A type that is the same on both sides in all that it holds
/// is copied; the table that says so is made once, with the mapping.
///
/// What is written is deterministic if what is read is. The bytes of texts, numbers and other values without parts are
/// taken as they are, well-formed but whatever they are: those who read the result check them.
public struct SchemaMapping: Sendable {
  /// How deep values may be inside one another: a guard of the stack, with room for the readers' own limit, which counts
  /// only about one in three.
  static let depthLimit = CBORDecoder.nestingLimit

  /// Between which types a mapping goes.
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
  /// What the root is called where a path goes astray.
  let name: String
  let table: MappingTable
  let root: Int

  /// Makes a mapping from one schema to another.
  ///
  /// - Throws: What stands between the two types.
  /// - Complexity: O(pairs of types that meet × fields).
  public init(from source: Schema, to target: Schema, _ root: Root) throws(SchemaMismatch) {
    switch root {
    case .state: (pair, name) = (MappingTable.Pair(source: source.state, target: target.state), "the state")
    case .action: (pair, name) = (MappingTable.Pair(source: source.action, target: target.action), "the action")
    case .types(let mine, let theirs):
      guard mine.refers(below: source.definitions.count), theirs.refers(below: target.definitions.count) else {
        throw SchemaMismatch(description: "a type is not among its schema's definitions")
      }
      (pair, name) = (MappingTable.Pair(source: mine, target: theirs), source.name(of: mine))
    }
    var comparison = SchemaComparison(here: source, there: target)
    if let difference = comparison.difference([(pair.source, pair.target, name)]) {
      throw SchemaMismatch(description: difference)
    }
    (self.source, self.target) = (source, target)
    table = MappingTable(from: source, to: target, pair)
    // The root is the first to be entered.
    self.root = 0
  }

  /// The mapping of what stands at a place inside.
  init(_ whole: SchemaMapping, _ pair: MappingTable.Pair, at index: Int, name: String) {
    (source, target, table) = (whole.source, whole.target, whole.table)
    (self.pair, self.name, root) = (pair, name, index)
  }

  /// Whether bytes are the same on both sides, and copied.
  public var isIdentity: Bool {
    if case .verbatim = table.entries[root] { true } else { false }
  }

  /// Reads one value that was written for the source, and writes it for the target.
  ///
  /// - Throws: What is wrong with the bytes, or `unknownName` for a case that the target does not have. Nothing
  ///   is written then.
  /// - Complexity: O(bytes), and O(n log n) for members and keys whose order changes.
  public func mapValue(_ decoder: inout CBORDecoder, to encoder: inout CBOREncoder) throws(WireError) {
    try map(.value, &decoder, to: &encoder)
  }

  /// Reads one change (PROTOCOL.md, 10) that was written for the source, and writes it for the target.
  ///
  /// Applied to a mapped value it makes the mapped new value. The change of a field that the target does not have
  /// is left out; a change of which nothing remains is `{}`.
  /// - Throws: As `mapValue(_:to:)`.
  /// - Complexity: As `mapValue(_:to:)`.
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

/// In which of the two forms of PROTOCOL.md, 9 and 10, something is written.
enum MappingForm {
  case value
  case change
}
