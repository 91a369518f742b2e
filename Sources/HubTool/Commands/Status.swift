internal import Glibc
internal import ProgramOptions
internal import ReplicaCore
internal import Terminal
internal import Wire

extension Tool {
  func status() async throws(ToolFailure) {
    let hub = try await connect()
    // The first answer may include the time until the session began.
    var (latency, revision) = try await hub.ping()
    for _ in 0..<2 {
      let next = try await hub.ping()
      (latency, revision) = (min(latency, next.latency), next.revision)
    }
    let clients = try await hub.subscribe(to: [], of: .hub)
    let attendees = Attendees(clients.mirror.value).all
    let figures = Figures(try await hub.subscribe(to: [], of: .metrics).mirror.value, attendees)
    let count = attendees.count
    let schema = hub.schema(of: .feature)
    let fingerprint = "\(schema.fingerprint)"
    if isJSON {
      return print([
        "hub": .string(hub.hubName), "socket": .string(path), "revision": .integer(revision),
        "clients": .integer(count),
        "latencyMicroseconds": .integer(latency.microseconds), "schema": .string(fingerprint),
        "figures": figures?.json ?? .null,
      ])
    }
    let rows =
      [
        ("hub", ValueText.safe(hub.hubName)), ("socket", path), ("revision", "\(revision)"),
        ("clients", "\(count), this one included"), ("latency", latency.inMilliseconds),
        ("schema", "\(schema.definitions.count) types, \(fingerprint.prefix(16))…"),
      ] + (figures?.rows ?? [])
    print(rows.map { palette.name($0) + String(repeating: " ", count: 10 - $0.count) + $1 })
  }

  func clients() async throws(ToolFailure) {
    let hub = try await connect()
    let clients = Attendees(try await hub.subscribe(to: [], of: .hub).mirror.value).all
    if isJSON {
      for client in clients { print(client.json) }
      return
    }
    print(Attendees.table(clients, palette, width: width))
  }
}

/// The attached clients, from the hub's own state.
struct Attendees {
  let all: [Attendee]

  init(_ value: CBORValue?) {
    let bytes = value?.encoded() ?? []
    all = (try? HubState(decoding: bytes.span.bytes)).map { Array($0.attendees) } ?? []
  }

  static func table(_ clients: [Attendee], _ palette: Palette, width: Int?) -> [String] {
    let rows = clients.map { ["\($0.id)", "\($0.process)", $0.userName ?? "\($0.user)", ValueText.safe($0.name)] }
    return Table.lines(["ID", "PROCESS", "USER", "NAME"], rows, palette, width: width)
  }
}

extension Attendee {
  /// The name of the user on this machine.
  var userName: String? { getpwuid(user).map { String(cString: $0.pointee.pw_name) } }

  var json: JSONValue {
    [
      "id": .integer(id), "name": .string(name), "process": .integer(process), "user": .integer(user),
      "userName": userName.map { .string($0) } ?? .null,
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
