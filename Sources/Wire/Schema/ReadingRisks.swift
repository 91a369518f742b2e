/// The reasons why values of a type may be written as bytes that the type's own decoder refuses.
///
/// They follow from the type's schema and from what its parts tell a `SchemaBuilder` beyond it. A type without risks
/// needs no checks: whatever its encoders write can be read back.
package struct ReadingRisks: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Values may be nested deeper than `CBORDecoder.depthLimit`, because a type contains itself.
  package static let depth = ReadingRisks(rawValue: 1)
  /// Items may be nested deeper than `CBORDecoder.nestingLimit` within values that are not too deep.
  package static let nesting = ReadingRisks(rawValue: 2)
  /// A part may have a value that its decoder refuses, such as a NaN as a key.
  package static let values = ReadingRisks(rawValue: 4)
  /// Different keys, members or ids may have the same bytes, because a part of them is not written.
  package static let keys = ReadingRisks(rawValue: 8)

  /// The risks of a type.
  /// - Complexity: O(types in the schema)².
  package init<Value: WireValue>(of type: Value.Type) {
    var builder = SchemaBuilder()
    let root = type.schema(in: &builder)
    var search = RiskSearch(builder)
    search.visit(root)
    self = search.risks
    if builder.hasUnwritableValues { insert(.values) }
  }
}

/// A search of the types in a schema for risks.
private struct RiskSearch {
  private let builder: SchemaBuilder
  private(set) var risks: ReadingRisks = []
  /// The height of each visited definition above the values without parts; nil while its parts are visited.
  private var heights: [Int: Int?] = [:]

  init(_ builder: SchemaBuilder) { self.builder = builder }

  private var definitions: [Schema.Definition] { builder.definitions }

  mutating func visit(_ root: SchemaType) {
    // Each type adds at most one level to the depth, and two items to the nesting of a change.
    if height(of: root) > CBORDecoder.depthLimit { risks.insert(.depth) }
    if risks.contains(.depth) {
      var nesting = NestingBound(definitions)
      if !nesting.isWithinLimit(root) { risks.insert(.nesting) }
    }
  }

  private mutating func height(of type: SchemaType) -> Int {
    switch type {
    case .definition(let index):
      if let known = heights[index] {
        guard let known else {
          risks.insert(.depth)
          return 0
        }
        return known
      }
      heights[index] = .some(nil)
      var height = 0
      for part in definitions[index].parts { height = max(height, self.height(of: part)) }
      heights[index] = height + 1
      return height + 1
    case .named(let name, let parts):
      check(name, parts)
      var height = 0
      for part in Self.types(in: name, parts) { height = max(height, self.height(of: part)) }
      return height + 1
    }
  }

  /// The parts of a named type that are types: the first part of others is their name.
  private static func types(in name: String, _ parts: [SchemaType]) -> ArraySlice<SchemaType> {
    switch name {
    case "opaque": []
    case "raw": parts.dropFirst()
    default: parts[...]
    }
  }

  private mutating func check(_ name: String, _ parts: [SchemaType]) {
    switch NamedLayout(name, parts.count) {
    case .set, .dictionary: checkKey(parts[0])
    case .identified:
      checkKey(parts[0])
      // An id that is no replicated field may be computed from a field that is not written.
      let isField = if case .definition(let index) = parts[1] { !definitions[index].id.isEmpty } else { false }
      if !isField { risks.formUnion(losses(of: parts[1])) }
    case .range:
      // Bounds that were not checked.
      if contains(parts[0], where: isIrreflexive) { risks.insert(.values) }
    case nil:
      if isRestricted(.named(name, parts)) { risks.insert(.values) }
    default: break
    }
  }

  private mutating func checkKey(_ type: SchemaType) {
    if contains(type, where: isIrreflexive) { risks.insert(.values) }
    risks.formUnion(losses(of: type))
  }

  /// The risk that different values of a type have the same bytes.
  private func losses(of type: SchemaType) -> ReadingRisks {
    let isLossy = contains(type) { part in
      if case .definition(let index) = part { return builder.omitting.contains(index) }
      return isForeign(part)
    }
    return isLossy ? .keys : []
  }

