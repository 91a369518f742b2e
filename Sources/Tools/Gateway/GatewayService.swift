internal import EventLoop
internal import GatewayTokens
internal import Glibc
internal import HTTPServer
internal import NetworkStream
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess
internal import WebSocketServer

/// A gateway's process: its configuration, its sockets, its signals and the service manager.
package final class GatewayService {
  private let options: GatewayOptions
  private let log: Log
  private let manager = ServiceManager()
  private var gateway: Gateway?
  private var signals: [SignalWatch] = []
  private var endpoints: [MetricsEndpoint] = []
  private var watchdog: Watchdog?
  private var tokenWatch: TokenWatch?
  private var stopTimer: Timer?
  private var certificateExpiry: Int64?
  /// Why the last reload of the configuration has changed nothing.
  private var configurationProblem: String?
  /// Why the last change of the tokens has changed nothing.
  private var tokensProblem: String?
  private var isStopping = false

  /// The time limit for closing the connections at the end.
  private static let stopLimit = Duration.seconds(3)

  /// Creates the process of a command line.
  package init(_ options: GatewayOptions) {
    self.options = options
    log = Log(program: "storegate", level: options.level)
  }

  /// Serves until a signal stops it, and returns the exit status.
  package func run() -> Int32 {
    let configuration: GatewayConfiguration
    do throws(GatewayConfigurationError) {
      configuration = try readConfiguration()
    } catch {
      guard !options.isOnlyChecked else {
        printError("\(error)")
        return 2
      }
      return fail(error.problems, status: 2)
    }
    if options.isOnlyChecked {
      print(configuration.text)
      return 0
    }
    do {
      let loop = try EventLoop()
      try loop.drainMainQueue()
      try start(configuration, on: loop)
      loop.run()
      for endpoint in endpoints { endpoint.close() }
      log.write(.info, "stopped")
      log.flush()
      manager.flush(within: .seconds(1))
      return 0
    } catch {
      return fail(["\(error)"], status: 1)
    }
  }

  private func fail(_ problems: [String], status: Int32) -> Int32 {
    for problem in problems { log.write(.error, problem) }
    log.flush()
    manager.notify(.status("cannot start: \(problems.joined(separator: "; "))"))
    manager.flush(within: .seconds(1))
    return status
  }

  /// Reads the configuration, and checks the files that it names.
  private func readConfiguration() throws(GatewayConfigurationError) -> GatewayConfiguration {
    let configuration = try GatewayConfiguration(
      file: options.file?.path, isOptional: options.file?.isOptional ?? false)
    if let tls = configuration.tls {
      do throws(TLSError) {
        certificateExpiry = try TLSCredentials.check(certificate: tls.certificate, key: tls.key)
      } catch {
        throw GatewayConfigurationError(["\(error)"])
      }
    }
    if let root = configuration.root, StaticFiles(root: root) == nil {
      throw GatewayConfigurationError(["'root' is \(root), which is not a directory"])
    }
    return configuration
  }

  // MARK: Start

  private func start(_ configuration: GatewayConfiguration, on loop: EventLoop) throws {
    try log.summarise(on: loop)
    let descriptors = raiseDescriptorLimit()
    // A WebSocket has a descriptor of its own and one for the hub.
    if descriptors < UInt(configuration.connections) * 2 + 64 {
      log.write(
        .warning,
        """
        this process may open \(descriptors) files, too few for \(configuration.connections) connections; raise the \
        limit (LimitNOFILE= or ulimit -Hn), or lower the setting connections
        """)
    }
    let tokens = TokenFile(configuration.tokens)
    // Before they are read, so that no change is missed.
    do throws(UVError) {
      tokenWatch = try TokenWatch(tokens, on: loop) { [weak self] in self?.reloadTokens() }
    } catch {
      throw GatewayConfigurationError([
        "the tokens in \(tokens.path) cannot be watched: \(error); `storectl token create` creates the directory"
      ])
    }
    let gateway = try Gateway(configuration, tokens.read(), on: loop, log: log)
    self.gateway = gateway
    try watchSignals(on: loop)
    try listen(gateway, configuration, on: loop)
    if let address = options.metrics {
      endpoints.append(try MetricsEndpoint(on: loop, at: address, mode: 0o660, metrics))
    }
    if let interval = manager.watchdogInterval {
      watchdog = try Watchdog(on: loop, interval: interval, log: log, storing: { nil }) { [weak self] in
        guard let self else { return }
        manager.notify(.watchdog, .status(summary))
      }
    }
    stopTimer = try Timer(on: loop) { [loop] in loop.stop() }
    manager.notify(.ready, .status(summary))
  }

  private func listen(_ gateway: Gateway, _ configuration: GatewayConfiguration, on loop: EventLoop) throws {
    let passed = try PassedDescriptor.take().filter(\.isListeningStreamSocket)
    for socket in passed where socket.name == "metrics" {
      endpoints.append(try MetricsEndpoint(on: loop, adopting: socket.descriptor, metrics))
    }
    var sockets = passed.filter { $0.name != "metrics" }.map { socket in
      (socket.descriptor, SocketAddress(of: socket.descriptor)?.text ?? "a socket of the service manager")
    }
    if sockets.isEmpty {
      for address in configuration.listen {
        guard let address = address.socketAddress else { continue }
        let descriptor = try address.listen()
        sockets.append((descriptor, SocketAddress(of: descriptor)?.text ?? address.text))
      }
    }
    let scheme = configuration.tls == nil ? "ws" : "wss"
    for (descriptor, address) in sockets {
      try gateway.listen(on: descriptor, at: address)
      if configuration.tls == nil, ListenAddress(address)?.isLoopback == false {
        log.write(
          .warning,
          "other machines can reach \(address): without [tls], tokens and states pass the network in plain text")
      }
      log.write(.info, "listening on \(scheme)://\(address)/ for the hub at \(configuration.hub)")
    }
  }

  private func watchSignals(on loop: EventLoop) throws(UVError) {
    for number in [SIGTERM, SIGINT] {
      signals.append(try SignalWatch(on: loop, number) { [weak self] in self?.stop(on: loop) })
    }
    signals.append(try SignalWatch(on: loop, SIGHUP) { [weak self] in self?.reload() })
  }

  private var metrics: MetricsEndpoint.Content {
    let metrics = GatewayMetrics(version: storeHubVersion)
    return MetricsEndpoint.Content { [weak self] in
      guard let self, let gateway else { return "" }
      return metrics.text(of: gateway, certificateExpiry: certificateExpiry)
    } health: { [weak self] in
      guard let self, !isStopping else { return .stopping }
      return problem.map { .degraded($0) } ?? .ok
    }
  }

  private var problem: String? {
    let problems = [configurationProblem, tokensProblem].compactMap(\.self)
    return problems.isEmpty ? nil : problems.joined(separator: "; ")
  }

  /// The line for `systemctl status`.
  private var summary: String {
    let count = gateway?.connections.count ?? 0
    return ["\(count) WebSockets", problem].compactMap(\.self).joined(separator: "; ")
  }

  // MARK: Events

  private func reload() {
    guard !isStopping, let gateway else { return }
    manager.notify(.reloading)
    do throws(GatewayConfigurationError) {
      let later = gateway.take(try readConfiguration())
      configurationProblem = nil
      let rest = later.isEmpty ? "" : "; at the next start: \(later.joined(separator: ", "))"
      log.write(.info, "reloaded the configuration\(rest)")
    } catch {
      let problem = "the configuration is unchanged: \(error.problems.joined(separator: "; "))"
      configurationProblem = problem
      log.write(.error, problem)
    }
    reloadTokens()
    manager.notify(.ready, .status(summary))
  }

  private func reloadTokens() {
    guard let gateway else { return }
    do throws(TokenFileError) {
      let tokens = try TokenFile(gateway.configuration.tokens).read()
      tokensProblem = nil
      guard tokens != gateway.tokens else { return }
      gateway.take(tokens)
      log.write(.info, "read \(counted(tokens.all.count, "token"))")
    } catch {
      let problem = "the tokens are unchanged: \(error)"
      tokensProblem = problem
      log.write(.error, problem)
    }
  }

  private func stop(on loop: EventLoop) {
    guard !isStopping else { return loop.stop() }
    isStopping = true
    manager.notify(.stopping)
    log.write(.info, "stopping")
    watchdog = nil
    stopTimer?.start(after: Self.stopLimit)
    gateway?.stop { [loop] in loop.stop() }
  }
}
