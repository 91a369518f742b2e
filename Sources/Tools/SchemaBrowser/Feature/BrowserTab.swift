internal import SchemaNames
package import Wire

/// A tab: a part of the root of the state, or one of the screens that every hub has.
package struct BrowserTab: Equatable, Sendable, Identifiable {
  /// What a tab shows.
  package enum Content: Equatable, Sendable {
    /// The part of the state at a path.
    case part(String)
    /// All leaves of the root together.
    case root
    /// The attached clients.
    case clients
    /// The logged actions.
    case activity
    /// The hub's figures.
    case hub
  }

  /// The name in the configuration: that of the part, or `state`, `clients`, `activity`, `hub`.
  package let id: String
  package var title: String
  package let content: Content

  package init(_ id: String, _ title: String, _ content: Content) {
    (self.id, self.title, self.content) = (id, title, content)
  }

  /// The path of the uppermost page; nil for a tab that is not about the state.
  package var path: String? {
    switch content {
    case .part(let path): path
    case .root: ""
    case .clients, .activity, .hub: nil
    }
  }

  /// The tabs for a schema: one for the values of the root that have no parts, and one for each other part; then the
  /// screens that every hub has. Of a part that this user may not read as a whole, there is one for each readable part.
  package static func all(
    for schema: Schema, mayReadHub: Bool, hasJournal: Bool, rights: ClientRights? = nil
  ) -> [BrowserTab] {
    var tabs: [BrowserTab] = []
    if case .definition(let index) = schema.state, case .fields(let fields) = schema.definitions[index].content {
      let parts = fields.filter { ReadableValue.isNested($0.type, schema) && !PromptPlace.holds($0.type) }
      let mayRead = { (field: Schema.Field) in rights?.permitAttaching([.key(field.key)]) ?? true }
      let leaves = fields.filter { field in !parts.contains { $0.key == field.key } }
      if leaves.contains(where: mayRead) || fields.isEmpty { tabs.append(BrowserTab("state", "State", .root)) }
      for part in parts {
        if mayRead(part) {
          tabs.append(BrowserTab(part.name, Wording.title(part.name), .part(NameText.name(part.name))))
        } else {
          tabs += (rights?.readableParts(of: part, in: schema) ?? []).map { BrowserTab($0, $0, .part($0)) }
        }
      }
      // What most users want to see first stands first.
      if tabs.count > 1, tabs[0].content == .root { tabs.append(tabs.removeFirst()) }
    } else {
      tabs.append(BrowserTab("state", "State", .root))
    }
    if mayReadHub { tabs.append(BrowserTab("clients", "Clients", .clients)) }
    if hasJournal { tabs.append(BrowserTab("activity", "Activity", .activity)) }
    if mayReadHub { tabs.append(BrowserTab("hub", "Hub", .hub)) }
    return tabs
  }
}
