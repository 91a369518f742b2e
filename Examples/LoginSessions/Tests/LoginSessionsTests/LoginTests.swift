import ComposableTesting
import EventLoop
import Foundation
import Glibc
import LoginSessions
import SystemBus
import Testing

@testable import sessionshub

/// The machine's status through logind's interface, on a separate bus with a mock of logind.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LoginTests {
  @Test func theStatusFollowsTheService() async throws {
    let bench = try BusBench()
    defer { bench.end() }
    #expect(await bench.serve())
    let store = try bench.monitor()
    #expect(await bench.loop.pump { store.status == MachineStatus(sessions: 2) })

    bench.login.properties["NCurrentSessions"] = .unsigned(3)
    bench.login.emit("SessionNew")
    #expect(await bench.loop.pump { store.status?.sessions == 3 })

    bench.login.properties["PreparingForShutdown"] = .bool(true)
    bench.login.emit("PrepareForShutdown")
    #expect(await bench.loop.pump { store.status == MachineStatus(sessions: 3, isShuttingDown: true) })
  }

  @Test func aServiceThatIsAwayIsTriedAgain() async throws {
    let bench = try BusBench()
    defer { bench.end() }
    let store = try bench.monitor()
    #expect(await bench.loop.pump { store.failure?.contains("org.freedesktop.login1 does not answer") == true })
    #expect(await bench.serve())
    #expect(await bench.loop.pump { bench.clock.sleeperCount == 1 })
    await bench.clock.advance(by: MachineMonitor.retryInterval)
    #expect(await bench.loop.pump { store.status == MachineStatus(sessions: 2) && store.failure == nil })

    bench.login.leave()
    #expect(await bench.loop.pump { store.status == nil && store.failure != nil })
  }

  @Test func aBusThatEndsIsReported() async throws {
    let bench = try BusBench()
    defer { bench.end() }
    #expect(await bench.serve())
    let store = try bench.monitor()
    #expect(await bench.loop.pump { store.status != nil })
    bench.stopDaemon()
    #expect(await bench.loop.pump { store.failure?.contains("there is no message bus") == true })
  }

  @Test func withoutABusThereIsAnError() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    #expect(throws: BusError.self) { _ = try SystemBus(loop: loop, address: "unix:path=/nowhere/bus") }
  }

  /// Uses the machine's own logind if `scripts/system-test` runs one.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["STOREHUB_LOGIND"] != nil))
  func theRealServiceCountsSessions() async throws {
    let loop = try EventLoop()
    defer { loop.close() }
    let bus = try SystemBus(loop: loop)
    let store = Store(initialState: MachineMonitor.State()) {
      MachineMonitor()
    } withDependencies: {
      $0.machine = .login(over: bus)
      $0.continuousClock = ContinuousClock()
    }
    store.send(.started)
    #expect(await loop.pump { store.status != nil })
    let status = try #require(store.status)
    #expect(!status.isShuttingDown)

    for _ in 1...2 {
      try run(
        "systemd-run", "--unit=storehub-session", "--property=PAMName=login", "--property=User=root", "sleep", "600")
      #expect(await loop.pump { store.status?.sessions == status.sessions + 1 && store.failure == nil })
      try run("systemctl", "stop", "storehub-session")
      #expect(await loop.pump { store.status?.sessions == status.sessions && store.failure == nil })
      // The monitor survives the service.
      try run("systemctl", "kill", "--signal=KILL", "systemd-logind")
      try run("systemctl", "restart", "systemd-logind")
    }
  }

  private func run(_ arguments: String...) throws {
    let program = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: arguments)
    program.waitUntilExit()
    #expect(program.terminationStatus == 0, "\(arguments)")
  }

  @Test func aTestStoreSeesTheFeature() async {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: MachineStatus.self)
    var state = MachineMonitor.State()
    let store = Store(initialState: state) {
      MachineMonitor()
    } withDependencies: {
      $0.machine = MachineClient(statuses: { stream })
    }
    let task = store.send(.started)
    continuation.yield(MachineStatus(sessions: 1))
    continuation.finish()
    await task.finish()
    state.status = MachineStatus(sessions: 1)
    #expect(store.state == state)
  }
}

/// A bus with a mock of logind, and a loop.
final class BusBench {
  let loop: EventLoop
  let clock = TestClock()
  let login: MockLogin
  private let directory: String
  private let daemon = Process()
  private let bus: SystemBus

  init() throws {
    loop = try EventLoop()
    directory = NSTemporaryDirectory() + "storehub-bus-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let address = "unix:path=\(directory)/bus"
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow send_type="signal"/><allow receive_sender="*"/><allow own="*"/></policy>
      </busconfig>
      """
    try configuration.write(toFile: "\(directory)/bus.conf", atomically: true, encoding: .utf8)
    daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    daemon.arguments = [
      "dbus-daemon", "--nofork", "--nopidfile", "--config-file=\(directory)/bus.conf", "--print-address",
    ]
    let ready = Pipe()
    daemon.standardOutput = ready
    try daemon.run()
    // The daemon prints its address when it listens.
    _ = ready.fileHandleForReading.availableData
    bus = try SystemBus(loop: loop, address: address)
    login = MockLogin(bus: try SystemBus(loop: loop, address: address))
  }

  /// Starts the service.
  func serve() async -> Bool {
    login.serve()
    return await loop.pump { self.login.isServing }
  }

  /// Creates a store that watches the service.
  func monitor() throws -> StoreOf<MachineMonitor> {
    let store = Store(initialState: MachineMonitor.State()) {
      MachineMonitor()
    } withDependencies: { [bus, clock] in
      $0.machine = .login(over: bus)
      $0.continuousClock = clock
    }
    store.send(.started)
    return store
  }

  /// Uses a signal that cannot be blocked, since test threads block the others, and child processes inherit that.
  func stopDaemon() {
    kill(daemon.processIdentifier, SIGKILL)
  }

  func end() {
    if daemon.isRunning { stopDaemon() }
    loop.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
