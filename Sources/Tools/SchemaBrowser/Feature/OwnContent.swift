internal import SchemaNames
internal import TurnLog
internal import Wire

// The screens that every hub has.

extension Browser.State {
  /// The content of a tab that is not about the state, and of the root; nil for any other part.
  var ownContent: PageContent? {
    switch tab.content {
    case .part: nil
    case .root: past == nil && page?.path.isEmpty == true ? rootContent : nil
    case .clients: clients
    case .activity:
      .table(
        TableContent(
          Self.activityColumns, shownActivity.map { PageRow($0.id, [$0.time, $0.who, $0.what], opens: true) }))
    case .hub: .form(status)
    }
  }

  /// The leaves of the root, and the parts that are tabs of their own; nil for a root that has no fields.
  private var rootContent: PageContent? {
    guard let hub, let readable, case .definition(let index) = hub.schema.state,
      case .fields(let fields) = hub.schema.definitions[index].content
    else { return nil }
    let readableFields = fields.filter { hub.rights?.permitAttaching([.key($0.key)]) ?? true }
    if readableFields.isEmpty, !fields.isEmpty { return .absent("this user may not read the whole state") }
    lazy var requested = Set(scopes)
    let rows = readableFields.filter { !PromptPlace.holds($0.type) }.compactMap { field -> PageRow? in
      let name = NameText.name(field.name)
      guard !ReadableValue.isNested(field.type, hub.schema) else {
        return .ofOwnScreen(name)
      }
      guard case .found(let part) = found(at: name) else {
        return requested.contains(name) ? nil : .ofOwnScreen(name)
      }
      return PageRow(.init(name: name, type: part.type, value: part.value), readable)
    }
    return rows.isEmpty ? .loading : .form(rows)
  }

  // MARK: Clients

  private static let clientColumns = texts(["Client", "User", "Process", "Actions/s", "Attached"], title: 0)
  private static let activityColumns = texts(["Time", "Who", "Action"], title: 2)

  /// Columns of texts, of which the one with an index is never left out.
  private static func texts(_ titles: [String], title: Int) -> [PageColumn] {
    titles.enumerated().map { index, text in
      PageColumn(
        name: text.lowercased(), title: text, content: .key, type: .named("String"), isTitle: index == title)
    }
  }

  private var clients: PageContent {
    guard let attendees = figures.attendees else { return .absent("this user may not read the list of clients") }
    return .table(
      TableContent(
        Self.clientColumns,
        attendees.map { client in
          let name = client.name.isEmpty ? "?" : client.name
          let rate = figures.rates[client.id] ?? 0
          let texts = [
            client.process == figures.ownProcess ? "\(name) (you)" : name, userName(client.user),
            client.process > 0 || client.node.isEmpty ? client.processText : "node \(client.node)",
            rate > 0 ? TimeText.decimal(rate, digits: rate < 10 ? 1 : 0) : "–", client.partsText,
          ]
          return PageRow("\(client.id)", texts, opens: true)
        }))
  }

  private func userName(_ user: UInt32) -> String { figures.users[user] ?? "\(user)" }

  /// All that is known of a client.
  func details(ofClient name: String) -> [String] {
    guard let client = figures.attendees?.first(where: { "\($0.id)" == name }) else { return [] }
    let since =
      client.since > 0
      ? TimeText.date(Double(client.since) / 1000, configuration.format.dates, now: Double(wallTime) / 1000) : "unknown"
    let node = client.node.isEmpty ? [] : ["node      \(ReadableValue.safe(client.node))"]
    return ["name      \(ReadableValue.safe(client.name))"] + node + [
      "process   \(client.processText)",
      "user      \(userName(client.user)) (\(client.user))", "since     \(since)",
      "held      \(client.heldBytes) bytes",
      "attached  \(ReadableValue.safe(client.partsText))",
    ]
  }

  /// The logged actions that match the filter.
  var shownActivity: [ActivityLine] {
    guard let filter = page?.order.filter, !filter.isEmpty else { return activity }
    return activity.filter { filter.matches([$0.who, $0.what]) }
  }

  // MARK: The hub

  private var status: [PageRow] {
    var pairs: [(String, String)] = [
      ("Hub", hub?.name ?? ""), ("Socket", figures.socket), ("Revision", "\(figures.revision)"),
    ]
    if let cluster = figures.metrics?.cluster {
      pairs.append(("Cluster", cluster.summary))
      if cluster.staleSince > 0 {
        let now = Double(wallTime) / 1000
        pairs.append(
          ("Stale since", TimeText.date(Double(cluster.staleSince) / 1000, configuration.format.dates, now: now)))
      }
      if let clocks = cluster.clockSummary { pairs.append(("Clock", "that of \(clocks)")) }
    }
    if let attendees = figures.attendees { pairs.append(("Clients", "\(attendees.count)")) }
    if let metrics = figures.metrics {
      pairs += [
        ("Durability", metrics.durability.isEmpty ? "unknown" : metrics.durability),
        ("State", Self.bytes(metrics.stateBytes)), ("Held", Self.bytes(metrics.heldBytes)),
        ("Scopes", "\(metrics.subscriptions)"), ("Refused", "\(metrics.refused)"), ("Rejected", "\(metrics.rejected)"),
        ("Turns not stored", "\(metrics.unstoredTurns)"),
        ("Longest turn", TimeText.duration(Double(metrics.longestTurn) / 1e6, .units)),
      ]
    }
    return pairs.map { PageRow($0, [$0, $1]) }
  }

  static func bytes(_ count: UInt64) -> String {
    count < 10_000 ? "\(count) bytes" : count < 10_000_000 ? "\(count / 1000) kB" : "\(count / 1_000_000) MB"
  }
}
