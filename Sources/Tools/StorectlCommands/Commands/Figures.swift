internal import JSONText
internal import ProgramOptions
internal import SchemaNames
internal import Wire

/// The hub's figures, as `storectl status` shows them.
struct Figures {
  let metrics: HubMetrics
  /// The number of attached users.
  let userCount: Int

  init?(_ value: CBORValue?, _ clients: [Attendee]) {
    let bytes = value?.encoded() ?? []
    guard let metrics = try? HubMetrics(decoding: bytes.span.bytes) else { return nil }
    (self.metrics, userCount) = (metrics, Set(clients.map(\.user)).count)
  }

  /// The rows for refusals and for the hub's resources. They come after the rows that are shown for every hub.
  var rows: [(String, String)] {
    (metrics.cluster.map { [("cluster", $0.text)] } ?? []) + [
      ("users", "\(userCount)"), ("scopes", scopes),
      ("sessions", "\(metrics.opened) opened, \(metrics.resumed) resumed; \(kept)"),
      ("refused", refusals), ("state", Self.bytes(metrics.stateBytes)),
      ("held", "\(Self.bytes(metrics.heldBytes)) of frames; \(counted(metrics.keptVersions, "version"))"),
      ("journal", journal),
      ("turns", slowest),
    ]
  }

  var json: JSONValue {
    func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }
    return [
      "users": .integer(userCount), "connections": number(metrics.connections), "accepted": number(metrics.accepted),
      "refusedConnections": number(metrics.refused), "failedConnections": number(metrics.failed),
      "rejectedActions": number(metrics.rejected), "sessionsOpened": number(metrics.opened),
      "sessionsResumed": number(metrics.resumed), "sessionsDetached": number(metrics.detachedSessions),
      "heldBytes": number(metrics.heldBytes), "stateBytes": number(metrics.stateBytes),
      "versions": number(metrics.keptVersions), "unstoredTurns": number(metrics.unstoredTurns),
      "durability": metrics.durability.isEmpty ? .null : .string(metrics.durability),
      "longestTurnMicroseconds": number(metrics.longestTurn),
      "subscriptions": number(metrics.subscriptions), "places": .array(metrics.places.map(\.json)),
      "cluster": metrics.cluster?.json ?? .null,
    ]
  }

  /// The number of attached scopes, and the places with the most of them.
  private var scopes: String {
    guard metrics.subscriptions > 0 else { return "none attached" }
    let shown = metrics.places.prefix(3)
    var places = shown.map { "\($0.name) (\($0.subscribers))" }
    let listed = Self.sum(shown.map(\.subscribers))
    if metrics.subscriptions > listed { places.append("other parts (\(metrics.subscriptions - listed))") }
    return "\(metrics.subscriptions) attached: " + places.joined(separator: ", ")
  }

  private var journal: String {
    if metrics.durability == "memory" { return "none; the state is only in memory" }
    let waiting = metrics.unstoredTurns == 0 ? "nothing waits" : counted(metrics.unstoredTurns, "turn") + " wait"
    return metrics.durability.isEmpty ? waiting : "\(ValueText.safe(metrics.durability)); \(waiting)"
  }

  private var kept: String { "\(metrics.detachedSessions) without a connection" }

  /// The refusals since the start of the hub's process.
  private var refusals: String {
    guard [metrics.refused, metrics.failed, metrics.rejected] != [0, 0, 0] else { return "nothing" }
    return [
      (metrics.refused, "connection", "not permitted"),
      (metrics.failed, "connection", "closed for an error or a limit"),
      (metrics.rejected, "action", "rejected"),
    ].filter { $0.0 > 0 }.map { "\(counted($0.0, $0.1)) \($0.2)" }.joined(separator: ", ")
  }

  /// The longest turns of the loop, which delay all clients.
  private var slowest: String {
    let long = Self.sum(metrics.turnTimes.dropFirst(5))
    guard metrics.turnTimes.contains(where: { $0 > 0 }) else { return "none measured" }
    let longest = metrics.longestTurn < 1000 ? "less than 1 ms" : "\((metrics.longestTurn - 1) / 1000 + 1) ms at most"
    return "the longest took \(longest); \(long) took 16 ms or more"
  }

  /// Returns the sum, or the largest number: numbers from a hub may be of any size.
  private static func sum(_ numbers: some Sequence<UInt64>) -> UInt64 {
    numbers.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
  }

  /// Returns a size as text, such as `3 bytes` or `17 KiB`.
  static func bytes(_ count: UInt64) -> String {
    if count < 10 << 10 { return counted(count, "byte") }
    return count < 10 << 20 ? "\(count >> 10) KiB" : "\(count >> 20) MiB"
  }
}

extension Double {
  /// The nearest integer, or the largest one: numbers from a hub may be of any size.
  var nearestInteger: Int64 { Int64(exactly: rounded()) ?? .max }
}

extension StateRoot {
  var json: JSONValue {
    switch self {
    case .feature: "feature"
    case .hub: "hub"
    case .metrics: "metrics"
    case .views: "views"
    default: .integer(rawValue)
    }
  }
}

extension SubscribedPlace {
  /// The place as users call it.
  var name: String { StateRoot(rawValue: root).name(ofPart: path) }

  var json: JSONValue {
    ["root": StateRoot(rawValue: root).json, "path": .string(path), "subscribers": .integer(subscribers)]
  }

  static func table(_ places: [SubscribedPlace], _ palette: Palette, width: Int?) -> [String] {
    Table.lines(["SCOPES", "PART"], places.map { ["\($0.subscribers)", $0.name] }, palette, width: width)
  }
}

extension ViewFigures {
  var json: JSONValue {
    [
      "name": .string(name), "values": .integer(values), "computations": .integer(computations),
      "microseconds": .integer(microseconds), "longestMicroseconds": .integer(longest),
    ]
  }

  /// The views that have taken the most time.
  static func table(_ views: [ViewFigures], _ palette: Palette, width: Int?) -> [String] {
    Table.lines(
      ["VIEW", "VALUES", "COMPUTED", "TIME", "LONGEST"],
      views.prefix(8).map {
        [
          $0.name, "\($0.values)", "\($0.computations)",
          Duration.microseconds(Int64(clamping: $0.microseconds)).inMilliseconds,
          Duration.microseconds(Int64(clamping: $0.longest)).inMilliseconds,
        ]
      }, palette, width: width)
  }
}
