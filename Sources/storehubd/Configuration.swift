import Features
import HTTPClient
import ProgramOptions
import StoreHub

/// What the command line says.
struct Configuration {
  var path: String
  var mode: UInt32
  var limits: HubLimits
  var stateDirectory: String?
  var durability: Durability
  var factURL: String?
  var level: Log.Level

  static let options = ProgramOptions(
    program: "storehubd", purpose: "Serves a store to many processes, on a Unix socket.", manualSection: 8,
    options: [
      .init("socket", short: "s", argument: "PATH", "the socket to listen on", default: defaultSocketPath()),
      .init("mode", argument: "OCTAL", "permissions of the socket; default 600 (only you)"),
      .init(
        "state-dir", argument: "DIR",
        "store every action in DIR, and go on from there at the next start; `storehubd journal --help` tells how to look at it"
      ),
      .init(
        "durability", argument: "MODE",
        "sync: nothing is acknowledged before it is stored; async: the last 100 ms may be lost; memory: nothing is stored; "
          + "default sync with --state-dir, memory without"),
      .init(
        "connections", argument: "N",
        "the most clients served at the same time; default 4096. If other users may connect, one user gets seven eighths"
      ),
      .init("fact-url", argument: "URL", "get facts from the web service at URL/NUMBER/trivia; default: built in"),
      .init("log-level", argument: "LEVEL", "error, warning, info or debug; default info"),
    ])

  init(_ parsed: ParsedOptions) throws(UsageError) {
    path = try parsed.socketPath("socket", default: defaultSocketPath())
    mode = try parsed.permissions("mode", default: 0o600)
    limits = HubLimits()
    limits.connections = try parsed.integer("connections", in: 1...1_000_000, default: limits.connections)
    // Where others may connect, one user cannot take all places.
    if mode & 0o077 != 0 { limits.connectionsPerUser = limits.connections - limits.connections / 8 }
    level = try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info)
    factURL = parsed.string("fact-url")
    if let factURL { try Self.checkFactURL(factURL) }
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

  private static func checkFactURL(_ url: String) throws(UsageError) {
    do throws(HTTPError) {
      guard try WebAddress(url).hasQueryOrFragment else { return }
    } catch {
      throw UsageError("--fact-url: \(error)")
    }
    throw UsageError("--fact-url: “\(url)” must not have a query or a fragment, because a path is appended to it")
  }
}
