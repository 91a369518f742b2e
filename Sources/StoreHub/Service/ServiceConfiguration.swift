internal import Configuration
internal import HTTPServer
internal import HubCore
internal import ProgramOptions
internal import ServiceProcess
internal import Wire

/// The settings from a service's command line.
struct ServiceConfiguration {
  var path: String
  var mode: UInt32
  var limits: HubLimits
  var stateDirectory: String?
  var durability: Durability
  /// True if a state directory is given but not used.
  var storesNothing: Bool
  /// The operator's file, and true if it may be missing.
  var file: (path: String, isOptional: Bool)?
  var isOnlyChecked: Bool
  /// True to print the schema, and nothing else.
  var printsSchema: Bool
  /// The replay of a journal, in place of a hub.
  var replay: ReplayCommand?
  /// The check of a migration, in place of a hub.
  var migrate: MigrateCommand?
  /// True to begin a history where one is missing.
  var beginsHistory: Bool
  /// The address of the metrics endpoint.
  var metrics: HTTPAddress?
  /// The limit of connections on the command line.
  private var connections: Int?
  /// The settings of the region on the command line.
  private var region: [(setting: RegionSetting, value: String)] = []
  var level: Log.Level
  /// The time for which the loop polls without sleeping; nil for that of the files.
  private var busyPoll: Duration?
  /// The time limit for stopping.
  var stopLimit: Duration

  /// The options of every hub and of this service.
  static func options(of service: ServiceDescription) -> ProgramOptions {
    ProgramOptions(
      program: service.name, purpose: service.purpose, version: service.version, manualSection: 8,
      options: hubOptions(of: service) + service.options.map { .init($0.name, argument: $0.argument, $0.help) },
      subcommands: [ReplayCommand.declaration, MigrateCommand.declaration], elsewhere: ["journal": "storectl"],
      sections: manualSections(of: service))
  }

  private static func manualSections(of service: ServiceDescription) -> [ProgramOptions.Section] {
    [
      .init(
        "SIGNALS",
        [
          .terms([
            (
              "SIGTERM, SIGINT",
              "stop: send all pending output, store all actions, and exit; a second one exits at once"
            ),
            (
              "SIGHUP",
              """
              read the files of --config again; rights change at once, limits and the region at the next start. Without --config and \
              without a service manager: stop, because the terminal was closed
              """
            ),
            ("SIGUSR1", "log a summary of the activity"),
            (
              "SIGUSR2",
              "stop, and leave the connections to the next process; only under a service manager that keeps them"
            ),
          ])
        ]),
      .init("ENVIRONMENT", [.terms([socketVariable(in: service.directory)])]),
      .init(
        "EXIT STATUS",
        [
          .terms([
            ("0", "stopped in order"),
            ("1", "the hub could not start or store actions, or did not stop in time; another start may succeed"),
            ("2", "the command line or the configuration is wrong, or the history of the hub is missing"),
          ])
        ]),
    ]
  }

  private static func hubOptions(of service: ServiceDescription) -> [ProgramOptions.Option] {
    [
      .init(
        "socket", short: "s", argument: "PATH", "the socket to listen on",
        default: defaultSocketPath(in: service.directory), value: .file),
      .init("mode", argument: "OCTAL", "permissions of the socket; default 600 (only you)"),
      .init(
        "state-dir", argument: "DIR",
        "store every action in DIR, and restore the state at the next start; `storectl journal` checks and repairs it",
        value: .file),
      .init(
        "new-history",
        "begin an empty history in --state-dir although the hub had one there, which was removed; without it such a start "
          + "is refused, so that a backup can be restored"),
      .init(
        "durability", argument: "MODE",
        "sync: actions are acknowledged after they are stored; async: a crash may lose the last 100 ms; memory: nothing is "
          + "stored; default sync with --state-dir, memory without", value: .words(["sync", "async", "memory"])),
      .init(
        "connections", argument: "N",
        "the maximum number of clients; default 4096. If other users may connect, one user gets at most seven eighths"
      ),
      .init(
        "busy-poll", argument: "TIME",
        """
        poll for this time after each activity without sleeping, at most 10ms; default 0, never. Actions that follow each \
        other within this time are answered faster, by the time that a process takes to wake, but a core is busy while \
        there is traffic: only for machines with a core to spare
        """),
      .init(
        "stop-limit", argument: "TIME",
        "the time limit for notifying clients and storing actions when the hub stops, such as 500ms, 1.5s or 2m; after it the process ends with status 1; default 10s"
      ),
      .init(
        "config", argument: "FILE",
        "read limits, rights and the region from FILE and FILE.d/*.conf, see storehub.conf(5); with a dash before FILE it may be missing; "
          + "without this option only the owner, root and the group storehub may connect", value: .file),
      .init(
        "time-zone", argument: "NAME",
        """
        the time zone that reducers read (`\\.timeZone`, `\\.calendar`), such as Europe/Berlin or GMT+02:00; default GMT. \
        The journal has it with each turn, and clients learn it when they connect
        """),
      .init("calendar", argument: "NAME", "the calendar that reducers read, such as iso8601; default gregorian"),
      .init("locale", argument: "NAME", "the locale that reducers read, such as de_DE; default en_US_POSIX"),
      .init(
        "metrics", argument: "ADDRESS",
        """
        serve metrics for Prometheus at /metrics, and the health at /health, on the path of a Unix socket, whose \
        permissions are those of --mode, or on a port of 127.0.0.1, which every user of this machine can read; a socket \
        with the name metrics from the service manager is served without this option
        """),
      .init("check-config", "check and print the configuration, and exit; the status is 0 if it is valid"),
      .init(
        "print-schema",
        "print the schema of the state and the actions in hexadecimal, for `storectl journal --schema`, and exit"),
      .init(
        "log-level", argument: "LEVEL", "error, warning, info or debug; default info",
        value: .words(Log.Level.allCases.map { "\($0)" })),
    ]
  }

