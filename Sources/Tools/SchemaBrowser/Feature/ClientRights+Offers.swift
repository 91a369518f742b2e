internal import SchemaNames
internal import Wire

// What a browser offers its user.

extension ClientRights {
  /// Returns true if actions may be sent whose first cases are these. Of a collection's elements it may be only some.
  func permitActions(of path: [PathStep], in schema: Schema) -> Bool {
    guard let actionPrefixes else { return true }
    guard let known = schema.actionPrefix(of: path) else { return false }
    return actionPrefixes.contains { known.starts(with: $0) || $0.starts(with: known) }
  }

  /// Returns true if the part with a name may be attached.
  func permitAttaching(named path: String, in schema: Schema) -> Bool {
    guard readablePaths != nil else { return true }
    guard let part = try? schema.part(named: path, allowsWindow: true) else { return false }
    return permitAttaching(part.steps)
  }

  /// The names of the readable parts inside a field of the root that may not be read as a whole.
  func readableParts(of field: Schema.Field, in schema: Schema) -> [String] {
    let inside = (readablePaths ?? []).filter { $0.count > 1 && $0[0] == .key(field.key) }
    var names: [String] = []
    for path in inside where !inside.contains(where: { $0.count < path.count && path.starts(with: $0) }) {
      if let name = try? schema.name(of: path), !names.contains(name) { names.append(name) }
    }
    return names
  }
}
