import Foundation
import TestSupport
import Testing

/// A hub process under a service manager of the tests, with its socket in a separate directory.
final class ManagedHub {
  let directory: String
  private let manager = Process()
  private let commands = Pipe()
  var socket: String { directory + "/hub.sock" }
  /// The events that the service manager has recorded.
  var events: [String] { lines("events") }
  /// The standard error of the hub.
  var log: String { lines("log").joined(separator: "\n") }

  /// - Parameters:
  ///   - program: The program of the hub, beside the test bundle.
  ///   - path: The file of another program.
  ///   - managerOptions: Further options of the service manager.
  ///   - isWaiting: True to wait until the hub is ready.
  init(
    _ options: [String] = [], program: String = "storehubd", path: String? = nil, activated: Bool = false,
    watchdog: Double? = nil, managerOptions: [String] = [], isWaiting: Bool = true
  ) throws {
    directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for name in ["events", "log"] { _ = FileManager.default.createFile(atPath: directory + "/" + name, contents: nil) }
    manager.executableURL = URL(fileURLWithPath: try #require(Python.path))
    manager.arguments =
      [RepositoryFiles.path("Tests/Fixtures/servicemanager/manager.py")]
      + (activated ? ["--activate", socket] : []) + (watchdog.map { ["--watchdog", "\($0)"] } ?? [])
      + managerOptions
      + [path ?? Program(name: program).url.path, "--socket", socket] + options.withStopLimit
    manager.standardInput = commands
    manager.standardOutput = FileHandle(forWritingAtPath: directory + "/events")
    manager.standardError = FileHandle(forWritingAtPath: directory + "/log")
    try manager.run()
    if isWaiting { try #require(wait { count("READY=1") == 1 }, "\(log)") }
  }

  /// Returns the number of events that contain a text.
  func count(_ text: String) -> Int { events.count { $0.contains(text) } }

  /// Sends a command to the service manager.
  func notify(_ command: String) { commands.fileHandleForWriting.write(Data((command + "\n").utf8)) }

  /// The id of the hub's process.
  var process: pid_t? {
    events.last { $0.hasPrefix("started ") }?.split(separator: " ").dropFirst().first.flatMap { pid_t($0) }
  }

  /// Stops the service manager, which takes no messages until `resume`.
  func halt() { stopProcess(manager.processIdentifier) }

  func resume() { kill(manager.processIdentifier, SIGCONT) }

  /// Restarts the hub, and waits until the next process is ready.
  func restart(_ command: String = "restart") throws {
    let before = count("READY=1")
    notify(command)
    try #require(wait { count("READY=1") > before }, "\(events) \(log)")
  }

  /// Waits until a number of connections have a valid record.
  func hasAtRest(_ count: Int) -> Bool {
    wait {
      let before = self.count("resting")
      notify("resting")
      guard wait(until: { self.count("resting") > before }) else { return false }
      return events.last { $0.hasPrefix("resting") } == "resting \(count)"
    }
  }

  /// Polls a condition for at most two minutes.
  func wait(until condition: () -> Bool) -> Bool { poll(until: condition) }

  private func lines(_ name: String) -> [String] {
    let text = (try? String(contentsOfFile: directory + "/" + name, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  deinit {
    notify("end")
    manager.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
