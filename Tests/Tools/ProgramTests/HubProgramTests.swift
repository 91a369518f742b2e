import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct HubProgramTests {
  @Test(arguments: ["storehubd", "storectl", "storeterm", "storeload"])
  func everyProgramExplainsItself(name: String) throws {
    let help = try Program(name: name).run("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("usage: \(name)") && help.output.contains("--socket PATH"))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })

    let version = try Program(name: name).run("--version")
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("\(name) 0."))

    let wrong = try Program(name: name).run("--wrong")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("--wrong") && wrong.errors.contains("--help"))
  }

  /// Foundation would load ICU; the programs need only its essentials.
  @Test func aHubDoesNotLoadAllOfFoundation() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    #expect(maps.contains("storehubd"))
    #expect(!maps.contains("libFoundation.so") && !maps.contains("FoundationICU"))
  }

  /// In /tmp, another user may have created the directory of the default socket.
  @Test(arguments: [("storehubd", []), ("storectl", ["status"]), ("storeload", ["-n", "1"])])
  func aDefaultSocketThatOthersCanReplaceIsRefused(program: String, arguments: [String]) throws {
    let root = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    let directory = root + "/storehub-\(getuid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    for mode in [0o777, 0o770] as [mode_t] {
      #expect(chmod(directory, mode) == 0)
      let process = try Program(name: program).start(
        arguments, errors: root + "/log",
        shell: "exec env -u XDG_RUNTIME_DIR -u STOREHUB_SOCKET TMPDIR='\(root)'")
      process.waitUntilExit()
      #expect(process.terminationStatus == 2)
      let errors = try String(contentsOfFile: root + "/log", encoding: .utf8)
      #expect(errors.contains("\(directory) is not a directory that only this user can write to"), "\(errors)")
      #expect(errors.contains("remove it, or use --socket"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }

  @Test func aHubCreatesThePrivateDirectoryOfItsDefaultSocket() throws {
    let root = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    let directory = root + "/storehub-\(getuid())"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    // The second time, the directory exists.
    for _ in 1...2 {
      let process = try Program(name: "storehubd").start(
        [], errors: root + "/log", shell: "exec env -u XDG_RUNTIME_DIR -u STOREHUB_SOCKET TMPDIR='\(root)'")
      _ = poll { FileManager.default.fileExists(atPath: directory + "/hub.sock") }
      var status = stat()
      #expect(lstat(directory, &status) == 0 && status.st_mode & 0o7777 == 0o700)
      process.terminate()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }

  /// Without a limit in the file, one user gets seven eighths of the connections if others may connect.
  @Test func aLimitOfTheOperatorIsNotReplaced() throws {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    for (text, line) in [
      ("scopes = 5", "connections-per-user = 3584\n"), ("connections-per-user = none", "connections-per-user = none\n"),
    ] {
      try "[limits]\n\(text)\n".write(toFile: file, atomically: true, encoding: .utf8)
      let checked = try Program(name: "storehubd").run("--mode", "660", "--check-config", "--config", file)
      #expect(checked.status == 0 && checked.output.contains(line), "\(checked.output)")
    }
  }

  /// The scheduler's count of the times that the hub's main thread has run, and the time in nanoseconds.
  private func runs(_ hub: HubProcess) throws -> [Substring] {
    let process = try #require(hub.process).processIdentifier
    let text = try String(contentsOfFile: "/proc/\(process)/task/\(process)/schedstat", encoding: .utf8)
    let words = text.split(whereSeparator: \.isWhitespace)
    return [words[0], words[2]]
  }

  /// A busy poll ends: a hub that is polled by nobody does nothing at all, and serves as before.
  @Test func aHubThatPollsBusilyRestsWhenNothingHappens() throws {
    let hub = try HubProcess(options: ["--busy-poll", "1ms"])
    let load = ["--socket", hub.socket, "--actions", "1000", "--depth", "4", "--watch", "2", "--busy-poll", "50us"]
    #expect(try Program(name: "storeload").run(load).status == 0)
    // It may still close connections and return memory, at some time.
    #expect(
      hub.wait {
        guard let before = try? runs(hub) else { return false }
        usleep(500_000)
        return (try? runs(hub)) == before
      }, "the hub does not rest")
    #expect(try Program(name: "storeload").run(load).status == 0)
    #expect(hub.kill(SIGTERM) == 0)
  }

  /// The command line takes precedence, and a reload applies the file's value at once.
  @Test func theTimeOfABusyPollIsConfigured() throws {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "[loop]\nbusy-poll = 2ms\n".write(toFile: file, atomically: true, encoding: .utf8)
    for (options, line) in [([], "\nbusy-poll = 2ms\n"), (["--busy-poll", "50us"], "\nbusy-poll = 50us\n")] {
      let checked = try Program(name: "storehubd").run(["--check-config", "--config", file] + options)
      #expect(checked.status == 0 && checked.output.contains(line), "\(checked.output)")
    }
    let refused = try Program(name: "storehubd").run("--busy-poll", "1s", "--check-config")
    #expect(refused.status == 2 && refused.errors.contains("--busy-poll needs 0, or a time up to 10ms"))
  }

  /// The command line takes precedence over the file.
  @Test func theRegionIsThatOfTheOptionsAndTheFile() throws {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "[region]\ntime-zone = GMT+3\ncalendar = iso8601\n".write(toFile: file, atomically: true, encoding: .utf8)
    let hub = Program(name: "storehubd")
    let checked = try hub.run("--check-config", "--config", file, "--time-zone", "GMT-03:30")
    #expect(checked.output.contains("[region]\ncalendar = iso8601\ntime-zone = GMT-03:30\nlocale = en_US_POSIX\n"))
    let refused = try hub.run("--time-zone", "GMT+99")
    #expect(refused.status == 2 && refused.errors.contains("--time-zone: "), "\(refused.errors)")
  }

  @Test func aTerminatedHubLeavesNothingBehind() throws {
    let hub = try HubProcess()
    #expect(hub.kill(SIGTERM) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: hub.directory) == ["log"])
    #expect(hub.log.contains("stopping: received SIGTERM") && hub.log.contains("stopped"))
  }

  /// The Swift runtime's handler would print a backtrace and continue.
  @Test(arguments: [SIGABRT, SIGQUIT]) func signalsThatDumpCoreEndAHub(signal: Int32) throws {
    let hub = try HubProcess()
    let process = try #require(hub.process)
    kill(process.processIdentifier, signal)
    try #require(hub.wait { !process.isRunning }, "signal \(signal) did not end the hub")
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
    #expect(!hub.log.contains("Backtrace"))
  }

  @Test func aSecondHubOnTheSameSocketSaysSoAndExits() throws {
    let hub = try HubProcess()
    let state = hub.directory + "/second"
    let second = try Program(name: "storehubd").run("--socket", hub.socket, "--state-dir", state)
    #expect(second.status == 1)
    #expect(second.errors.contains("another hub serves"))
    #expect(!FileManager.default.fileExists(atPath: state))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "--actions", "10").status == 0)
  }

  @Test func aStartThatFailsClosesItsJournal() throws {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    let state = ["--state-dir", hub.directory + "/state"]
    let failed = try Program(name: "storehubd").run(
      ["--socket", hub.socket, "--metrics", hub.directory + "/none/metrics.sock"] + state)
    #expect(failed.status == 1 && failed.errors.contains("began a new journal"), "\(failed.errors)")
    try hub.start(state)
    #expect(hub.log.contains("recovered revision 0"))
    #expect(!hub.log.contains("was not closed in order"))
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test func aKilledHubIsSucceededOnTheSameSocket() throws {
    let hub = try HubProcess()
    #expect(hub.kill(SIGKILL) != 0)
    #expect(FileManager.default.fileExists(atPath: hub.socket))
    try hub.start()
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "--actions", "10").status == 0)
    #expect(hub.kill(SIGINT) == 0)
  }

  @Test func hostileAndHastyClientsLeaveNothingInTheHub() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }
    func residentKiB() throws -> Int {
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
    }
    // libuv opens a descriptor of its own for the first connection.
    let before = try descriptors() + 1
    func storm() throws {
      for round in 0..<50 {
        let sockets = (0..<20).map { _ in connectedSocket(to: hub.socket) }
        for (index, socket) in sockets.enumerated() {
          // Garbage, half a header, a header that announces 4 GiB, or nothing.
          let bytes: [UInt8] =
            switch (round + index) % 4 {
            case 0: (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ round) }
            case 1: [5, 0, 0, 0, 1]
            case 2: [0xff, 0xff, 0xff, 0xff, 1] + [UInt8](repeating: 0, count: 11)
            default: []
            }
          _ = write(socket, bytes, bytes.count)
        }
        for socket in sockets { close(socket) }
        // All of them together would need more memory, if the hub is paused meanwhile.
        #expect(hub.wait { ((try? descriptors()) ?? .max) <= before })
      }
    }
    try storm()
    #expect(hub.wait { ((try? descriptors()) ?? .max) <= before })
    let memory = try residentKiB()
    for _ in 0..<4 { try storm() }
    #expect(hub.wait { ((try? descriptors()) ?? .max) <= before })
    #expect(try residentKiB() < memory + 4096)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-c", "20", "-n", "1000").status == 0)
    #expect(hub.wait { ((try? descriptors()) ?? .max) <= before })
  }

  private func connectedSocket(to path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(withAddress(path) { connect(descriptor, $0, $1) } == 0)
    return descriptor
  }

  private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// One client once made a hub write 567 MB of log lines in 37 seconds.
  @Test func aHostileClientCannotFillTheLog() throws {
    let hub = try HubProcess()
    let start = ContinuousClock.now
    for _ in 0..<500 {
      let socket = connectedSocket(to: hub.socket)
      _ = write(socket, [UInt8](repeating: 0xff, count: 64), 64)
      // Once the hub has closed the connection, the line was written or counted.
      var byte: UInt8 = 0
      while read(socket, &byte, 1) > 0 {}
      close(socket)
    }
    #expect(hub.kill(SIGTERM) == 0)
    // Of each kind ten in ten seconds, and a summary.
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    #expect(hub.log.split(separator: "\n").count < 100 + 2 * seconds)
    #expect(hub.log.contains("more like this in 10 s (connections closed by the hub, user \(getuid()))"))
  }

  /// Clients that connected faster than the hub read once took all of its 20,000 descriptors.
  @Test func clientsThatComeAndGoDoNotUseUpTheDescriptors() throws {
    let hub = try HubProcess(shell: "ulimit -n 250; exec", options: ["--connections", "50"])
    let hello: [UInt8] =
      [14, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 11)
      + [0xa3, 0, 1, 1, 1, 4, 0x67, 0x65, 0x78, 0x61, 0x6d, 0x70, 0x6c, 0x65]
    for _ in 0..<20_000 {
      let socket = connectedSocket(to: hub.socket)
      _ = write(socket, hello, hello.count)
      close(socket)
    }
    #expect(hub.wait { (try? Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status) == 0 })
    #expect(hub.kill(SIGTERM) == 0)
    #expect(!hub.log.contains("too many open files"))
  }

  @Test func withoutDescriptorsClientsWaitUntilOthersClose() throws {
    let start = ContinuousClock.now
    let hub = try HubProcess(shell: "ulimit -n 40; exec")
    #expect(hub.log.contains("too few for 4096 connections"))
    var sockets = (0..<60).map { _ in connectedSocket(to: hub.socket) }
    #expect(hub.wait { hub.log.contains("too many open files") })
    // Accepted connections are closed because they send no hello, and the waiting ones follow.
    for socket in sockets.prefix(50) { close(socket) }
    sockets.removeFirst(50)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "100").status == 0)
    for socket in sockets { close(socket) }
    // Ten in ten seconds.
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    #expect(hub.log.components(separatedBy: "too many open files").count <= 12 + 2 * seconds)
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test func aHubWithoutStandardDescriptorsGoesOn() throws {
    let hub = try HubProcess(shell: "exec <&- >&- 2>&-; exec", awaitsLog: false)
    #expect(hub.wait { FileManager.default.fileExists(atPath: hub.socket) })
    let process = try #require(hub.process?.processIdentifier)
    for descriptor in 0...2 {
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(descriptor)") == "/dev/null")
    }
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "100").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test func aRemovedSocketIsListenedOnAgain() throws {
    let hub = try HubProcess()
    for _ in 0..<3 {
      try FileManager.default.removeItem(atPath: hub.socket)
      #expect(hub.wait { FileManager.default.fileExists(atPath: hub.socket) })
      #expect(hub.wait { (try? Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status) == 0 })
    }
    try FileManager.default.removeItem(atPath: hub.socket + ".lock")
    try FileManager.default.moveItem(atPath: hub.socket, toPath: hub.socket + ".old")
    #expect(hub.wait { FileManager.default.fileExists(atPath: hub.socket + ".lock") })
    #expect(hub.wait { (try? Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status) == 0 })
    let mode = try FileManager.default.attributesOfItem(atPath: hub.socket)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try Program(name: "storehubd").run("--socket", hub.socket).status == 1)
    #expect(hub.log.contains("warning: the socket \(hub.socket) was removed or replaced"))
    #expect(hub.kill(SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: hub.socket))
  }

  @Test func aHubWhosePathIsTakenOverStops() throws {
    let hub = try HubProcess()
    let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(other) }
    let path = hub.socket + ".other"
    #expect(withAddress(path) { bind(other, $0, $1) } == 0 && listen(other, 1) == 0)
    #expect(rename(path, hub.socket) == 0)
    #expect(hub.wait { hub.process?.isRunning == false })
    #expect(hub.process?.terminationStatus == 1)
    #expect(hub.log.contains("another hub serves \(hub.socket)"))
    // The other hub's socket is kept.
    #expect(FileManager.default.fileExists(atPath: hub.socket))
  }

  @Test(arguments: ["storehubd", "storeterm"])
  func anEmptySocketPathIsRefused(name: String) throws {
    let outcome = try Program(name: name).run("--socket", "")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--socket needs the path of a socket"))
  }

  @Test(arguments: [
    "nonsense", "ftp://localhost", "http://", "http://localhost/facts?number=", "http://localhost:123456",
  ])
  func aFactURLMustBeAWebAddress(url: String) throws {
    let path = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    let outcome = try Program(name: "storehubd").run("--socket", path, "--fact-url", url)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--fact-url") && outcome.errors.contains(url))
  }

  @Test func aHubWhoseLogNobodyReadsGoesOn() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let storehubd = URL(
      fileURLWithPath: CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    )
    .deletingLastPathComponent().appendingPathComponent("storehubd").path
    let full = Pipe()
    process.standardError = full
    process.arguments = ["-c", "exec '\(storehubd)' --socket '\(hub.socket)' --log-level debug"]
    try process.run()
    #expect(hub.wait { FileManager.default.fileExists(atPath: hub.socket) })
    // Each run logs a few hundred lines, more than a pipe can hold.
    for _ in 0..<3 {
      let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-c", "400", "-n", "400")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