  /// Returns true for types with a value that is not equal to itself.
  private func isIrreflexive(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type, parts.isEmpty else { return false }
    return ["Double", "Float", "Date", "Decimal"].contains(name)
  }

  /// Returns true for types whose decoders may refuse what their encoders write.
  private func isRestricted(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type else { return false }
    if name == "raw", parts.count == 2, case .named(let type, _) = parts[0] {
      return builder.restricted.contains(type)
    }
    return isForeign(type)
  }

  /// Returns true for types that only their own code can read, and for texts that must have a form.
  private func isForeign(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type, NamedLayout(name, parts.count) == nil else { return false }
    if name == "raw", parts.count == 2 { return false }
    return !parts.isEmpty || !Self.plain.contains(name)
  }

  /// The types of which every value can be read back.
  private static let plain: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "UInt128",
    "Float", "Double", "Duration", "Never", "String", "Substring", "Character", "Unicode.Scalar", "Data", "Date",
    "UUID",
    "StackElementID", "TextState",
  ]

  /// Returns true if a type, or one that it contains at any depth, satisfies a condition.
  private func contains(_ type: SchemaType, where condition: (SchemaType) -> Bool) -> Bool {
    var (seen, waiting): (Set<Int>, [SchemaType]) = ([], [type])
    while let next = waiting.popLast() {
      if condition(next) { return true }
      switch next {
      case .definition(let index):
        if seen.insert(index).inserted { waiting += definitions[index].parts }
      case .named(let name, let parts): waiting += Self.types(in: name, parts)
      }
    }
    return false
  }
}

/// The nesting of the items of a change whose values are not too deep.
private struct NestingBound {
  private let definitions: [Schema.Definition]
  private let rules: SchemaReadingRules
  private var chains: [Int: Int?] = [:]
  /// The most items of one level: a value that counts for the depth, and those up to the next one.
  private var widest = 0
  private var isBounded = true
  /// Values that count for the depth, with their items, whose parts were not visited yet.
  private var levels: [(items: Int, parts: [SchemaType])] = []

  init(_ definitions: [Schema.Definition]) {
    (self.definitions, rules) = (definitions, SchemaReadingRules(definitions))
  }

  /// Returns true if the items stay within `CBORDecoder.nestingLimit`.
  mutating func isWithinLimit(_ root: SchemaType) -> Bool {
    let first = chain(from: root)
    while let level = levels.popLast() { widest = max(widest, level.items + longest(level.parts)) }
    // A value without parts is at most an array of numbers.
    return isBounded && first + CBORDecoder.depthLimit * widest + 2 <= CBORDecoder.nestingLimit
  }

  /// The items of a change from a type to the next value that counts for the depth.
  private mutating func chain(from type: SchemaType) -> Int {
    switch type {
    case .definition(let index):
      if let known = chains[index] {
        // A property wrapper, of which the schema does not tell.
        isBounded = isBounded && known != nil
        return known ?? 0
      }
      chains[index] = .some(nil)
      let items = if case .cases = definitions[index].content { 2 } else { 1 }
      // An indirect enum counts for the depth itself.
      let isLevel = rules.countsForDepth(type)
      let length = isLevel ? level(items, definitions[index].parts) : items + longest(definitions[index].parts)
      chains[index] = length
      return length
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .array, .set, .dictionary, .identified: return level(2, parts)
      case .stack: return level(3, parts)
      case .optional where name == "PresentationState": return level(1, parts)
      case .optional, .result, .range: return 1 + longest(parts)
      // Any item is read, and refused when it is merged.
      case .change: return 0
      // A map, its buttons, and what a button has around its action.
      case .button, .alert, .dialog: return 8 + longest(parts)
      case nil: return 0
      }
    }
  }

  private mutating func level(_ items: Int, _ parts: [SchemaType]) -> Int {
    levels.append((items, parts))
    return 0
  }

  private mutating func longest(_ parts: [SchemaType]) -> Int {
    var longest = 0
    for part in parts { longest = max(longest, chain(from: part)) }
    return longest
  }
}

extension Schema.Definition {
  /// The types of the fields or payloads.
  var parts: [SchemaType] {
    switch content {
    case .fields(let fields): fields.map(\.type)
    case .cases(let cases): cases.flatMap { $0.payload.map(\.type) }
    }
  }
}
