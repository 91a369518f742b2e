import ComposableArchitecture
import EventLoop
import HubCore
import StoreHub
import Testing
import Wire

/// Reads what may differ on another machine.
private nonisolated struct Weather: DependencyKey, Sendable {
  var now: @Sendable () -> String

  static let liveValue = Weather { "rain" }
}

/// A hub names in its log what its reducer reads that is not reproducible.
@Suite(.timeLimit(.minutes(30))) struct IrreproducibleReadTests {
  nonisolated struct Diary: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var entries: [String] = []
    }

    @Replicated
    enum Action: Sendable {
      case fetch
      case fetched(String)
      case read
    }

    @Dependency(Weather.self) fileprivate var weather

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .fetch: return .run { send in await send(.fetched(weather.now())) }
        case .fetched(let text): state.entries.append(text)
        case .read: state.entries.append(weather.now())
        }
        return .none
      }
    }
  }

  @Test func theLogNamesReadsOfTheReducerAndNotThoseOfEffects() async throws {
    let bench = try Bench()
    let recorder = LogRecorder(level: .warning)
    let diary = withDependencies {
      $0.context = .live
    } operation: {
      Diary()
    }
    let engine = FeatureEngine(initialState: Diary.State(), reducer: diary)
    let server = try HubServer(
      engine, name: "test hub", loop: bench.loop, path: bench.path,
      log: try #require(recorder.log))
    engine.send(.fetch)
    #expect(await bench.until { engine.state.entries == ["rain"] })
    // A pause of this thread is a warning, too.
    func warnings() -> [String] { recorder.lines.filter { !$0.contains("the loop was blocked for ") } }
    #expect(warnings().isEmpty)
    engine.send(.read)
    engine.send(.read)
    #expect(await bench.until { engine.state.entries.count == 3 })
    #expect(warnings().count == 1)
    #expect(warnings().first?.hasPrefix("test: warning: the reducer reads @Dependency(Weather.self) (") == true)
    #expect(await bench.stop(server))
    bench.clean()
  }
}
