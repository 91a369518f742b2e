import Features
import Glibc
import HTTPClient
import ProgramOptions
import StoreHub

// The hub: serves the state that all clients share, until it gets SIGTERM or SIGINT.

let options = ProgramOptions(
  program: "storehubd", purpose: "Serves a store to many processes, on a Unix socket.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the socket to listen on; default \(defaultSocketPath())"),
    .init("mode", argument: "OCTAL", "permissions of the socket; default 600 (only you)"),
    .init("connections", argument: "N", "the most clients served at the same time; default 4096"),
    .init("fact-url", argument: "URL", "get facts from the web service at URL/NUMBER/trivia; default: built in"),
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
  let path = try parsed.socketPath("socket", default: defaultSocketPath())
  let mode = try parsed.permissions("mode", default: 0o600)
  let factURL = parsed.string("fact-url")
  if let factURL { try checkFactURL(factURL) }
  let level = try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info)
  if !parsed.flag("socket") { try makeSocketDirectory(for: path) }
  return Configuration(path: path, mode: mode, limits: limits, factURL: factURL, level: level)
}

func checkFactURL(_ url: String) throws(UsageError) {
  do throws(HTTPError) {
    guard try WebAddress(url).hasQueryOrFragment else { return }
  } catch {
    throw UsageError("--fact-url: \(error)")
  }
  throw UsageError("--fact-url: “\(url)” must not have a query or a fragment, because a path is appended to it")
}

let log = Log(program: "storehubd", level: configuration.level)

do {
  let descriptors = raiseDescriptorLimit()
  // Besides the clients' sockets: the loop, the listener, the log, and requests to a web service.
  if descriptors < UInt(configuration.limits.connections) + 64 {
    log.write(
      .warning,
      """
      this process may open \(descriptors) files, too few for \(configuration.limits.connections) connections; raise the \
      limit (LimitNOFILE= or ulimit -Hn), or lower --connections
      """)
  }
  let loop = try EventLoop()
  try loop.drainMainQueue()
  try log.summarise(on: loop)
  let http = try HTTPClient(loop: loop)
  let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()) {
    if let url = configuration.factURL { $0.numberFact = .service(at: url, over: http) }
  } onEvent: {
    AppFeature.actions(for: $0, in: $1)
  }

  // Installed before the socket is there: whoever sees the socket may send a signal at once.
  var server: HubServer?
  var status: Int32 = 0
  let stop = { (reason: String) in
    log.write(.info, "stopping: \(reason)")
    server?.stop(reason: "the hub stops: \(reason)") { loop.stop() }
  }
  let terminate = try Signal(on: loop, SIGTERM) { stop("received SIGTERM") }
  let interrupt = try Signal(on: loop, SIGINT) { stop("received SIGINT") }
  server = try HubServer(
    engine, limits: configuration.limits, name: "storehubd \(storeHubVersion)", loop: loop, path: configuration.path,
    mode: configuration.mode, log: log)
  server?.onSocketLost = { _ in
    status = 1
    stop("another program has taken over \(configuration.path)")
  }
  log.write(.info, "listening on \(configuration.path)")
  loop.run()
  terminate.close()
  interrupt.close()
  log.flush()
  log.write(.info, "stopped")
  exit(status)
} catch {
  log.write(.error, "\(error)")
  exit(1)
}
