import EventLoop
import FactService
import Features
import Glibc
import HTTPClient
import HubCore
import ProgramOptions
import StoreHub

// The hub: the state that every client shares, on one socket, until it is told to stop.

let options = ProgramOptions(
  program: "storehubd", purpose: "Serves a store that many processes share, on a Unix socket.",
  options: [
    .init("socket", short: "s", argument: "PATH", "where to listen; default \(defaultSocketPath())"),
    .init("mode", argument: "OCTAL", "permissions of the socket; default 600, this user alone"),
    .init("connections", argument: "N", "how many clients are served at once; default 4096"),
    .init("fact-url", argument: "URL", "ask the web service at URL/NUMBER/trivia for facts, not this program"),
    .init("log-level", argument: "LEVEL", "error, warning, info or debug; default info"),
  ])

struct Configuration {
  var path: String
  var mode: UInt32
  var limits: HubLimits
  var factURL: String?
  var level: Log.Level
}

let configuration = options.read { (parsed) throws(UsageError) -> Configuration in
  var limits = HubLimits()
  limits.connections = try parsed.integer("connections", in: 1...1_000_000, default: limits.connections)
  let path = parsed.string("socket") ?? defaultSocketPath()
  if !parsed.flag("socket") { try makeSocketDirectory(for: path) }
  return Configuration(
    path: path, mode: try parsed.permissions("mode", default: 0o600), limits: limits,
    factURL: parsed.string("fact-url"),
    level: try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info))
}

let log = Log(program: "storehubd", level: configuration.level)

do {
  let loop = try EventLoop()
  try loop.drainMainQueue()
  let http = try HTTPClient(loop: loop)
  let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()) {
    if let url = configuration.factURL { $0.numberFact = .service(at: url, over: http) }
  }

  // Watched before the socket is there: whoever sees it may already want the hub to stop, and leave nothing behind.
  var server: HubServer?
  let stop = { (name: String) in
    log.write(.info, "stopping on \(name)")
    server?.stop(reason: "the hub stops on \(name)") { loop.stop() }
  }
  let terminate = try Signal(on: loop, SIGTERM) { stop("SIGTERM") }
  let interrupt = try Signal(on: loop, SIGINT) { stop("SIGINT") }
  server = try HubServer(
    engine, limits: configuration.limits, name: "storehubd \(storeHubVersion)", loop: loop, path: configuration.path,
    mode: configuration.mode, log: log)
  log.write(.info, "listening on \(configuration.path)")
  loop.run()
  terminate.close()
  interrupt.close()
  log.write(.info, "stopped")
} catch {
  log.write(.error, "\(error)")
  exit(1)
}
