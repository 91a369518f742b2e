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
  /// there; a case that only one side has is refused only when it is sent. The order does not matter. What tells the
  /// elements of a collection apart (members of a set, keys of a dictionary, ids) has the same fields on both sides:
  /// without one of them, different elements would become one.
  /// - Complexity: O(pairs of types that meet × fields).
  public func compatibility(with other: Schema) -> SchemaCompatibility {
    if self == other { return .same }
    var comparison = SchemaComparison(here: self, there: other)
    let difference = comparison.difference([
      (state, other.state, "the state"), (action, other.action, "the action"),
    ])
    if let difference { return .incompatible(difference) }
    return comparison.keysDiffer ? .compatibleByName : .compatible
  }
}
