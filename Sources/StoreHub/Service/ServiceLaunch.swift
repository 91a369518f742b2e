internal import Configuration
internal import Dependencies
internal import EventLoop
internal import Glibc
public import HubCore
internal import Journal
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess
internal import TurnLog
internal import Wire

/// Runs a service from its command line to its exit.
@usableFromInline
final class ServiceLaunch<Service: HubService> {
  private let about = Service.description
  private var service = Service()
  private let configuration: ServiceConfiguration
  private let log: Log
  private weak var server: HubServer?
  private var endpoints: [MetricsEndpoint] = []
  /// The clocks of the effects.
  private var clocks: LoopClocks?
  /// The error after which the journal could not be written.
  private var logFailure: LogError?

  /// Parses the command line. Executes `--help` and `--version`, which exit.
  @usableFromInline
  init() {
    let options = ServiceConfiguration.options(of: about)
    (configuration, service) = options.read { [about, service] (parsed) throws(UsageError) in
      var service = service
      do throws(ServiceOptionError) { try service.configure(ServiceOptions(parsed)) } catch {
        throw UsageError(error.description)
      }
      return (try ServiceConfiguration(parsed, of: about), service)
    }
    log = Log(program: about.name, level: configuration.level)
  }

  /// Serves the engine until a signal or a failure stops the hub, and exits.
  @usableFromInline
  func run<State, Action>(
    _ makeEngine: (Service) -> FeatureEngine<State, Action>
  ) -> Never {
    let schema = Schema(state: State.self, action: Action.self)
    var recording: Recording?
    if configuration.printsSchema {
      print(schema.encoded().hexadecimal)
      exit(0)
    }
    let views = service.views.schema
    if configuration.isOnlyChecked { exit(checkConfiguration(schema, views)) }
    do {
      let operated = try configuration.operated(schema, views)
      checkDescriptorLimit(operated.limits)
      let loop = try EventLoop()
      loop.busyPoll = operated.busyPoll
      try loop.drainMainQueue()
      try log.summarise(on: loop)
      try service.prepare(on: loop, log: log)
      let clocks = try LoopClocks(on: loop)
      self.clocks = clocks
      func newEngine() -> FeatureEngine<State, Action> {
        withDependencies {
          $0.sleep(by: clocks)
        } operation: {
          makeEngine(service)
        }
      }
      var engine = newEngine()
      if let replay = configuration.replay { exit(replay.run(engine)) }
      if let migrate = configuration.migrate { exit(migrate.run(engine)) }
      let life = try ServiceLifecycle(loop: loop, log: log, reloads: configuration.file != nil)
      life.stopLimit = configuration.stopLimit
      // Before anything is written: the claim itself follows when the journal is open.
      try SocketClaim.refuseServed(configuration.path)
      recording = try openRecording(of: engine, operated, life)
      if let cluster = operated.cluster {
        var snapshots: UInt64 = 0
        while try !join(cluster, &recording, schema, &snapshots, life, on: loop) {
          // As after a start: from the journal that another node has sent, or in the schema that the log has now.
          engine = newEngine()
          recording = try openRecording(of: engine, operated, life)
        }
      }
      if let address = configuration.metrics {
        endpoints.append(try MetricsEndpoint(on: loop, at: address, mode: configuration.mode, metricsContent))
      }
      // After everything that may fail for a reason outside: a process that fails later loses the connections.
      let inheritance = try Inheritance.take()
      if let socket = inheritance.metrics {
        endpoints.append(try MetricsEndpoint(on: loop, adopting: socket, metricsContent))
      }
      try serve(engine, operated, recording, inheritance, life, on: loop)
      let status = life.run()
      for endpoint in endpoints { endpoint.close() }
      if let logFailure { pause(after: logFailure) }
      exit(status)
    } catch {
      if let (text, details) = (error as? ClusterError)?.record {
        // The only record of a refusal: whoever finds the reason hands it on.
        log.write(.error, text, details)
      } else {
        // One record each, since a line break would end a record.
        let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
        for problem in problems { log.write(.error, problem) }
      }
      log.flush()
      // Otherwise the next start would find a journal that was not closed in order.
      recording?.close()
      // While the service manager tries again, its status shows no log lines of the process that has failed.
      ServiceManager().notify(.status("cannot start: \(error)"))
      if case .log(let error)? = error as? RecordingError { pause(after: error) }
      ServiceManager().flush(within: ServiceLifecycle.lastMessages)
      // A service manager does not try again before someone has restored the history.
      if error is MissingHistory { exit(2) }
      exit((error as? ConfigurationError).map(Self.status(for:)) ?? 1)
    }
  }

