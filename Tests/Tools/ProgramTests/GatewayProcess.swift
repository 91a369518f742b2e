import Foundation
import Testing

/// A hub and a gateway in front of it, with the token of one remote user.
final class GatewayProcess {
  /// The user who may read and do everything.
  static let user = 3_000_000_001

  let hub: HubProcess
  private(set) var process: Process?
  /// The port of the gateway.
  private(set) var port = 0
  var directory: String { hub.directory }
  var tokens: String { directory + "/tokens/file" }
  var log: String { (try? String(contentsOfFile: directory + "/gateway.log", encoding: .utf8)) ?? "" }

  /// Starts both.
  ///
  /// - Parameters:
  ///   - settings: The gateway's configuration after its first three settings.
  ///   - options: Further options of the gateway.
  init(_ settings: String = "", options: [String] = []) throws {
    hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    // Some tests open a connection long before they use it.
    let rights = """
      [limits]
      hello-timeout = 600s
      frame-timeout = 600s
      [gateway \(geteuid())]
      users = 3000000000-3000000009
      [user \(Self.user)]
      read = all
      act = all
      """
    try rights.write(toFile: hub.directory + "/hub.conf", atomically: true, encoding: .utf8)
    try hub.start(["--config", hub.directory + "/hub.conf"])
    try FileManager.default.createDirectory(atPath: directory + "/tokens", withIntermediateDirectories: true)
    try configure(settings)
    try start(options)
  }

  /// Writes the configuration.
  func configure(_ settings: String) throws {
    let first = "[gateway]\nlisten = 127.0.0.1:\(port)\nhub = \(hub.socket)\ntokens = \(tokens)\n"
    try (first + settings).write(toFile: directory + "/gateway.conf", atomically: true, encoding: .utf8)
  }

  /// Starts the gateway.
  ///
  /// - Parameter shell: Shell words before its command.
  func start(_ options: [String] = [], shell: String = "exec") throws {
    process = try Program(name: "storegate").start(
      ["--config", directory + "/gateway.conf"] + options, errors: directory + "/gateway.log", shell: shell)
    try #require(poll { log.contains("listening on") }, "\(log)")
    let address = try #require(log.firstMatch(of: /listening on wss?:\/\/[0-9.]+:([0-9]+)\//))
    port = try #require(Int(address.output.1))
  }

  /// Creates a token with storectl, and waits until the gateway knows it.
  func createToken(_ name: String = "test", user: Int = user) throws -> String {
    let before = log.matches(of: /read [0-9]+ token/).count
    let outcome = try Program(name: "storectl").run(
      "token", "create", name, "--user", "\(user)", "--file", tokens)
    try #require(outcome.status == 0, "\(outcome.errors)")
    try #require(poll { log.matches(of: /read [0-9]+ token/).count > before })
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func connect() throws -> RawWebSocket { try RawWebSocket(port: port) }

  /// Opens a WebSocket.
  func open(_ token: String) throws -> RawWebSocket {
    let client = try connect()
    try #require(client.open(token: token) == 101)
    return client
  }

  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    guard let process else { return -1 }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    self.process = nil
    return process.terminationStatus
  }

  deinit { if process != nil { _ = stop(SIGKILL) } }
}
