internal import JSONText
internal import SchemaNames
internal import Wire

/// What the user of the tool may do, with the names of the hub's configuration.
struct OwnRights {
  /// The parts that may be read; nil for all.
  private let read: [String]?
  /// The actions that may be sent; nil for all.
  private let send: [String]?

  /// Names the rights; nil stands for all, or for those that a hub does not tell.
  init(_ rights: ClientRights?, _ schema: Schema, views: Schema?) {
    let granted = views.map { schema in (rights?.readableViews ?? []).compactMap { try? schema.name(of: $0) } } ?? []
    let ofViews = granted.map { RootedPath.viewPrefix + $0 }
    read = rights?.readablePaths.map { paths in paths.compactMap { try? schema.name(of: $0) } + ofViews }
    send = rights?.actionPrefixes?.compactMap { schema.actionPath(ofPrefix: $0).flatMap(schema.name(ofAction:)) }
  }

  /// The rows for people; none for a user who may do everything.
  var rows: [(String, String)] {
    guard read != nil || send != nil else { return [] }
    return [("may read", Self.text(read)), ("may send", Self.text(send))]
  }

  var json: JSONValue {
    func names(_ names: [String]?) -> JSONValue { names.map { .array($0.map { .string($0) }) } ?? .null }
    return ["read": names(read), "send": names(send)]
  }

  private static func text(_ names: [String]?) -> String {
    guard let names else { return "everything" }
    return names.isEmpty ? "nothing" : names.map { ValueText.safe($0) }.joined(separator: ", ")
  }
}
