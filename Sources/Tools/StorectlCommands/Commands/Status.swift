internal import EventLoop
internal import Glibc
internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Terminal
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let status = Self(
    "status",
    "show whether a hub is running, its revision and response time, what it has refused and what it holds",
    details: [
      .text(
        """
        What users without the right to read the hub's own state may not see is unknown, and null with --json. To a \
        user with limited rights it shows which parts the user may read and which actions it may send, named as in the \
        hub's configuration; with --json, null stands for all.
        """)
    ])

  nonisolated static let clients = Self(
    "clients", "list the clients of the hub",
    options: [.init("rates", short: "r", "also measure the actions per second of each client and user")],
    details: [
      .text(
        """
        Shows for each its number, its process and user, since when it is connected, the bytes that the hub holds for \
        it (unfinished input, unread output, unacknowledged rejections and unsent refusals of parts), its name, and \
        the parts of the state to which it subscribes. After a restart of the hub, the time is that of the restart.
        """),
      .text(
        """
        In a cluster, it also shows the node to whose hub the client is connected. The hub that leads lists those of \
        other nodes, too, but knows neither their processes (-, and null with --json) nor the parts to which they \
        subscribe.
        """),
      .text(
        """
        --rates takes two to three seconds, since a hub publishes its counters once a second. With --json, it adds \
        actionsPerSecond to each client, and a last object with the users. top shows the same continuously.
        """),
    ])
}

extension Tool {
  func status() async throws(ToolFailure) {
    let hub = try await connect()
    // The first answer may include the time until the session began.
    var (latency, revision) = try await hub.ping()
    for _ in 0..<2 {
      let next = try await hub.ping()
      (latency, revision) = (min(latency, next.latency), next.revision)
    }
    // Unknown to users without the right to read the hub's own state.
    let attendees = try await hub.subscribeIfPermitted(to: .hub).map { Attendees($0.mirror.value).all }
    let metrics = try await hub.subscribeIfPermitted(to: .metrics)
    let figures = Figures(metrics?.mirror.value, attendees ?? [])
    let schema = hub.schema(of: .feature)
    let fingerprint = "\(schema.fingerprint)"
    let grantsViews = hub.rights.map { !$0.readableViews.isEmpty } ?? false
    let own = OwnRights(hub.rights, schema, views: grantsViews ? try await hub.views() : nil)
    if isJSON {
      return print([
        "hub": .string(hub.hubName), "socket": .string(path), "revision": .integer(revision),
        "clients": attendees.map { .integer($0.count) } ?? .null,
        "latencyMicroseconds": .integer(latency.microseconds), "schema": .string(fingerprint),
        "rights": own.json, "figures": figures?.json ?? .null,
      ])
    }
    let rows =
      [
        ("hub", ValueText.safe(hub.hubName)), ("socket", path), ("revision", "\(revision)"),
        ("clients", attendees.map { "\($0.count), this one included" } ?? "unknown, as this user may not read them"),
        ("latency", latency.inMilliseconds),
        ("schema", "\(counted(schema.definitions.count, "type")), \(fingerprint.prefix(16))…"),
      ] + own.rows + (figures?.rows ?? [])
    print(rows.map { palette.name($0) + String(repeating: " ", count: 10 - $0.count) + $1 })
  }

  func clients() async throws(ToolFailure) {
    let hub = try await connect()
    let list = try await hub.subscribe(to: [], of: .hub)
    let deadline = loop.preciseNow + .milliseconds(1500)
    // A hub with other subscribers publishes scopes once a second; the list is complete once it has this one.
    while !Attendees(list.mirror.value).includesScopes(of: getpid()), loop.preciseNow < deadline {
      try await hub.sleep(.milliseconds(20))
    }
    let rates = options.flag("rates") ? try await measuredRates(hub) : nil
    let clients = Attendees(list.mirror.value).all
    if isJSON {
      for client in clients { print(client.json(rates)) }
      if let rates { print(["users": rates.json(ofUsersOf: clients)]) }
      return
    }
    print(Attendees.table(clients, palette, width: width, rates: rates))
    guard let rates else { return }
    print([""] + Attendees.userTable(clients, palette, rates, width: width))
  }

