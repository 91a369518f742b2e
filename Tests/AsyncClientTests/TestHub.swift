import AsyncClient
import Features
import Foundation
import TestSupport
import Testing

typealias Client = AsyncClient<AppFeature.State, AppFeature.Action>

/// A process of storehubd in a directory of its own.
final class TestHub {
  let directory: String
  private var process: Process?
  var path: String { directory + "/hub.sock" }

  init() throws {
    directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  /// Starts the hub, with a journal.
  func start(_ options: [String] = []) throws {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "storehubd")
    process.arguments =
      ["--socket", path, "--state-dir", directory + "/state", "--log-level", "error", "--stop-limit", "120s"]
      + options
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  func stop(_ signal: Int32) {
    guard let process else { return }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops the hub, which answers nothing until `resume`.
  func halt() {
    if let process { stopProcess(process.processIdentifier) }
  }

  func resume() {
    if let process { kill(process.processIdentifier, SIGCONT) }
  }

  /// A client with short delays that gives up nothing.
  func client(timeout: Duration = .seconds(120), pendingActions: Int = 65_536, pendingBytes: Int = 64 << 20) -> Client {
    Client(
      path: path,
      options: ReplicaOptions(
        name: "test", shortestDelay: .milliseconds(5), longestDelay: .milliseconds(50), timeout: timeout,
        pendingActions: pendingActions),
      pendingBytes: pendingBytes)
  }

  deinit {
    stop(SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }
}

/// Runs a body with a client of a hub that has started, and ends both.
@discardableResult
func withClient<Result>(
  of hub: TestHub, _ client: Client? = nil, _ body: (Client) async throws -> Result
) async throws -> Result {
  let client = client ?? hub.client()
  let running = Task { try await client.run() }
  do {
    let result = try await body(client)
    running.cancel()
    try await running.value
    return result
  } catch {
    running.cancel()
    throw error
  }
}

extension Client {
  func add(_ text: String) async throws { try await send(.todos(.addButtonTapped(text: text))) }

  /// The texts of the hub's todos, in order.
  func texts() async throws -> [String] { try await value(of: \.todos.todos)?.map(\.text) ?? [] }
}