  /// The answers of the metrics endpoints. They follow the server, which exists before the loop runs.
  private var metricsContent: MetricsEndpoint.Content {
    let metrics = PrometheusMetrics(of: about)
    return MetricsEndpoint.Content { [weak self] in
      guard let server = self?.server else { return "" }
      return metrics.text(of: server)
    } health: { [weak self] in
      self?.server?.health ?? .stopping
    }
  }

  /// The exit status for a wrong configuration; like a wrong command line, it makes another try useless.
  private static func status(for error: ConfigurationError) -> Int32 { error.isTemporary ? 1 : 2 }

  /// Waits before the exit if an operator can correct the problem at any time, such as a full disk.
  ///
  /// The service manager then tries again at intervals, and does not give up after a number of quick failures.
  private func pause(after error: LogError) {
    guard [.full, .inUse].contains(error.problem), ServiceManager().isPresent else { return }
    let seconds: UInt32 = 5
    ServiceManager().notify(.status("the next attempt follows in \(seconds) s: \(error)"))
    // The loop, which handled them, runs no more. The parent of the process may have blocked them.
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGTERM, SIGINT, SIGUSR2] {
      sigaddset(&ending, number)
      signal(number, SIG_DFL)
    }
    pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    sleep(seconds)
  }

  /// Prints the effective configuration for `--check-config`, and returns the exit status.
  private func checkConfiguration(_ schema: Schema, _ views: Schema?) -> Int32 {
    do throws(ConfigurationError) {
      let operated = try configuration.operated(schema, views)
      for file in operated.files { print("# \(file)") }
      print(operated.text(for: schema, views: views))
      return 0
    } catch {
      printError("\(error)")
      return Self.status(for: error)
    }
  }

  private func checkDescriptorLimit(_ limits: HubLimits) {
    let descriptors = raiseDescriptorLimit()
    // In addition to the clients' sockets: the loop, the listener, the log, the journal, and the feature's descriptors.
    guard descriptors < UInt(limits.connections) + 64 else { return }
    log.write(
      .warning,
      """
      this process may open \(descriptors) files, too few for \(limits.connections) connections; raise the \
      limit (LimitNOFILE= or ulimit -Hn), or lower --connections
      """)
  }

  private func openRecording<State, Action>(
    of engine: FeatureEngine<State, Action>, _ operated: OperatorConfiguration, _ life: ServiceLifecycle
  ) throws -> Recording? {
    guard let directory = configuration.stateDirectory else { return nil }
    guard !configuration.storesNothing else {
      log.write(.warning, "the durability is memory: nothing is stored in \(directory) or restored from it")
      return nil
    }
    let note = HistoryNote(besideSocket: configuration.path, directory: directory)
    if JournalOpening.wouldCreate(in: directory), !configuration.beginsHistory, note.isPresent {
      throw MissingHistory(directory: directory, note: note.path)
    }
    life.recovering()
    let recording = try Recording.open(
      engine, directory: directory, durability: configuration.durability, limits: operated.limits,
      isReplicated: operated.cluster != nil, log: log
    ) {
      life.recovering($0, of: $1)
      log.write(.info, "recovering: \($0) of \($1) turns")
    }
    if let code = note.write() {
      log.write(
        .warning,
        "the loss of \(directory) would not be noticed: cannot write \(note.path): \(String(cString: strerror(code)))")
    }
    guard recording.schemaChange == nil else { return recording }
    let what = recording.isNew ? "began a new journal in" : "recovered revision \(engine.revision) from"
    log.write(
      .info, "\(what) \(directory)",
      Log.Details(.recovered, ["REVISION": "\(engine.revision)"]))
    return recording
  }

  /// Joins the cluster, and runs the loop until the journal was proved to belong to its log, and has what that has.
  ///
  /// A signal to stop ends the process, with its journal closed in order.
  /// - Returns: False if the journal was replaced by the base of another node's, or has another schema now: it is to be
  ///   opened again.
  private func join(
    _ cluster: ClusterSettings, _ joined: inout Recording?, _ schema: Schema, _ snapshots: inout UInt64,
    _ life: ServiceLifecycle, on loop: EventLoop
  ) throws -> Bool {
    guard let support = Service.cluster else { throw ClusterError.notSupported }
    guard let recording = joined, let journal = recording.journal, recording.durability == .sync,
      let directory = configuration.stateDirectory
    else { throw ClusterError.needsJournal }
    var outcome: ClusterOutcome?
    var obstacle: String?
    let replicated = try support.join(
      ClusterRequest(
        settings: cluster, schemas: [recording.schemaChange?.source, schema].compactMap(\.self), journal: journal,
        tail: recording.history.position,
        place: recording.placeInLog, directory: directory, snapshotsTaken: snapshots, loop: loop, log: log,
        onObstacle: {
          guard obstacle != $0 else { return }
          obstacle = $0
          life.joining(obstacle: $0)
        }, onReady: { outcome = outcome ?? $0 }))
    life.joining()
    try recording.schemaChange?.standBy(replicated, recording.mailbox, on: loop, reporting: log) {
      outcome = outcome ?? $0
    }
    var end: String?
    try life.watchEnd { end = $0 }
    defer { life.forgetEnd() }
    var toldAt = loop.now
    while outcome == nil {
      loop.run(.once)
      if let end {
        replicated.leave()
        exit(life.endBeforeServing(recording, reason: end))
      }
      // A long log takes a while to copy.
      guard loop.now - toldAt >= .seconds(10) else { continue }
      life.joining(obstacle: obstacle)
      toldAt = loop.now
    }
    switch outcome {
    case .ready, nil:
      joined = recording.replicated(by: replicated, numbering: cluster.userNumbers)
      return true
    case .refused(let reason):
      replicated.leave()
      throw ClusterError.refused(reason, replicated.status)
    case .received:
      replicated.leave()
      recording.close()
      let kept: String?
      do throws(LogError) { kept = try JournalTool.installBase(in: directory) } catch {
        throw RecordingError.log(error)
      }
      let previous = kept.map { "; the previous journal is kept as \($0)" } ?? ""
      let text = "the journal in \(directory) is the snapshot of another node now\(previous)"
      log.write(.info, text, Log.Details(.clusterSnapshot, ["REASON": text, "PREVIOUS": kept ?? ""]))
      snapshots += 1
      return false
    case .reopens:
      replicated.leave()
      recording.close()
      return false
    }
  }

  private func serve<State, Action>(
    _ engine: FeatureEngine<State, Action>, _ operated: OperatorConfiguration, _ recording: Recording?,
    _ inheritance: Inheritance, _ life: ServiceLifecycle, on loop: EventLoop
  ) throws {
    try life.watchSignals()
    LastWords.watchErrors()
    let server = try HubServer(
      engine, limits: operated.limits, policy: operated.policy, region: operated.region,
      name: "\(about.name) \(about.version)", loop: loop,
      path: configuration.path, mode: configuration.mode, recording: recording, inheritance: inheritance, log: log)
    server.onSocketLost = { [path = server.path] _ in
      life.stop(reason: "another program has taken over \(path)", status: 1, error: EADDRINUSE)
    }
    server.onLogFailed = { [weak self] error in
      self?.logFailure = error
      life.stop(reason: "nothing more can be stored", status: 1, error: error.problem == .full ? ENOSPC : EIO)
    }
    let (schema, views) = (Schema(state: State.self, action: Action.self), service.views.schema)
    life.onReload = { [configuration, loop, weak server] in
      // Rights apply immediately, also to open connections. A file with mistakes changes nothing.
      let operated = try configuration.operated(schema, views)
      let renews = try recording?.replication?.reload() == true
      server?.reload(operated.policy)
      loop.busyPoll = operated.busyPoll
      guard !operated.files.isEmpty else { return "there is no configuration file; the standard rights apply" }
      let files = operated.files.joined(separator: ", ")
      let certificates = renews ? "the certificates of the cluster were read again; " : ""
      return
        "the rights are those of \(files); \(certificates)changed limits and another region take effect at the next start"
    }
    self.server = server
    try life.serve(server, recording)
  }
}
