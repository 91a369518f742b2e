import Dispatch
import EventLoop
import Features
import Glibc
import HubCore
import ServiceManager
import Testing
import TurnLog
import Wire

@testable import StoreHub

/// A log that never stores anything, as with a disk that does not respond.
private nonisolated final class StuckLog: TurnLog {
  let tail: UInt64 = 0
  func append(_ turns: [LoggedTurn]) {}
  func save(_ snapshot: LogSnapshot) {}
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] { [] }
  func trim(before position: UInt64) {}
}

@Suite(.serialized, .timeLimit(.minutes(30))) struct LifecycleTests {
  @Test func aStuckLogCannotHoldUpTheEnd() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
    let recovery = Recovery(of: engine)
    let recording = Recording(
      turnLog: StuckLog(), mailbox: TurnLogMailbox(), history: recovery.history(id: 1, sessions: []), durability: .sync)
    let log = Log(program: "test", level: .error, descriptor: -1)
    let life = try ServiceLifecycle(loop: bench.loop, log: log)
    life.stopLimit = .milliseconds(50)
    let server = try HubServer(engine, loop: bench.loop, path: bench.path, recording: recording, log: log)
    engine.send(.counter(.incrementButtonTapped))
    try life.serve(server, recording)
    life.stop(reason: "a test")
    #expect(life.run() == 1)
    bench.clean()
  }

  /// The service manager was promised an end within the limit.
  @Test func closingTheJournalHasOnlyTheRestOfTheTime() async throws {
    await #expect(processExitsWith: .exitCode(1)) { @MainActor in
      let bench = try Bench()
      let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
      let mailbox = TurnLogMailbox()
      let recording = Recording(
        turnLog: StuckLog(), mailbox: mailbox, history: Recovery(of: engine).history(id: 1, sessions: []),
        durability: .sync
      ) {
        // Less than the whole limit, and far more than its rest, so that a pause changes nothing.
        sleep(18)
        _exit(7)
      }
      let life = try ServiceLifecycle(loop: bench.loop, log: Log(program: "test", level: .error, descriptor: -1))
      life.stopLimit = .seconds(20)
      let server = try HubServer(
        engine, loop: bench.loop, path: bench.path, recording: recording,
        log: Log(program: "test", level: .error, descriptor: -1))
      engine.send(.counter(.incrementButtonTapped))
      try life.serve(server, recording)
      life.stop(reason: "a test")
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(17)) { @Sendable in
        mailbox.post(.stored(upTo: 1))
      }
      exit(life.run())
    }
  }

  /// Clients that connect during a hand-over belong to the next process.
  @Test func aConnectionThatEndsDuringAHandOverAdmitsNoOther() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
    let recording = Recording(
      turnLog: StuckLog(), mailbox: TurnLogMailbox(), history: Recovery(of: engine).history(id: 1, sessions: []),
      durability: .sync)
    var limits = HubLimits()
    limits.helloTimeout = .milliseconds(500)
    let server = try HubServer(
      engine, limits: limits, loop: bench.loop, path: bench.path, recording: recording, log: silent)
    engine.send(.counter(.incrementButtonTapped))
    let (first, result) = bench.socket(connect)
    #expect(result == 0)
    #expect(await bench.until { server.connectionCount == 1 })
    var isOver = false
    server.handOver(to: ServiceManager()) { _ in isOver = true }
    let (second, secondResult) = bench.socket(connect)
    #expect(secondResult == 0)
    // It never says hello, and the hub closes it.
    var buffer = [UInt8](repeating: 0, count: 1024)
    #expect(await bench.until { recv(first, &buffer, buffer.count, CInt(MSG_DONTWAIT)) == 0 })
    // The loop polls all descriptors before this timer fires.
    var hasFired = false
    let timer = try Timer(on: bench.loop) { hasFired = true }
    timer.start(after: .milliseconds(20))
    #expect(await bench.until { hasFired })
    #expect(server.connectionCount == 0 && !isOver)
    timer.stop()
    close(first)
    close(second)
    server.abandon()
    bench.clean()
  }

  @Test func theWatchdogIsFedAfterTurnsOfTheLoop() async throws {
    let bench = try Bench()
    // A loop without events does not turn.
    let server = try bench.serve()
    var count = 0
    let watchdog = try Watchdog(on: bench.loop, interval: .milliseconds(20), log: silent) {
      nil
    } feed: {
      count += 1
    }
    // A loop that does not turn never feeds the watchdog.
    usleep(50_000)
    #expect(count == 0)
    #expect(await bench.until { count >= 3 })
    withExtendedLifetime(watchdog) {}
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func theWatchdogStarvesWhileNothingIsStored() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var (count, stored, checks) = (0, UInt64(1), 0)
    let watchdog = try Watchdog(on: bench.loop, interval: .milliseconds(10), log: silent) {
      checks += 1
      return (true, stored)
    } feed: {
      count += 1
    }
    // The first check cannot know how long the turns have waited.
    #expect(await bench.until { checks >= 5 })
    #expect(count == 1)
    stored = 2
    #expect(await bench.until { count == 2 })
    withExtendedLifetime(watchdog) {}
    #expect(await bench.stop(server))
    bench.clean()
  }

  private var silent: Log { Log(program: "test", level: .error, descriptor: -1) }
}
