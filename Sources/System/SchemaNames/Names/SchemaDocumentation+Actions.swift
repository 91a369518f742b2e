public import Wire

extension SchemaDocumentation {
  /// The comment of an action: of the last case that its path names; nil if there is none.
  ///
  /// - Parameters:
  ///   - path: The path, from ``Wire/Schema/actionPath(named:)``.
  ///   - schema: The schema that the documentation belongs to.
  /// - Complexity: O(steps × cases).
  public func text(ofAction path: [PathStep], in schema: Schema) -> String? {
    guard case .key(let key)? = path.last else { return nil }
    var place = ActionPlace(schema.action)
    for step in path.dropLast() { guard place.take(step, in: schema) else { return nil } }
    guard case .definition(let index)? = place.type else { return nil }
    return text(ofMember: key, of: index)
  }
}
