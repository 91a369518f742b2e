import Features
import Glibc
import HTTPClient
import ProgramOptions
import StoreHub

// The hub: serves the state that all clients share, until it gets SIGTERM or SIGINT.

if CommandLine.arguments.dropFirst().first == "journal" {
  exit(journalOptions.read(Array(CommandLine.arguments.dropFirst(2)), runJournalCommand))
}
let configuration = Configuration.options.read { (parsed) throws(UsageError) in try Configuration(parsed) }
let log = Log(program: "storehubd", level: configuration.level)

do {
  let descriptors = raiseDescriptorLimit()
  // Besides the clients' sockets: the loop, the listener, the log, the journal, and requests to a web service.
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
  var recording: Recording?
  if let directory = configuration.stateDirectory {
    recording = try Recording.open(engine, directory: directory, durability: configuration.durability, log: log) {
      log.write(.info, "recovering: \($0) of \($1) turns")
    }
    log.write(.info, "recovered revision \(engine.revision) from \(directory)")
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
    mode: configuration.mode, recording: recording, log: log)
  server?.onSocketLost = { _ in
    status = 1
    stop("another program has taken over \(configuration.path)")
  }
  server?.onLogFailed = { _ in
    status = 1
    stop("the journal cannot be written")
  }
  log.write(.info, "listening on \(configuration.path)")
  loop.run()
  terminate.close()
  interrupt.close()
  recording?.close()
  log.flush()
  log.write(.info, "stopped")
  exit(status)
} catch {
  log.write(.error, "\(error)")
  exit(1)
}
