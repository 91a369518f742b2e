package import Wire

/// A place in one of a hub's states. In users' notation, `view:` precedes the path of a view, as in `view:open[0..<50]`.
package struct RootedPath: Hashable, Sendable {
  /// The state: the feature's, or its views.
  package let root: StateRoot
  /// The steps from there.
  package let path: [PathStep]

  /// Creates a place.
  package init(_ root: StateRoot, _ path: [PathStep]) { (self.root, self.path) = (root, path) }

  /// What precedes the name of a view.
  package static let viewPrefix = "view:"

  /// The path after the prefix of a view; nil for a part of the feature's state.
  package static func viewPath(in text: String) -> String? {
    text.hasPrefix(viewPrefix) ? String(text.dropFirst(viewPrefix.count)) : nil
  }
}

extension Schema {
  /// The names of the views of which this is the schema, in their order.
  var viewNames: [String] {
    guard case .definition(let index) = state, case .fields(let fields) = definitions[index].content else { return [] }
    return fields.map(\.name)
  }
}
