import EventLoop
import Features
import Glibc
import HubCore
import StoreHub
import Testing
import TurnLog
import Wire

/// A log that never stores anything, as with a disk that does not respond.
private nonisolated final class StuckLog: TurnLog {
  let tail: UInt64 = 0
  func append(_ turns: [LoggedTurn]) {}
  func save(_ snapshot: LogSnapshot) {}
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] { [] }
  func trim(before position: UInt64) {}
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct LifecycleTests {
  @Test func aStuckLogCannotHoldUpTheEnd() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
    let recovery = Recovery(of: engine)
    let recording = Recording(
      log: StuckLog(), mailbox: LogMailbox(), history: recovery.history(id: 1, sessions: []), durability: .sync)
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