  /// Measures the actions per second between two publications of the hub's counters.
  private func measuredRates(_ hub: HubConnection) async throws(ToolFailure) -> SenderRates {
    var rates = SenderRates()
    var mirror: TypedMirror<HubMetrics>?
    mirror = hub.followMetrics { [loop] in
      if let metrics = mirror?.part { rates.take(metrics, at: loop.preciseNow) }
    }
    let deadline = loop.preciseNow + .seconds(5)
    while rates.intervals < 2, loop.preciseNow < deadline {
      // Reads are events too, without which a hub publishes nothing.
      _ = try await hub.ping()
      try await hub.sleep(.milliseconds(100))
    }
    return rates
  }
}

/// The attached clients, from the hub's own state.
struct Attendees {
  let all: [Attendee]

  init(_ value: CBORValue?) {
    let bytes = value?.encoded() ?? []
    all = (try? HubState(decoding: bytes.span.bytes)).map { Array($0.attendees) } ?? []
  }

  /// Returns true if the list has the scopes of a process, or the process is not in it. An older hub lists no scopes,
  /// and no times either.
  func includesScopes(of process: Int32) -> Bool {
    !all.contains { $0.process == process && $0.scopes == 0 && $0.since > 0 }
  }

  /// - Parameter rates: The actions per second, for a column of their own.
  static func table(
    _ clients: [Attendee], _ palette: Palette, width: Int?, rates: SenderRates? = nil
  ) -> [String] {
    let nameLimit = width.map { max($0 / 4, 8) }
    // Those of a cluster have a node.
    let hasNodes = clients.contains { !$0.node.isEmpty }
    let rows = clients.map { client in
      let name = ValueText.safe(client.name)
      let node = client.node.isEmpty ? "-" : ValueText.safe(client.node)
      return ["\(client.id)"] + (hasNodes ? [node] : []) + [
        client.processText, Users.name(client.user),
        client.since > 0 ? Moment.short(Int64(clamping: client.since)) : "-", "\(client.heldBytes)",
      ] + (rates.map { ["\(($0.rates[client.id] ?? 0).nearestInteger)"] } ?? []) + [
        nameLimit.map { TextWidth.fit(name, columns: $0) } ?? name, client.partsText,
      ]
    }
    let head =
      ["ID"] + (hasNodes ? ["NODE"] : []) + ["PROCESS", "USER", "SINCE", "HELD"]
      + (rates == nil ? [] : ["ACTIONS/S"]) + ["NAME", "PARTS"]
    return Table.lines(head, rows, palette, width: width)
  }

  static func userTable(_ clients: [Attendee], _ palette: Palette, _ rates: SenderRates, width: Int?) -> [String] {
    let rows = rates.users(of: clients).map { user, count, rate in
      [Users.name(user), "\(count)", "\(rate.nearestInteger)"]
    }
    return Table.lines(["USER", "CLIENTS", "ACTIONS/S"], rows, palette, width: width)
  }
}

extension Attendee {
  /// - Parameter rates: The actions per second, if they were measured.
  func json(_ rates: SenderRates?) -> JSONValue {
    var members: [JSONValue.Member] = []
    if case .object(let own) = json { members = own }
    if let rates { members.append(.init("actionsPerSecond", .integer((rates.rates[id] ?? 0).nearestInteger))) }
    return .object(members)
  }

  private var json: JSONValue {
    [
      "id": .integer(id), "name": .string(name), "node": node.isEmpty ? .null : .string(node),
      "process": process > 0 ? .integer(process) : .null, "user": .integer(user),
      "userName": userName(user).map { .string($0) } ?? .null,
      "since": since > 0 ? .string(Moment.json(Int64(clamping: since))) : .null,
      "heldBytes": .integer(Int64(clamping: heldBytes)), "scopes": .integer(Int64(clamping: scopes)),
      "parts": .array(parts.map { ["root": StateRoot(rawValue: $0.root).json, "path": .string($0.path)] }),
    ]
  }
}

nonisolated extension Duration {
  var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

  /// The duration as text, such as `0.42 ms`.
  var inMilliseconds: String {
    let hundredths = (microseconds + 5) / 10
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
  }
}
