public import Wire

extension Schema {
  /// The case path of the changes of a shared model's field, or of a whole shared model.
  ///
  /// In a hub that holds nothing but the model, the name is that of the field: `writablePath(named: "syncUps")`. If the
  /// model is part of a larger feature, the names of the cases that lead to it come first: `planner.syncUps`.
  /// - Throws: The first part that does not exist, or the reason why the path leads to no field.
  /// - Complexity: As `path(named:)`.
  public func writablePath(named text: String) throws(SchemaNameError) -> [PathStep] {
    var walk = ActionWalk(self, text)
    for token in try NameScanner.tokens(of: text) {
      if walk.isAtChange {
        throw walk.failure(token, "\(walk.stem(token)) is a field of a shared model, which is granted as a whole")
      }
      try walk.take(token)
    }
    guard walk.isAtChange || walk.isAtSharedModel else {
      throw SchemaNameError(text, 0..<text.utf8.count, "'\(text)' is an action and no field of a shared model")
    }
    return walk.steps
  }
}
