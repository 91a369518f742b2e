internal import Configuration
internal import HTTPServer
internal import HubCore
internal import ProgramOptions
internal import Wire

/// The settings from a service's command line.
struct ServiceConfiguration {
  var path: String
  var mode: UInt32
  var limits: HubLimits
  var stateDirectory: String?
  var durability: Durability
  /// The operator's file, and true if it may be missing.
  var file: (path: String, isOptional: Bool)?
  var isOnlyChecked: Bool
  /// The address of the metrics endpoint.
  var metrics: HTTPAddress?
  /// The limit of connections on the command line.
  private var connections: Int?
  var level: Log.Level
  /// The time limit for stopping.
  var stopLimit: Duration

  /// The options of every hub and of this service.
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
        "config", argument: "FILE",
        "read limits and rights from FILE and FILE.d/*.conf, storehub.conf(5); a FILE behind a dash may be missing; without "
          + "it only the owner, root and the group storehub are let in", value: .file),
      .init(
        "metrics", argument: "ADDRESS",
        "serve figures for Prometheus at /metrics: the path of a Unix socket, or a port of 127.0.0.1"),
      .init("check-config", "check the configuration, print it, and exit: with 0 if it can be used"),
      .init(
        "log-level", argument: "LEVEL", "error, warning, info or debug; default info",
        value: .words(Log.Level.allCases.map { "\($0)" })),
    ]
  }

  init(_ parsed: ParsedOptions, of service: ServiceDescription) throws(UsageError) {
    path = try parsed.socketPath("socket", default: defaultSocketPath(in: service.directory))
    mode = try parsed.permissions("mode", default: 0o600)
    limits = HubLimits()
    if parsed.string("connections") != nil {
      connections = try parsed.integer("connections", in: 1...1_000_000, default: limits.connections)
    }
    if let path = parsed.string("config") {
      file = path.hasPrefix("-") ? (String(path.dropFirst()), true) : (path, false)
      if file?.path.isEmpty == true { throw UsageError("--config needs the path of a file, but it is empty") }
    }
    isOnlyChecked = parsed.flag("check-config")
    if let address = parsed.string("metrics") {
      metrics = HTTPAddress(address)
      if metrics == nil {
        throw UsageError("--metrics needs a path with a slash or a port from 1 to 65535, not “\(address)”")
      }
    }
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
    if !parsed.flag("socket"), !isOnlyChecked { try makeSocketDirectory(for: path) }
  }

  /// Returns the limits and rights from the command line and the operator's files. The command line takes precedence.
  ///
  /// - Parameter schema: The schema of the feature, to whose parts rights are granted.
  func operated(_ schema: Schema) throws(ConfigurationError) -> OperatorConfiguration {
    var operated = OperatorConfiguration(limits: limits)
    if let file { try operated.read(file.path, schema: schema, isRequired: !file.isOptional) }
    if let connections { operated.limits.connections = connections }
    // When other users may connect, one user cannot take all connections.
    if mode & 0o077 != 0, operated.limits.connectionsPerUser == .max {
      operated.limits.connectionsPerUser = operated.limits.connections - operated.limits.connections / 8
    }
    return operated
  }
}
