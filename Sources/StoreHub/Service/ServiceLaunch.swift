internal import EventLoop
internal import Glibc
public import HubCore
internal import ProgramOptions

/// The way of a service from its command line to its exit.
@usableFromInline
final class ServiceLaunch<Service: HubService> {
  private let about = Service.description
  private var service = Service()
  private let configuration: ServiceConfiguration
  private let log: Log
  private var server: HubServer?
  private var status: Int32 = 0

  /// Reads the command line; carries out `journal` commands, `--help` and `--version`, which exit.
  @usableFromInline
  init() {
    if CommandLine.arguments.dropFirst().first == "journal" {
      let command = JournalCommand(of: about.name)
      exit(command.options.read(Array(CommandLine.arguments.dropFirst(2)), command.run))
    }
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

  /// Serves the engine until a signal comes or the hub cannot go on, and exits.
  @usableFromInline
  func run<State, Action>(
    _ makeEngine: (Service) -> FeatureEngine<State, Action>
  ) -> Never {
    do {
      checkDescriptorLimit()
      let loop = try EventLoop()
      try loop.drainMainQueue()
      try log.summarise(on: loop)
      try service.prepare(on: loop, log: log)
      let engine = makeEngine(service)
      let recording = try openRecording(of: engine)
      try serve(engine, recording, on: loop)
      recording?.close()
      log.flush()
      log.write(.info, "stopped")
      exit(status)
    } catch {
      log.write(.error, "\(error)")
      exit(1)
    }
  }

  private func checkDescriptorLimit() {
    let descriptors = raiseDescriptorLimit()
    // Besides the clients' sockets: the loop, the listener, the log, the journal, and what the feature opens.
    guard descriptors < UInt(configuration.limits.connections) + 64 else { return }
    log.write(
      .warning,
      """
      this process may open \(descriptors) files, too few for \(configuration.limits.connections) connections; raise the \
      limit (LimitNOFILE= or ulimit -Hn), or lower --connections
      """)
  }

  private func openRecording<State, Action>(
    of engine: FeatureEngine<State, Action>
  ) throws(RecordingError) -> Recording? {
    guard let directory = configuration.stateDirectory else { return nil }
    let recording = try Recording.open(
      engine, directory: directory, durability: configuration.durability, log: log
    ) { log.write(.info, "recovering: \($0) of \($1) turns") }
    log.write(.info, "recovered revision \(engine.revision) from \(directory)")
    return recording
  }

  private func serve<State, Action>(
    _ engine: FeatureEngine<State, Action>, _ recording: Recording?, on loop: EventLoop
  ) throws {
    // Installed before the socket is there: whoever sees the socket may send a signal at once.
    let terminate = try Signal(on: loop, SIGTERM) { self.stop(loop, "received SIGTERM") }
    let interrupt = try Signal(on: loop, SIGINT) { self.stop(loop, "received SIGINT") }
    server = try HubServer(
      engine, limits: configuration.limits, name: "\(about.name) \(about.version)", loop: loop,
      path: configuration.path, mode: configuration.mode, recording: recording, log: log)
    server?.onSocketLost = { _ in self.fail(loop, "another program has taken over \(self.configuration.path)") }
    server?.onLogFailed = { _ in self.fail(loop, "the journal cannot be written") }
    log.write(.info, "listening on \(configuration.path)")
    loop.run()
    terminate.close()
    interrupt.close()
  }

  private func fail(_ loop: EventLoop, _ reason: String) {
    status = 1
    stop(loop, reason)
  }

  private func stop(_ loop: EventLoop, _ reason: String) {
    log.write(.info, "stopping: \(reason)")
    server?.stop(reason: "the hub stops: \(reason)") { loop.stop() }
  }
}
