import ComposableArchitecture
import EventLoop
import Foundation
import Synchronization
import Testing

@testable import StoreHub

/// Where the effects of a hub run.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EffectPlaceTests {
  @Test func effectsRunOnTheLoopUnlessTheyAskForThePool() async throws {
    let bench = try Bench()
    let clocks = try LoopClocks(on: bench.loop)
    let engine = withDependencies {
      $0.sleep(by: clocks)
    } operation: {
      FeatureEngine(initialState: Places.State(), reducer: Places())
    }
    let server = try bench.serve(engine)
    engine.send(.asked)
    #expect(await bench.until { engine.state.answers.count == 4 })
    #expect(engine.state.answers == ["begins true", "wakes true", "scheduler true", "detached false"])
    engine.send(.askedOnPool)
    #expect(await bench.until { engine.state.answers.count == 6 })
    #expect(engine.state.answers.suffix(2) == ["pool false", "pool wakes false"])
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func anEffectThatBlocksTheLoopIsNamed() async throws {
    let bench = try Bench()
    let file = try #require(tmpfile())
    let engine = FeatureEngine(initialState: Places.State(), reducer: Places())
    let server = try HubServer(
      engine, loop: bench.loop, path: bench.path,
      log: Log(program: "test", level: .warning, descriptor: fileno(file)))
    engine.send(.blocked)
    #expect(await bench.until { engine.state.answers == ["blocked"] })
    rewind(file)
    let text = String(decoding: FileHandle(fileDescriptor: fileno(file)).readDataToEndOfFile(), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("by the effect") }
    // One, and others for pauses of this thread.
    #expect(!lines.isEmpty)
    #expect(text.contains("ms by the effect \"import\" at StoreHubTests/EffectPlaceTests.swift:"))
    #expect(text.contains("belongs on the pool: .run(on: .pool)"))
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aStoppedHubEndsItsSleepingEffects() async throws {
    let bench = try Bench()
    let clocks = try LoopClocks(on: bench.loop)
    let ends = Ends()
    let engine = withDependencies {
      $0.sleep(by: clocks)
    } operation: {
      FeatureEngine(initialState: Places.State(), reducer: Places(ends: ends))
    }
    let server = try bench.serve(engine)
    for _ in 0..<100 { engine.send(.slept) }
    #expect(await bench.until { clocks.sleeperCount == 100 })
    #expect(await bench.stop(server))
    #expect(await bench.until { ends.count == 100 })
    bench.clean()
  }

  /// The number of effects that have ended.
  nonisolated final class Ends: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  /// Its effects tell whether they run on the loop.
  struct Places: Reducer {
    @Replicated struct State: Equatable {
      var answers: [String] = []
    }

    @Replicated enum Action: Sendable {
      case asked
      case askedOnPool
      case blocked
      case slept
      case answered(String)
    }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.mainQueue) var mainQueue
    var ends = Ends()

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .asked:
          return .run { [clock, mainQueue] send in
            await send(.answered("begins \(isOnLoop())"))
            try await clock.sleep(for: .milliseconds(1))
            await send(.answered("wakes \(isOnLoop())"))
            try await mainQueue.sleep(for: .milliseconds(1))
            await send(.answered("scheduler \(isOnLoop())"))
            await send(.answered("detached \(Task.detached { isOnLoop() }.value)"))
          }
        case .askedOnPool:
          return .run(on: .pool) { [clock] send in
            await send(.answered("pool \(isOnLoop())"))
            try await clock.sleep(for: .milliseconds(1))
            await send(.answered("pool wakes \(isOnLoop())"))
          }
        case .blocked:
          return .run(name: "import") { send in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .nanoseconds(Int64(LoopTasks.blocking)) {}
            await send(.answered("blocked"))
          }
        case .slept:
          return .run { [clock, ends] _ in
            try? await clock.sleep(for: .seconds(3600))
            ends.add()
          }
        case .answered(let answer):
          state.answers.append(answer)
          return .none
        }
      }
    }
  }
}

/// True on the thread of a loop that runs, as the main queue knows it.
private nonisolated func isOnLoop() -> Bool { MainThread.isCurrent }