  init(_ parsed: ParsedOptions, of service: ServiceDescription) throws(UsageError) {
    replay = parsed.command == ReplayCommand.name ? try ReplayCommand(parsed) : nil
    migrate = parsed.command == MigrateCommand.name ? try MigrateCommand(parsed) : nil
    let servesNothing = replay != nil || migrate != nil
    path = !servesNothing ? try parsed.socketPath("socket", default: defaultSocketPath(in: service.directory)) : ""
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
    printsSchema = parsed.flag("print-schema")
    beginsHistory = parsed.flag("new-history")
    if beginsHistory, parsed.string("state-dir") == nil { throw UsageError("--new-history needs --state-dir") }
    if let address = parsed.string("metrics") {
      metrics = HTTPAddress(address)
      if metrics == nil {
        throw UsageError("--metrics needs a path with a slash or a port from 1 to 65535, not '\(address)'")
      }
      if metrics == .path(path) { throw UsageError("--metrics and --socket need different paths, not both \(path)") }
    }
    level = try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info)
    busyPoll = try parsed.busyPoll()
    stopLimit = try parsed.duration("stop-limit", default: .seconds(10))
    for setting in RegionSetting.allCases {
      guard let value = parsed.string(setting.rawValue) else { continue }
      var checked = RegionalSettings.standard
      do throws(RegionError) { try setting.set(value, in: &checked) } catch {
        throw UsageError("--\(setting.rawValue): \(error)")
      }
      region.append((setting, value))
    }
    stateDirectory = parsed.string("state-dir")
    let mode: Durability? = try parsed.choice(
      "durability", of: [("sync", .sync), ("async", .async), ("memory", nil)],
      default: stateDirectory == nil ? nil : .sync)
    durability = mode ?? .sync
    if stateDirectory == "" { throw UsageError("--state-dir needs the path of a directory, but it is empty") }
    storesNothing = mode == nil
    if mode != nil, stateDirectory == nil {
      throw UsageError("--durability \(mode == .sync ? "sync" : "async") needs --state-dir")
    }
    if !parsed.flag("socket"), !isOnlyChecked, !printsSchema, !servesNothing { try makeSocketDirectory(for: path) }
  }

  /// Returns the limits and rights from the command line and the operator's files. The command line takes precedence.
  ///
  /// - Parameters:
  ///   - schema: The schema of the feature, to whose parts rights are granted.
  ///   - views: The schema of its views; nil if it declares none.
  func operated(_ schema: Schema, _ views: Schema?) throws(ConfigurationError) -> OperatorConfiguration {
    var operated = try OperatorConfiguration(limits: limits)
    if let file { try operated.read(file.path, schema: schema, views: views, isRequired: !file.isOptional) }
    if let connections { operated.limits.connections = connections }
    if let busyPoll { operated.busyPoll = busyPoll }
    for (setting, value) in region { operated.region[keyPath: setting.path] = value }
    // When other users may connect, one user cannot take all connections.
    if mode & 0o077 != 0, !operated.limitsInFiles.contains("connections-per-user") {
      operated.limits.connectionsPerUser = operated.limits.connections - operated.limits.connections / 8
    }
    return operated
  }
}
