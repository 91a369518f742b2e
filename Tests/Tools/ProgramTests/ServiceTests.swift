import Foundation
import TestSupport
import Testing

/// A hub as a service: notifications of the service manager, signals, stopping, and restarts that clients do not
/// notice.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled)) struct ServiceTests {
  // MARK: Notifications

  @Test func theServiceManagerIsToldWhatTheHubDoes() throws {
    let hub = try ManagedHub(watchdog: 0.4)
    #expect(hub.events.contains("notified READY=1 STATUS=0 connections, revision 0"))
    #expect(hub.wait { hub.count("WATCHDOG=1 STATUS=0 connections") >= 3 })
    // 1 is SIGHUP.
    hub.notify("signal 1")
    #expect(hub.wait { hub.count("READY=1") == 2 })
    #expect(hub.count("notified RELOADING=1 MONOTONIC_USEC=") == 1)
    #expect(hub.log.contains("reloaded: "))
    hub.notify("signal 15")
    #expect(hub.wait { hub.events.last == "ended" })
    #expect(hub.count("notified STOPPING=1 STATUS=stopping: received SIGTERM") == 1)
  }

  @Test func aRecoveryIsTold() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state])
    #expect(hub.events[1].hasPrefix("notified STATUS=reading the journal EXTEND_TIMEOUT_USEC="))
    // The table of connections at rest.
    #expect(hub.events[2] == "stored storehub-idle 1")
    #expect(hub.events[3].hasPrefix("notified READY=1"))
  }

  /// `systemctl status` shows the mistake until it is corrected.
  @Test func aReloadWithAMistakeChangesNothing() throws {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let hub = try ManagedHub(["--config", "-" + file], watchdog: 0.4)
    hub.notify("signal 1")
    #expect(hub.wait { hub.log.contains("info: reloaded: there is no configuration file") })
    try "[limits]\nscopes = none\n".write(toFile: file, atomically: true, encoding: .utf8)
    hub.notify("signal 1")
    let mistake = "the configuration is unchanged: \(file):2: 'scopes' is 'none'"
    #expect(hub.wait { hub.log.contains("error: \(mistake)") })
    #expect(hub.wait { hub.count("notified READY=1 STATUS=0 connections, revision 0; \(mistake)") == 1 })
    #expect(hub.wait { hub.count("notified WATCHDOG=1 STATUS=0 connections, revision 0; \(mistake)") > 0 })
    try "[limits]\nscopes = 7\n".write(toFile: file, atomically: true, encoding: .utf8)
    hub.notify("signal 1")
    #expect(hub.wait { hub.log.contains("info: reloaded: the rights are those of \(file);") })
    #expect(hub.wait { hub.events.last == "notified WATCHDOG=1 STATUS=0 connections, revision 0" })
  }

  /// The service manager's own text would be the exit status only.
  @Test func aHubThatCannotStartTellsTheReason() throws {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let hub = try ManagedHub(["--config", "-" + file])
    try "[limits]\nscopes = none\n".write(toFile: file, atomically: true, encoding: .utf8)
    hub.notify("restart")
    #expect(hub.wait { hub.events.last == "ended" })
    #expect(hub.count("notified STATUS=cannot start: \(file):2: 'scopes' is 'none'") == 1)
  }

  /// If it ended immediately, the service manager would soon give up, although the problem may pass.
  @Test func aHubWhoseStateDirectoryIsInUsePausesBeforeItEnds() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let first = try ManagedHub(["--state-dir", state])
    let second = try ManagedHub(["--state-dir", state], isWaiting: false)
    let pauses = { second.count("notified STATUS=the next attempt follows in 5 s: ") }
    #expect(second.wait { pauses() == 1 })
    #expect(second.count("notified STATUS=cannot start: ") == 1)
    // On a busy machine, a pause may be over before it is interrupted.
    for number in 1...20 {
      second.notify("restart")
      try #require(second.wait { pauses() > number }, "\(second.events)")
      if second.events.contains("ended -12") { break }
    }
    #expect(second.events.contains("ended -12"), "the pause was not interrupted: \(second.events)")
    first.notify("signal 15")
    #expect(first.wait { first.events.last == "ended" })
    second.notify("restart")
    #expect(second.wait { second.count("READY=1") == 1 })
  }

  /// A reducer that never returns keeps the loop from logging anything.
  @Test func theActionBehindAnAbortedHubIsNamed() throws {
    let hub = try ManagedHub(program: "blockedhub", watchdog: 600)
    let client = Program(name: "storectl")
    #expect(try client.run(["--socket", hub.socket, "send", "counted"]).status == 0)
    let sender = try client.start(["--socket", hub.socket, "send", "blocked"], errors: hub.directory + "/send")
    try #require(hub.wait { hub.log.contains("the reducer blocks") })
    // 6 is SIGABRT, which a watchdog sends.
    hub.notify("signal 6")
    #expect(hub.wait { hub.events.last == "ended" })
    #expect(
      hub.log.contains(
        "<3>received SIGABRT, which a watchdog sends if the loop is blocked; the last actions were blocked"))
    #expect(hub.count("notified STATUS=received SIGABRT") == 1)
    sender.waitUntilExit()
    #expect(sender.terminationStatus != 0)
  }

  // MARK: Activation

  @Test func aHubServesTheSocketThatItIsPassed() throws {
    let hub = try ManagedHub(activated: true)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "100").status == 0)
    hub.notify("signal 15")
    #expect(hub.wait { hub.events.last == "ended" })
    // The socket belongs to the service manager.
    #expect(FileManager.default.fileExists(atPath: hub.socket))
    #expect(!FileManager.default.fileExists(atPath: hub.socket + ".lock"))
  }

  @Test func clientsWaitWhileAnActivatedHubIsAway() throws {
    let hub = try ManagedHub(activated: true)
    try hub.restart("kill")
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "100").status == 0)
    #expect(hub.count("READY=1") == 2)
  }

  /// Clients of the socket that the hub had bound itself do not wait for a hub that serves another one.
  @Test func aSocketThatIsNotServedAnyMoreRefusesClients() throws {
    let hub = try ManagedHub()
    try hub.restart()
    #expect(hub.count("stored storehub-listener") == 1)
    let passed = hub.directory + "/passed.sock"
    hub.notify("activate \(passed)")
    try hub.restart()
    #expect(try Program(name: "storectl").run("--socket", passed, "--timeout", "120s", "status").status == 0)
    let refused = try Program(name: "storectl").run("--socket", hub.socket, "--timeout", "120s", "status")
    // A hub that does not answer would be status 6.
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(hub.wait { hub.count("removed storehub-listener") > 0 })
  }

  // MARK: Restarts

  /// One connection over the lives of several processes. The load program fails if it is closed, or if an action is
  /// lost or takes effect twice; `storectl watch` ends with its connection.
  @Test(arguments: [true, false], ["memory", "async", "sync"])
  func nobodyNoticesARestart(activated: Bool, durability: String) throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state, "--durability", durability], activated: activated)
    let watcher = try Program(name: "storectl").start(
      ["--socket", hub.socket, "watch"], errors: hub.directory + "/watch")
    defer { watcher.terminate() }
    #expect(
      hub.wait {
        (try? String(contentsOfFile: "/proc/\(watcher.processIdentifier)/comm", encoding: .utf8)) == "storectl\n"
      })
    let load = try Program(name: "storeload").start(
      ["--socket", hub.socket, "-c", "20", "-d", "16", "-n", "100000000", "--alone"], errors: hub.directory + "/load")
    // 10 is SIGUSR1.
    #expect(
      hub.wait {
        hub.notify("signal 10")
        // The load program has one more connection.
        return hub.log.contains("info: 22 connections")
      })
    let restarts = 6
    for _ in 1...restarts { try hub.restart() }
    // It verifies what it has sent, and ends with another status if something is wrong.
    kill(load.processIdentifier, SIGINT)
    load.waitUntilExit()
    #expect(
      load.terminationStatus == 130, "\((try? String(contentsOfFile: hub.directory + "/load", encoding: .utf8)) ?? "")")
    #expect(watcher.isRunning)
    #expect(hub.count("ended 0") == restarts)
    // At least the watcher's connection.
    #expect(hub.log.components(separatedBy: "took over").count == restarts + 1 && !hub.log.contains("took over 0 "))
  }

  /// The connections and the state of the previous process are kept until a start succeeds.
  @Test func aStartThatFailsLeavesTheStateToTheNextOne() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let metrics = state + ".metrics"
    let hub = try ManagedHub(["--durability", "memory", "--state-dir", state, "--metrics", metrics])
    let client = try RawClient(hub.socket)
    client.send(RawClient.hello)
    #expect(client.receive().first == 0x81)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "5").status == 0)
    // The endpoint of the metrics cannot be opened.
    try FileManager.default.removeItem(atPath: metrics)
    try FileManager.default.createDirectory(atPath: metrics, withIntermediateDirectories: false)
    hub.notify("restart")
    #expect(hub.wait { hub.events.contains("ended") }, "\(hub.events) \(hub.log)")
    try FileManager.default.removeItem(atPath: metrics)
    try hub.restart()
    #expect(try Program(name: "storectl").run("--socket", hub.socket, "state", "counter.count").output == "5\n")
    client.send(RawClient.frame(kind: 4, payload: [0x18, 0x2a]))
    #expect(client.receive().first == 0x88)
  }

  /// Half of a frame is sent before the restart, and the rest after it.
  @Test func aFrameThatIsCutByARestartIsPutTogether() throws {
    let file = try patientConfiguration()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let hub = try ManagedHub(["--durability", "memory", "--config", file])
    let client = try RawClient(hub.socket)
    client.send(RawClient.hello)
    #expect(client.receive().first == 0x81)
    let ping: [UInt8] = RawClient.frame(kind: 4, payload: [0x18, 0x2a])
    client.send(Array(ping.prefix(17)))
    usleep(50_000)
    try hub.restart()
    client.send(Array(ping.dropFirst(17)))
    #expect(client.receive().first == 0x88)
    #expect(hub.log.contains("took over 1 connection of"))
  }

  /// The service manager waits for the end of the process, so the signal must not be lost.
  @Test(arguments: ["async", "sync"]) func aRestartDuringARecoveryIsAHandOver(durability: String) throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let options = ["--state-dir", state, "--durability", durability]
    do {
      let hub = try ManagedHub(options)
      #expect(
        try Program(name: "storeload").run("--socket", hub.socket, "-c", "4", "-d", "16", "-n", "20000").status == 0)
    }
    let hub = try ManagedHub(options, managerOptions: ["--restart-at", "reading the journal"], isWaiting: false)
    #expect(hub.wait { hub.count("READY=1") == 2 }, "\(hub.events) \(hub.log)")
    #expect(hub.count("ended 0") == 1)
    #expect(hub.log.contains("stopping: received SIGUSR2") && hub.log.contains("left 0 connections at revision"))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
  }

  /// After a restart, other connections than before have places among those at rest.
  @Test func aRestartHasRoomBesideTheConnectionsAtRest() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    // Places for 30 connections.
    let hub = try ManagedHub(["--state-dir", state], managerOptions: ["--store-limit", "54"])
    var clients = try (0..<30).map { _ in try client(of: hub) }
    #expect(kept(by: hub, 30))
    for _ in 0..<25 { clients.append(try client(of: hub)) }
    clients.removeFirst(25)
    // The later ones get their places, and new ones their numbers.
    #expect(hub.wait { hub.count("stored storehub-idle-") == 55 && hub.count("removed storehub-idle-") == 25 })
    for _ in 0..<25 { clients.append(try client(of: hub)) }
    for round in 1...2 {
      try hub.restart()
      #expect(
        hub.log.components(separatedBy: "took over 55 connections of the previous process").count == round + 1,
        "\(hub.log)")
      #expect(hub.hasAtRest(30))
      #expect(kept(by: hub, 30))
    }
    for client in clients {
      client.send(Self.ping)
      #expect(client.receive().first == 0x88)
    }
    #expect(hub.count("rejected") == 0)
  }

  /// Its socket soon has no room for further messages.
  @Test func aServiceManagerThatIsStoppedHoldsNoClientUp() throws {
    let hub = try ManagedHub()
    let (client, process) = (try client(of: hub), try #require(hub.process))
    let room = try String(contentsOfFile: "/proc/sys/net/unix/max_dgram_qlen", encoding: .utf8)
    // Each reload sends two messages.
    let count = try #require(Int(room.trimmingCharacters(in: .whitespacesAndNewlines))) / 2 + 5
    hub.halt()
    defer { hub.resume() }
    for number in 1...count {
      kill(process, SIGHUP)
      try #require(hub.wait { hub.log.components(separatedBy: "reloaded: ").count > number }, "\(number): \(hub.log)")
    }
    client.send(Self.ping)
    #expect(client.receive().first == 0x88)
    hub.resume()
    #expect(hub.wait { hub.count("READY=1") == 1 + count })
  }

  // MARK: Crashes

  /// Writes a configuration for hubs that wait long for the rest of a frame, and returns its path.
  private func patientConfiguration() throws -> String {
    let file = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    try "[limits]\nframe-timeout = 600s\nhello-timeout = 600s\n".write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  private static let ping = RawClient.frame(kind: 4, payload: [0x18, 0x2a])

  private func client(of hub: ManagedHub) throws -> RawClient {
    let client = try RawClient(hub.socket)
    client.send(RawClient.hello)
    // A welcome.
    try #require(client.receive().first == 0x81, "\(hub.log)")
    return client
  }

  /// Waits until the service manager has a number of connections at rest.
  private func kept(by hub: ManagedHub, _ count: Int) -> Bool {
    hub.wait { hub.count("stored storehub-idle-") - hub.count("removed storehub-idle-") == count }
  }

  @Test(arguments: [true, false]) func connectionsAtRestSurviveACrash(activated: Bool) throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let file = try patientConfiguration()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let hub = try ManagedHub(["--state-dir", state, "--config", file], activated: activated)
    let (quiet, cut) = (try client(of: hub), try client(of: hub))
    let watcher = try Program(name: "storectl").start(
      ["--socket", hub.socket, "watch"], errors: hub.directory + "/watch")
    defer { watcher.terminate() }
    #expect(kept(by: hub, 3))
    #expect(hub.hasAtRest(3))
    for round in 1...3 {
      // The hub has read half of a frame; the next process will read the rest.
      if round == 3 {
        cut.send(Array(Self.ping.prefix(17)))
        #expect(hub.hasAtRest(2))
      }
      try hub.restart("kill")
      quiet.send(Self.ping)
      #expect(quiet.receive().first == 0x88, "\(hub.log)")
      #expect(hub.log.contains("took over \(round == 3 ? 2 : 3) connections at rest"))
      #expect(hub.hasAtRest(round == 3 ? 2 : 3))
    }
    #expect(cut.receive().isEmpty)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "100").status == 0)
    #expect(watcher.isRunning)
    // A restart after a crash, and a crash after a restart.
    try hub.restart()
    quiet.send(Self.ping)
    #expect(quiet.receive().first == 0x88)
    #expect(hub.hasAtRest(2))
    try hub.restart("kill")
    quiet.send(Self.ping)
    #expect(quiet.receive().first == 0x88)
    #expect(watcher.isRunning)
  }

  /// The service manager has a copy of the socket, which must not keep the connection open.
  @Test func aConnectionThatTheHubClosesEndsAlthoughItIsKept() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state])
    let (first, second) = (try client(of: hub), try client(of: hub))
    #expect(kept(by: hub, 2))
    // An unknown kind of frame.
    first.send(RawClient.frame(kind: 99))
    #expect(first.receive().first == 0x86)
    #expect(first.receive().isEmpty)
    #expect(kept(by: hub, 1))
    hub.notify("signal 15")
    #expect(second.receive().isEmpty == false)
    #expect(second.receive().isEmpty)
  }

  @Test(arguments: ["memory", "async"]) func aHubThatMayLoseWhatClientsKnowKeepsNoConnections(durability: String) throws
  {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state, "--durability", durability])
    let client = try client(of: hub)
    usleep(500_000)
    #expect(hub.count("stored") == 0)
    try hub.restart("kill")
    #expect(client.receive().isEmpty)
  }

  /// The connections at rest belong to a journal that no longer exists.
  @Test func connectionsAtRestOfAnotherJournalAreClosed() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state, "--new-history"])
    let client = try client(of: hub)
    #expect(kept(by: hub, 1))
    try hub.restart("kill \(state)")
    #expect(client.receive().isEmpty)
    #expect(kept(by: hub, 0))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
  }

  @Test func withoutAServiceManagerNothingIsLeftToTheNextProcess() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    #expect(kill(process, SIGUSR2) == 0)
    #expect(hub.wait { hub.log.contains("no service manager keeps them") })
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
  }

  /// A hub whose journal has changed without the connections must not take them over.
  @Test func connectionsOfAnotherStateAreClosed() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try ManagedHub(["--state-dir", state, "--new-history"])
    let client = try RawClient(hub.socket)
    client.send(RawClient.hello)
    #expect(client.receive().first == 0x81)
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
    // The next process finds no journal.
    try hub.restart("restart \(state)")
    #expect(client.receive().isEmpty)
    #expect(hub.log.contains("cannot be taken over: the journal does not end where the previous process left it"))
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
  }

  // MARK: Signals

  @Test(arguments: [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGXFSZ, 34, 50, 64])
  func aSignalDoesNotEndAHubWithoutAWord(number: Int32) throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    #expect(kill(process, number) == 0)
    switch number {
    case SIGUSR1: #expect(hub.wait { hub.log.contains("0 connections, revision 0") })
    case SIGXFSZ, 34...: break
    default: #expect(hub.wait { hub.log.contains("is ignored") })
    }
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "10").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
  }

  @Test func aClientThatDoesNotReadCannotHoldUpTheEnd() throws {
    let hub = try HubProcess()
    let client = try RawClient(hub.socket)
    client.stuff()
    #expect(hub.kill(SIGTERM) == 0)
    #expect(hub.log.contains("stopped"))
  }

  @Test func theTimeForAStopHasALimit() throws {
    // A hub that is paused for a while may not have filled its socket.
    for _ in 0..<20 {
      let hub = try HubProcess(options: ["--stop-limit", "10ms"])
      let client = try RawClient(hub.socket)
      client.stuff()
      if hub.kill(SIGTERM) == 1 {
        return #expect(hub.log.contains("could not stop within") && hub.log.contains("ends now: 1 client with unread"))
      }
    }
    Issue.record("each hub has stopped although its client did not read")
  }

  @Test func aSecondSignalEndsAHubAtOnce() throws {
    // The hub gives the client a second, in which the test may be paused.
    for _ in 0..<20 {
      let hub = try HubProcess()
      let client = try RawClient(hub.socket)
      client.stuff()
      let process = try #require(hub.process?.processIdentifier)
      #expect(kill(process, SIGTERM) == 0)
      #expect(hub.wait { hub.log.contains("stopping: received SIGTERM") })
      if hub.kill(SIGTERM) == SIGTERM { return #expect(!hub.log.contains("stopped")) }
    }
    Issue.record("the second signal has never ended the hub")
  }
}

/// A client that sends and receives bytes.
final class RawClient {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  static func frame(kind: UInt8, payload: [UInt8] = []) -> [UInt8] {
    [UInt8(payload.count), 0, 0, 0, kind] + [UInt8](repeating: 0, count: 11) + payload
  }

  static let hello = frame(kind: 1, payload: [0xa3, 0, 1, 1, 1, 4, 0x67, 0x65, 0x78, 0x61, 0x6d, 0x70, 0x6c, 0x65])

  /// The hub may have closed the connection: what is received then says so.
  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }

  /// Returns the kind and the bytes of the next frame; empty at the end of the stream.
  func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 4 ? [bytes[4]] + bytes[..<count] : []
  }

  /// Requests schemas without reading them, until the hub's socket is full: nothing more arrives for a while.
  func stuff() {
    send(Self.hello)
    var (count, quiet): (CInt, Int) = (0, 0)
    _ = poll {
      // One at a time: the hub answers those that it reads at once together.
      send(Self.frame(kind: 8))
      var arrived: CInt = 0
      _ = ioctl(descriptor, UInt(FIONREAD), &arrived)
      quiet = arrived == count ? quiet + 1 : 0
      count = arrived
      return count > 4096 && quiet >= 100
    }
  }
}
