internal import CXXHash
internal import IdentifiedCollections

extension SchemaValues {
  /// The hash of a value, which equals that of the typed value in the hub.
  ///
  /// An identified array inside a type that only its own code reads is hashed by its bytes, and thus not as in the hub.
  /// - Precondition: `type` is one of the schema's, and the value was read as this type.
  /// - Complexity: O(size of the value).
  public func hash(of value: CBORValue, as type: SchemaType) -> StateHash {
    StateHash(value: digest(summary(of: value, as: type)))
  }

  private func digest(_ summary: CBORValue) -> UInt64 {
    unsafe summary.encoded().withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
  }

  /// The value with each identified array replaced by its count and the hash of its elements' hashes (PROTOCOL.md, 13).
  private func summary(of value: CBORValue, as type: SchemaType) -> CBORValue {
    switch type {
    case .definition(let index):
      switch (schema.definitions[index].content, value) {
      case (.fields(let fields), .map(let pairs)):
        return .map(
          pairs.map { pair in
            guard let field = fields.first(where: { .unsigned($0.key) == pair.key }) else { return pair }
            return CBORValue.Pair(key: pair.key, value: summary(of: pair.value, as: field.type))
          })
      case (.cases(let cases), .array(let items)):
        guard let (element, values) = SchemaValues.element(of: value, cases) else { return value }
        return .array([items[0]] + zip(values, element.payload).map { summary(of: $0, as: $1.type) })
      default: return value
      }
    case .named(let name, let parts):
      guard let layout = NamedLayout(name, parts.count) else { return value }
      return summary(of: value, layout, parts)
    }
  }

  private func summary(of value: CBORValue, _ layout: NamedLayout, _ parts: [SchemaType]) -> CBORValue {
    switch (layout, value) {
    case (.optional, .array(let items)), (.array, .array(let items)):
      return .array(items.map { summary(of: $0, as: parts[0]) })
    case (.dictionary, .map(let pairs)):
      return .map(pairs.map { CBORValue.Pair(key: $0.key, value: summary(of: $0.value, as: parts[1])) })
    case (.result, .array(let items)) where items.count == 2:
      guard case .unsigned(let key) = items[0], key < 2 else { return value }
      return .array([items[0], summary(of: items[1], as: parts[Int(key)])])
    case (.identified, _): return value.items.map { sequence($0.lazy.map { summary(of: $0, as: parts[1]) }) } ?? value
    case (.stack, _):
      guard let items = value.items else { return value }
      return sequence(
        items.lazy.map { item in
          guard case .array(let pair) = item, pair.count == 2 else { return item }
          return .array([pair[0], summary(of: pair[1], as: parts[0])])
        })
    case (.button, .array(let items)) where items.count == 3:
      return .array([items[0], summary(of: items[1], as: .named("Optional", parts)), items[2]])
    case (.alert, .array(let items)), (.dialog, .array(let items)):
      guard let buttons = items.last else { return value }
      return .array(items.dropLast() + [summary(of: buttons, as: .named("Array", [.named("ButtonState", parts)]))])
    default: return value
    }
  }

  private func sequence(_ summaries: some Collection<CBORValue>) -> CBORValue {
    let hash = summaries.reduce(0) { SequenceHash.appending(digest($1), to: $0) }
    let numbers = [UInt64(summaries.count), hash]
    return .bytes(numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } })
  }
}
