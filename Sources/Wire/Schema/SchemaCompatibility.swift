/// The compatibility of two sides with different schemas.
public enum SchemaCompatibility: Hashable, Sendable {
  /// The schemas are the same.
  case same
  /// Each side can read the other's bytes unchanged: it skips unknown fields and has defaults for missing ones.
  case compatible
  /// Each side has the fields that the other needs, but some keys differ, so bytes must be mapped by name.
  case compatibleByName
  /// One side requires something that the other does not have; the sentence names the first difference.
  case incompatible(String)
}

extension Schema {
  /// Compares this schema with another side's.
  ///
  /// Types are compared by their contents, fields and cases by name. A field that only one side has needs a default
  /// there; a case that only one side has is refused only when it is sent. The order does not matter. The values that
  /// distinguish the elements of a collection (members of a set, keys of a dictionary, ids) must have the same fields
  /// on both sides: without one of them, different elements would become equal. Two states without a common field belong
  /// to different features, and are incompatible.
  /// - Complexity: O(corresponding pairs of types × fields).
  public func compatibility(with other: Schema) -> SchemaCompatibility {
    if self == other { return .same }
    var comparison = SchemaComparison(here: self, there: other)
    let difference = comparison.difference([
      (state, other.state, "the state"), (action, other.action, "the action"),
    ])
    if let difference = difference ?? self.difference(ofFeaturesFrom: other) { return .incompatible(difference) }
    return comparison.keysDiffer ? .compatibleByName : .compatible
  }
}
