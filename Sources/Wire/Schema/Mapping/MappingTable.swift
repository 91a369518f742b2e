/// The mapping of bytes for every pair of types that correspond.
///
/// The parts of a type are indices in the table, so types may be recursive.
struct MappingTable: Sendable {
  enum Entry: Sendable {
    /// The bytes are the same on both sides.
    case verbatim
    /// Each text is replaced, whatever its depth; all other bytes are the same.
    case texts
    case structure(Fields)
    case enumeration(Cases)
    case optional(Int)
    case array(Int)
    /// Ids, elements as values, and elements as changes.
    case identified(id: Int, element: Int, change: Int)
    case set(Int)
    case dictionary(key: Int, value: Int)
    case result([Int])
    /// An array of parts that only change together.
    case tuple([Int])
    /// A change of a value that can be merged into any version of it.
    case sharedChange(of: Int)
  }

  /// The fields of a struct that both sides have, in the order of the source's keys.
  struct Fields: Sendable {
    struct Field: Sendable {
      let source, target: UInt64
      let value: Int
    }

    /// The name of the target.
    let name: String
    let fields: [Field]
    /// The names of the source's fields that the target does not have, by their keys.
    let missing: [UInt64: String]
    /// True if the target's keys are in the same order.
    let isOrdered: Bool

    /// The source's field with this key.
    /// - Complexity: O(log n).
    func field(_ source: UInt64) -> Field? { fields.find(source, \.source) }
  }

  /// The cases of the source's enum, in the order of their keys.
  struct Cases: Sendable {
    struct Case: Sendable {
      let source: UInt64
      let name: String
      /// The key in the target, if it has the case.
      let target: UInt64?
      let payloadCount: Int
      /// An index for each value of the payload, if the target has the case.
      let values: [Int]
    }

    let source, target: String
    let cases: [Case]

    /// The source's case with this key.
    /// - Complexity: O(log n).
    func element(_ source: UInt64) -> Case? { cases.find(source, \.source) }
  }

  struct Pair: Hashable {
    let source, target: SchemaType
  }

  private(set) var entries: [Entry] = []
  private var indices: [Pair: Int] = [:]

  /// The index of a pair of types in the table, if it occurs.
  func index(of pair: Pair) -> Int? { indices[pair] }
}

extension Array {
  /// The element with this key, in an array sorted by keys.
  fileprivate func find(_ key: UInt64, _ keyOf: (Element) -> UInt64) -> Element? {
    // Most types are small and have consecutive keys from 0.
    if let index = Int(exactly: key), index < count, keyOf(self[index]) == key { return self[index] }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if keyOf(self[middle]) < key { low = middle + 1 } else { high = middle }
    }
    return low < count && keyOf(self[low]) == key ? self[low] : nil
  }
}

extension MappingTable {
  /// Creates the table of two types and of all pairs that correspond inside them.
  ///
  /// The types must have been compared before: the bytes of types of different kinds are copied.
  /// - Parameter replacesTexts: True if texts are replaced.
  /// - Complexity: O(corresponding pairs of types × fields).
  init(from source: Schema, to target: Schema, _ root: Pair, replacesTexts: Bool = false) {
    var builder = Builder(source: source, target: target, replacesTexts: replacesTexts)
    _ = builder.index(of: root)
    builder.fill()
    (entries, indices) = (builder.shortened(), builder.indices)
  }

  private struct Builder {
    let source, target: Schema
    let replacesTexts: Bool
    var indices: [Pair: Int] = [:]
    private var entries: [Entry] = []
    /// True if keys, names or their number differ in the entry itself.
    private var differs: [Bool] = []
    private var pending: [Pair] = []

    init(source: Schema, target: Schema, replacesTexts: Bool) {
      (self.source, self.target, self.replacesTexts) = (source, target, replacesTexts)
    }

    mutating func index(of pair: Pair) -> Int {
      if let index = indices[pair] { return index }
      // Its index is reserved before its parts are visited.
      let index = add(.verbatim)
      indices[pair] = index
      pending.append(pair)
      return index
    }

    private mutating func add(_ entry: Entry) -> Int {
      entries.append(entry)
      differs.append(false)
      return entries.count - 1
    }

    mutating func fill() {
      while let pair = pending.popLast() {
        guard let index = indices[pair] else { continue }
        entries[index] = entry(pair, at: index)
      }
    }

    private mutating func entry(_ pair: Pair, at index: Int) -> Entry {
      switch (pair.source, pair.target) {
      case (.definition(let source), .definition(let target)):
        entry(self.source.definitions[source], self.target.definitions[target], at: index)
      case (.named(let name, let parts), .named(_, let otherParts)):
        entry(name, zip(parts, otherParts).map { self.index(of: Pair(source: $0, target: $1)) })
      default: .verbatim
      }
    }

