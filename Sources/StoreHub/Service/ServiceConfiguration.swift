internal import HubCore
internal import ProgramOptions

/// What the command line of a service says.
struct ServiceConfiguration {
  var path: String
  var mode: UInt32
  var limits: HubLimits
  var stateDirectory: String?
  var durability: Durability
  var level: Log.Level
  /// How long a stop may take.
  var stopLimit: Duration

  /// The options of a service: those of every hub, and its own.
  static func options(of service: ServiceDescription) -> ProgramOptions {
    ProgramOptions(
      program: service.name, purpose: service.purpose, version: service.version, manualSection: 8,
      options: hubOptions(of: service) + service.options.map { .init($0.name, argument: $0.argument, $0.help) })
  }

  private static func hubOptions(of service: ServiceDescription) -> [ProgramOptions.Option] {
    [
      .init(
        "socket", short: "s", argument: "PATH", "the socket to listen on",
        default: defaultSocketPath(in: service.directory), value: .file),
      .init("mode", argument: "OCTAL", "permissions of the socket; default 600 (only you)"),
      .init(
        "state-dir", argument: "DIR",
        "store every action in DIR, and go on from there at the next start; `\(service.name) journal --help` tells how to "
          + "look at it", value: .file),
      .init(
        "durability", argument: "MODE",
        "sync: nothing is acknowledged before it is stored; async: the last 100 ms may be lost; memory: nothing is stored; "
          + "default sync with --state-dir, memory without", value: .words(["sync", "async", "memory"])),
      .init(
        "connections", argument: "N",
        "the most clients served at the same time; default 4096. If other users may connect, one user gets seven eighths"
      ),
      .init(
        "stop-limit", argument: "TIME",
        "how long a stop may take until everybody is told and everything stored, such as 500ms, 5s or 2m; then the process ends with status 1; default 10s"
      ),
      .init(
        "log-level", argument: "LEVEL", "error, warning, info or debug; default info",
        value: .words(Log.Level.allCases.map { "\($0)" })),
    ]
  }

  init(_ parsed: ParsedOptions, of service: ServiceDescription) throws(UsageError) {
    path = try parsed.socketPath("socket", default: defaultSocketPath(in: service.directory))
    mode = try parsed.permissions("mode", default: 0o600)
    limits = HubLimits()
    limits.connections = try parsed.integer("connections", in: 1...1_000_000, default: limits.connections)
    // Where others may connect, one user cannot take all places.
    if mode & 0o077 != 0 { limits.connectionsPerUser = limits.connections - limits.connections / 8 }
    level = try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info)
    stopLimit = try parsed.duration("stop-limit", default: .seconds(10))
    stateDirectory = parsed.string("state-dir")
    let mode: Durability? = try parsed.choice(
      "durability", of: [("sync", .sync), ("async", .async), ("memory", nil)],
      default: stateDirectory == nil ? nil : .sync)
    durability = mode ?? .sync
    if stateDirectory == "" { throw UsageError("--state-dir needs the path of a directory, but it is empty") }
    if mode == nil {
      stateDirectory = nil
    } else if stateDirectory == nil {
      throw UsageError("--durability \(mode == .sync ? "sync" : "async") needs --state-dir")
    }
    if !parsed.flag("socket") { try makeSocketDirectory(for: path) }
  }
}
