/// Whether two sides with different schemas understand each other.
public enum SchemaCompatibility: Hashable, Sendable {
  /// The schemas are the same.
  case same
  /// Each side reads the other's bytes as they are: it passes over what it does not know and has defaults for what it
  /// misses.
  case compatible
  /// By name each side has what the other needs, but some keys differ: bytes must be mapped by name.
  case compatibleByName
  /// One side has something that the other cannot do without; the sentence names the first.
  case incompatible(String)
}

extension Schema {
  /// Compares this schema with another side's.
  ///
  /// Types are compared by what is in them, fields and cases by name. A field that only one side has needs a default
  /// there; a case that only one side has is refused only when it is sent. The order does not matter.
  /// - Complexity: O(types × fields).
  public func compatibility(with other: Schema) -> SchemaCompatibility {
    if self == other { return .same }
    var comparison = SchemaComparison(here: self, there: other)
    if let difference = comparison.difference(state, other.state, at: "the state")
      ?? comparison.difference(action, other.action, at: "the action")
    {
      return .incompatible(difference)
    }
    return comparison.keysDiffer ? .compatibleByName : .compatible
  }
}

/// A walk over two schemas side by side.
private struct SchemaComparison {
  let here: Schema
  let there: Schema
  /// Whether a name has different keys, or a key different names.
  var keysDiffer = false
  /// The pairs of definitions that were compared, or are being compared.
  private var seen: Set<[Int]> = []

  init(here: Schema, there: Schema) {
    (self.here, self.there) = (here, there)
  }

  /// The first difference that matters, as a sentence.
  mutating func difference(_ mine: SchemaType, _ theirs: SchemaType, at place: String) -> String? {
    switch (mine, theirs) {
    case (.named(let mine, let parts), .named(let theirs, let otherParts)):
      guard mine == theirs, parts.count == otherParts.count else {
        let names = (name(.named(mine, parts), here), name(.named(theirs, otherParts), there))
        return "\(place) is of type \(names.0) here and \(names.1) there"
      }
      for (part, otherPart) in zip(parts, otherParts) {
        if let difference = difference(part, otherPart, at: place) { return difference }
      }
      return nil
    case (.definition(let mine), .definition(let theirs)):
      guard seen.insert([mine, theirs]).inserted else { return nil }
      return difference(here.definitions[mine], there.definitions[theirs], at: place)
    default:
      return "\(place) is of type \(name(mine, here)) here and \(name(theirs, there)) there"
    }
  }

  private mutating func difference(
    _ mine: Schema.Definition, _ theirs: Schema.Definition, at place: String
  ) -> String? {
    switch (mine.content, theirs.content) {
    case (.fields(let fields), .fields(let others)):
      noteKeys(fields.map { ($0.key, $0.name) }, others.map { ($0.key, $0.name) })
      return difference(of: fields, others, mine.name)
    case (.cases(let cases), .cases(let others)):
      noteKeys(cases.map { ($0.key, $0.name) }, others.map { ($0.key, $0.name) })
      return difference(of: cases, others, mine.name)
    case (.fields, .cases): return "\(place) is the struct \(mine.name) here and the enum \(theirs.name) there"
    case (.cases, .fields): return "\(place) is the enum \(mine.name) here and the struct \(theirs.name) there"
    }
  }

  private mutating func difference(of fields: [Schema.Field], _ others: [Schema.Field], _ type: String) -> String? {
    let named = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(fields.map(\.name))
    for field in fields {
      let place = "the field '\(field.name)' of \(type)"
      guard let other = named[field.name] else {
        if field.hasDefault { continue }
        return "\(place) is only here and has no default"
      }
      if let difference = difference(field.type, other.type, at: place) { return difference }
    }
    for other in others where !other.hasDefault && !names.contains(other.name) {
      return "the field '\(other.name)' of \(type) is only there and has no default"
    }
    return nil
  }

  private mutating func difference(of cases: [Schema.Case], _ others: [Schema.Case], _ type: String) -> String? {
    let named = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    for element in cases {
      guard let other = named[element.name] else { continue }
      let place = "the case '\(element.name)' of \(type)"
      guard element.payload.map(\.label) == other.payload.map(\.label) else {
        return "\(place) has other payload labels here (\(labels(element))) than there (\(labels(other)))"
      }
      for (value, otherValue) in zip(element.payload, other.payload) {
        if let difference = difference(value.type, otherValue.type, at: "the payload of \(place)") {
          return difference
        }
      }
    }
    return nil
  }

  private func labels(_ element: Schema.Case) -> String {
    element.payload.map { $0.label.isEmpty ? "_" : $0.label }.joined(separator: ", ")
  }

  private mutating func noteKeys(_ mine: [(key: UInt64, name: String)], _ theirs: [(key: UInt64, name: String)]) {
    let names = Dictionary(theirs.map { ($0.key, $0.name) }) { first, _ in first }
    let keys = Dictionary(theirs.map { ($0.name, $0.key) }) { first, _ in first }
    for (key, name) in mine where names[key] ?? name != name || keys[name] ?? key != key { keysDiffer = true }
  }

  private func name(_ type: SchemaType, _ schema: Schema) -> String {
    switch type {
    case .definition(let index): schema.definitions[index].name
    case .named(let name, let parts):
      parts.isEmpty ? name : "\(name)<\(parts.map { self.name($0, schema) }.joined(separator: ", "))>"
    }
  }
}
