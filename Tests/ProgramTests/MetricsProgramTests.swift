import Foundation
import TestSupport
import Testing

/// A hub's metrics over HTTP.
@Suite(.serialized, .timeLimit(.minutes(5)), .blocking) struct MetricsProgramTests {
  /// Returns the response to a request, as printed by curl(1): the body and the status.
  private func get(_ hub: HubProcess, _ path: String, _ options: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["curl", "-sS", "--unix-socket", hub.directory + "/metrics.sock", "-w", "%{http_code}"] + options
      + ["http://hub\(path)"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  @Test func theSocketOfClientsIsNotThatOfMetrics() throws {
    let outcome = try Program(name: "storehubd").run("--socket", "/tmp/one.sock", "--metrics", "/tmp/one.sock")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--metrics and --socket need different paths, not both /tmp/one.sock"))
  }

  @Test(.enabled(if: hasCurl, "curl(1) is needed")) func figuresAreServedOnAUnixSocket() throws {
    let hub = try HubProcess(awaitsLog: true)
    _ = hub.kill(SIGTERM)
    try hub.start(["--metrics", hub.directory + "/metrics.sock"])
    #expect(
      try Program(name: "storectl").run("--socket", hub.socket, "send", "counter.incrementButtonTapped").status == 0)
    let text = try get(hub, "/metrics")
    #expect(text.contains("\nstorehub_actions_total 1\n") && text.contains("\nstorehub_sessions_opened_total 1\n"))
    #expect(text.hasSuffix("200"))
    #expect(try get(hub, "/health") == "ok\n200")
    #expect(try get(hub, "/").hasSuffix("404"))
    #expect(try get(hub, "/metrics", "-X", "POST").hasSuffix("405"))
    // The hub stops normally and removes the socket.
    #expect(hub.kill(SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: hub.directory + "/metrics.sock"))
  }

  @Test func aSocketWithAListenerIsNotReplaced() throws {
    let hub = try HubProcess()
    let path = hub.directory + "/metrics.sock"
    _ = hub.kill(SIGTERM)
    try hub.start(["--metrics", path, "--mode", "640"])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    let other = try Program(name: "storehubd").run("--socket", hub.directory + "/other.sock", "--metrics", path)
    #expect(other.status == 1 && other.errors.contains("\(path): address already in use"), "\(other.errors)")
    let client = try RawClient(path)
    client.send(Array("GET /health HTTP/1.0\r\n\r\n".utf8))
    #expect(String(decoding: client.receive(), as: UTF8.self).contains("200 OK"))
    // A socket that was left by a killed process is replaced.
    _ = hub.kill(SIGKILL)
    #expect(FileManager.default.fileExists(atPath: path))
    try hub.start(["--metrics", path])
    // A file that is not the hub's own is kept.
    try FileManager.default.removeItem(atPath: path)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(hub.kill(SIGTERM) == 0)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  private static let hasPrlimit = FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")

  /// libmicrohttpd would try to accept the connection without a pause.
  @Test(.enabled(if: hasPrlimit, "prlimit(1) is needed")) func aServerWithoutDescriptorsWaits() throws {
    let hub = try HubProcess()
    let path = hub.directory + "/metrics.sock"
    _ = hub.kill(SIGTERM)
    try hub.start(["--metrics", path])
    let process = try #require(hub.process?.processIdentifier)
    let used = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) })
    let free = try #require((0...).first { !used.contains($0) })
    func limit(_ descriptors: Int) throws {
      let program = try Process.run(
        URL(fileURLWithPath: "/usr/bin/prlimit"),
        arguments: ["--pid", "\(process)", "--nofile=\(descriptors):"])
      program.waitUntilExit()
      try #require(program.terminationStatus == 0)
    }
    /// The processor time in hundredths of a second.
    func time() throws -> Int {
      let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      return text.split(separator: " ")[13...14].compactMap { Int($0) }.reduce(0, +)
    }
    try limit(free)
    let client = try RawClient(path)
    client.send(Array("GET /health HTTP/1.0\r\n\r\n".utf8))
    let before = try time()
    usleep(1_000_000)
    #expect(try time() - before < 20)
    try limit(free + 10)
    #expect(String(decoding: client.receive(), as: UTF8.self).contains("200 OK"))
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test(arguments: ["nowhere", "0", "70000", ""]) func anAddressThatIsNoneIsRefused(address: String) throws {
    let outcome = try Program(name: "storehubd").run("--metrics", address)
    #expect(outcome.status == 2 && outcome.errors.contains("--metrics needs a path with a slash or a port"))
  }
}