    private mutating func entry(_ name: String, _ parts: [Int]) -> Entry {
      switch NamedLayout(name, parts.count) {
      case nil:
        let isText = ["String", "Substring", "Character", "TextState"].contains(name)
        return isText && replacesTexts ? .texts : .verbatim
      case .optional: return .optional(parts[0])
      case .array: return .array(parts[0])
      case .identified: return .identified(id: parts[0], element: parts[1], change: parts[1])
      case .set: return .set(parts[0])
      case .dictionary: return .dictionary(key: parts[0], value: parts[1])
      case .result: return .result(parts)
      case .range: return .tuple([parts[0], parts[0]])
      case .change: return .sharedChange(of: parts[0])
      case .stack:
        let id = add(.verbatim)
        return .identified(id: id, element: add(.tuple([id, parts[0]])), change: parts[0])
      case .button: return button(parts[0])
      case .alert:
        let (same, button) = (label(), add(button(parts[0])))
        return .tuple([same, same, add(.array(button))])
      case .dialog:
        let (same, button) = (label(), add(button(parts[0])))
        return .tuple([same, same, same, add(.array(button))])
      }
    }

    private mutating func button(_ action: Int) -> Entry {
      let same = label()
      return .tuple([same, add(.optional(action)), same])
    }

    /// A part of a prompt that both sides have in the same form.
    private mutating func label() -> Int { add(replacesTexts ? .texts : .verbatim) }

    private mutating func entry(
      _ source: Schema.Definition, _ target: Schema.Definition, at index: Int
    ) -> Entry {
      switch (source.content, target.content) {
      case (.fields(let fields), .fields(let others)):
        let partners = CorrespondingMembers(fields, others).partners
        differs[index] = !Self.isSame(fields, others, partners)
        var (mapped, missing): ([Fields.Field], [UInt64: String]) = ([], [:])
        for (field, partner) in zip(fields, partners) {
          guard let other = partner.map({ others[$0] }) else {
            missing[field.key] = field.name
            continue
          }
          let value = self.index(of: Pair(source: field.type, target: other.type))
          mapped.append(Fields.Field(source: field.key, target: other.key, value: value))
        }
        let isOrdered = zip(mapped, mapped.dropFirst()).allSatisfy { $0.target < $1.target }
        return .structure(Fields(name: target.name, fields: mapped, missing: missing, isOrdered: isOrdered))
      case (.cases(let cases), .cases(let others)):
        let partners = CorrespondingMembers(cases, others).partners
        differs[index] = !Self.isSame(cases, others, partners)
        var mapped: [Cases.Case] = []
        for (element, partner) in zip(cases, partners) {
          let other = partner.map { others[$0] }
          let values = zip(element.payload, other?.payload ?? []).map {
            self.index(of: Pair(source: $0.type, target: $1.type))
          }
          mapped.append(
            Cases.Case(
              source: element.key, name: element.name, target: other?.key, payloadCount: element.payload.count,
              values: values))
        }
        return .enumeration(Cases(source: source.name, target: target.name, cases: mapped))
      default: return .verbatim
      }
    }

    /// True if corresponding members have the same keys and none has no partner.
    private static func isSame<Member: SchemaMember>(
      _ mine: [Member], _ theirs: [Member], _ partners: [Int?]
    ) -> Bool {
      mine.count == theirs.count
        && zip(mine, partners).allSatisfy { member, partner in partner.map { theirs[$0].key } == member.key }
    }

    /// The entries, in which types without differences at any depth are verbatim.
    func shortened() -> [Entry] {
      var users = [[Int]](repeating: [], count: entries.count)
      for (index, entry) in entries.enumerated() {
        for part in entry.parts { users[part].append(index) }
      }
      var differs = differs
      for (index, entry) in entries.enumerated() { if case .texts = entry { differs[index] = true } }
      var pending = differs.indices.filter { differs[$0] }
      while let index = pending.popLast() {
        for user in users[index] where !differs[user] {
          differs[user] = true
          pending.append(user)
        }
      }
      return entries.indices.map { differs[$0] ? entries[$0] : .verbatim }
    }
  }
}

extension MappingTable.Entry {
  fileprivate var parts: [Int] {
    switch self {
    case .verbatim, .texts: []
    case .structure(let fields): fields.fields.map(\.value)
    case .enumeration(let cases): cases.cases.flatMap(\.values)
    case .optional(let part), .array(let part), .set(let part), .sharedChange(let part): [part]
    case .identified(let id, let element, let change): [id, element, change]
    case .dictionary(let key, let value): [key, value]
    case .result(let parts), .tuple(let parts): parts
    }
  }
}
