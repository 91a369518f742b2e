/// The id of an element, which equals another one as in the hub: zero equals minus zero, and canonically equivalent texts
/// are equal. Everywhere else values are compared by their bytes.
package struct ElementID: Hashable, Sendable {
  /// The id with its own bytes.
  package let value: CBORValue

  package init(_ value: CBORValue) { self.value = value }

  /// False if only an id with the same bytes equals this one. True for zero, and for a text whose characters Unicode may
  /// write differently.
  package var mayHaveOtherForms: Bool { Self.mayHaveOtherForms(value) }

  private static func mayHaveOtherForms(_ value: CBORValue) -> Bool {
    switch value {
    // Of ASCII, the Kelvin sign, the Greek question mark and the Greek varia are other forms of three characters.
    case .text(let text): text.utf8.contains { $0 >= 0x80 || "K;`".utf8.contains($0) }
    case .float(let bits): bits << 1 == 0
    case .map(let pairs): pairs.contains { mayHaveOtherForms($0.key) || mayHaveOtherForms($0.value) }
    case .tagged(_, let value): mayHaveOtherForms(value)
    default: value.items?.contains(where: mayHaveOtherForms) ?? false
    }
  }

  package static func == (a: Self, b: Self) -> Bool { isSame(a.value, b.value) }

  private static func isSame(_ a: CBORValue, _ b: CBORValue) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)): a == b
    case (.float(let a), .float(let b)): a == b || (a | b) << 1 == 0
    case (.map(let a), .map(let b)):
      a.count == b.count && zip(a, b).allSatisfy { isSame($0.key, $1.key) && isSame($0.value, $1.value) }
    case (.tagged(let tagA, let a), .tagged(let tagB, let b)): tagA == tagB && isSame(a, b)
    default:
      if let a = a.items, let b = b.items {
        a.count == b.count && zip(a, b).allSatisfy { isSame($0, $1) }
      } else {
        a == b
      }
    }
  }

  package func hash(into hasher: inout Hasher) { Self.hash(value, into: &hasher) }

  private static func hash(_ value: CBORValue, into hasher: inout Hasher) {
    switch value {
    case .text(let text): hasher.combine(text)
    case .float(let bits): hasher.combine(bits << 1 == 0 ? 0 : bits)
    case .map(let pairs):
      hasher.combine(pairs.count)
      for pair in pairs {
        hash(pair.key, into: &hasher)
        hash(pair.value, into: &hasher)
      }
    case .tagged(let tag, let value):
      hasher.combine(tag)
      hash(value, into: &hasher)
    default:
      guard let items = value.items else { return value.hash(into: &hasher) }
      hasher.combine(items.count)
      for item in items { hash(item, into: &hasher) }
    }
  }
}
