import Foundation
import TestSupport
import Testing

/// A hub in the foreground of a terminal that closes.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled))
struct TerminalHangupTests {
  private let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"

  /// Runs a hub in a terminal of its own, closes the terminal, and returns the hub's log and its exit status; nil if it
  /// still runs.
  private func hangUp(_ command: [String]) throws -> (log: String, status: Int32?) {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let output = try Python.run("Fixtures/terminal/hangup.py", [directory] + command)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    return (try String(contentsOfFile: directory + "/log", encoding: .utf8), lines.last.flatMap { Int32($0) })
  }

  private var hub: [String] { [Program(name: "storehubd").url.path, "--socket", directory + "/hub.sock"] }

  @Test func aHubOfATerminalEndsWithIt() throws {
    let (log, status) = try hangUp(hub + ["--state-dir", directory + "/state"])
    #expect(status == 0, "\(log)")
    #expect(log.contains("stopping: received SIGHUP, because its terminal was closed") && log.contains("stopped"))
  }

  @Test func aHubWithAConfigurationReloadsIt() throws {
    let (log, status) = try hangUp(hub + ["--config", "-" + directory + "/hub.conf"])
    #expect(status == nil, "\(log)")
    #expect(log.contains("reloaded: there is no configuration file"))
  }

  @Test func nohupKeepsAHub() throws {
    let (log, status) = try hangUp(["/usr/bin/nohup"] + hub)
    #expect(status == nil, "\(log)")
    #expect(!log.contains("stopping"))
  }
}
