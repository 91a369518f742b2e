import Foundation
import TestSupport
import Testing

/// A hub's metrics over HTTP.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct MetricsProgramTests {
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

  /// A reload applies the value of the file at once.
  @Test(.enabled(if: hasCurl, "curl(1) is needed")) func theTimeOfABusyPollIsAFigure() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    let file = hub.directory + "/hub.conf"
    try "[loop]\nbusy-poll = 2ms\n".write(toFile: file, atomically: true, encoding: .utf8)
    try hub.start(["--metrics", hub.directory + "/metrics.sock", "--config", file])
    #expect(try get(hub, "/metrics").contains("\nstorehub_busy_poll_seconds 0.002\n"))
    try "[loop]\nbusy-poll = 0\n".write(toFile: file, atomically: true, encoding: .utf8)
    let process = try #require(hub.process)
    kill(process.processIdentifier, SIGHUP)
    try #require(hub.wait { hub.log.contains("reloaded: ") })
    let text = try get(hub, "/metrics")
    #expect(text.contains("\nstorehub_busy_poll_seconds 0\n") || text.contains("\nstorehub_busy_poll_seconds 0.0\n"))
  }

  // MARK: A socket of the service manager

  /// Returns the answer of a port of 127.0.0.1: the head and the body.
  private func get(port: UInt16, _ path: String) throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    let request = Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)
    try #require(write(descriptor, request, request.count) == request.count)
    var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// As in the shipped unit, whose hub has no network of its own.
  @Test(.enabled(if: Python.isInstalled), arguments: [false, true])
  func theServiceManagerMayPassThePort(isActivated: Bool) throws {
    let hub = try ManagedHub(activated: isActivated, managerOptions: ["--metrics", "0"])
    let port = try #require(hub.events.first.flatMap { UInt16($0.dropFirst("metrics ".count)) })
    #expect(try get(port: port, "/health").hasSuffix("\r\n\r\nok\n"))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
    #expect(try get(port: port, "/metrics").contains("\nstorehub_actions_total 10\n"))
    // The service manager keeps the socket: a request waits for the next process.
    try hub.restart()
    #expect(try get(port: port, "/health").contains(" 200 OK"))
    try hub.restart("kill")
    #expect(try get(port: port, "/health").contains(" 200 OK"))
  }

  private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: hasCurl && promtool != nil, "curl(1) and promtool(1) are needed"))
  func theMetricsFollowTheConventions() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    try hub.start(["--metrics", hub.directory + "/metrics.sock", "--state-dir", hub.directory + "/state"])
    let check = Process()
    check.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
    check.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    (check.standardInput, check.standardOutput, check.standardError) = (input, output, output)
    try check.run()
    input.fileHandleForWriting.write(Data(try get(hub, "/metrics").dropLast(3).utf8))
    try input.fileHandleForWriting.close()
    let complaints = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    check.waitUntilExit()
    #expect(check.terminationStatus == 0 && complaints.isEmpty, "\(complaints)")
  }

  @Test(.enabled(if: hasCurl && Python.isInstalled, "curl(1) and python3(1) are needed"))
  func aHubThatWaitsForAnotherProgramIsDegraded() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    let state = hub.directory + "/state"
    try hub.start(["--metrics", hub.directory + "/metrics.sock", "--state-dir", state])
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: try #require(Python.path))
    holder.arguments = [
      "-c",
      """
      import sqlite3, sys, time
      connection = sqlite3.connect(sys.argv[1] + "/journal.db", isolation_level=None)
      connection.execute("BEGIN IMMEDIATE")
      open(sys.argv[1] + "/held", "w").close()
      time.sleep(600)
      """, state,
    ]
    try holder.run()
    #expect(hub.wait { FileManager.default.fileExists(atPath: state + "/held") })
    let load = try Program(name: "storeload").start(
      ["--socket", hub.socket, "--alone", "-n", "10"], errors: hub.directory + "/load", shell: "exec")
    #expect(hub.wait { hub.log.contains("turns wait to be stored: ") })
    #expect(hub.log.contains("process \(holder.processIdentifier) (python3"), "\(hub.log)")
    let health = try get(hub, "/health")
    #expect(health.hasPrefix("degraded: turns wait to be stored: ") && health.hasSuffix("503"), "\(health)")
    #expect(try get(hub, "/metrics").contains("\nstorehub_journal_blocked 1\n"))
    // The threads of the tests block SIGTERM, and their children inherit that.
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    load.waitUntilExit()
    #expect(load.terminationStatus == 0)
    #expect(hub.wait { hub.log.contains("turns are stored again") })
    #expect(try get(hub, "/health") == "ok\n200")
    #expect(hub.kill(SIGTERM) == 0)
  }

  // MARK: The hub's own socket

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
    let (before, start) = (try time(), ContinuousClock.now)
    usleep(1_000_000)
    // The pause may be longer; a program that tries again without one uses all of it.
    let worked = try Duration.milliseconds(10 * (time() - before))
    #expect(worked * 5 < ContinuousClock.now - start)
    try limit(free + 10)
    #expect(String(decoding: client.receive(), as: UTF8.self).contains("200 OK"))
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test(arguments: ["nowhere", "0", "70000", ""]) func anAddressThatIsNoneIsRefused(address: String) throws {
    let outcome = try Program(name: "storehubd").run("--metrics", address)
    #expect(outcome.status == 2 && outcome.errors.contains("--metrics needs a path with a slash or a port"))
  }
}
