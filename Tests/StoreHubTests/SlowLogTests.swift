import ComposableArchitecture
import EventLoop
import Synchronization
import Testing
import TurnLog
import Wire

@testable import StoreHub

/// Hubs whose log stores nothing until the test lets it.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SlowLogTests {
  @Test func actionsOfEffectsWaitInOrderForALogThatIsBehind() async throws {
    let bench = try Bench()
    let log = HeldLog()
    var limits = HubLimits()
    (limits.unstoredTurns, limits.postponedActions) = (0, 5)
    let engine = FeatureEngine(initialState: Counting.State(), reducer: Counting())
    let history = Recovery(of: engine).history(id: 1, sessions: [])
    let recording = Recording(turnLog: log, mailbox: log.mailbox, history: history, durability: .async)
    let server = try HubServer(
      engine, limits: limits, loop: bench.loop, path: bench.path, recording: recording,
      log: Log(program: "test", level: .error, descriptor: -1))
    engine.send(.begin)
    #expect(await bench.until { server.shell.core.postponedCount > 10 })
    // A loop that runs the main queue, which this one does not, would run no effects now.
    #expect(server.shell.suspendsEffects)
    #expect(log.count == 1 && engine.state.numbers.isEmpty)
    log.storeEverything()
    #expect(await bench.until { engine.state.numbers.count == Counting.count })
    #expect(engine.state.numbers == Array(1...Counting.count))
    #expect(!server.shell.suspendsEffects)
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Its effect sends far more actions than the log may be behind by.
  struct Counting: Reducer {
    static let count = 20

    @Replicated struct State: Equatable {
      var numbers: [Int] = []
    }

    @Replicated enum Action {
      case begin
      case number(Int)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .begin:
          return .run { send in
            for number in 1...Self.count { await send(.number(number)) }
          }
        case .number(let number):
          state.numbers.append(number)
          return .none
        }
      }
    }
  }
}

/// A log that holds turns until `storeEverything`, from which on it stores them at once.
private final class HeldLog: TurnLog {
  let mailbox = TurnLogMailbox()
  private let state = Mutex((tail: 0 as UInt64, held: [] as [LoggedTurn], isHolding: true))

  /// The number of turns that wait.
  var count: Int { state.withLock { $0.held.count } }

  func append(_ turns: [LoggedTurn]) {
    let stores = state.withLock { state in
      state.held += turns
      return !state.isHolding
    }
    if stores { storeEverything() }
  }

  func storeEverything() {
    let tail = state.withLock { state in
      state.tail = state.held.last?.position ?? state.tail
      (state.held, state.isHolding) = ([], false)
      return state.tail
    }
    mailbox.post(.stored(upTo: tail))
  }

  func save(_ snapshot: LogSnapshot) { mailbox.post(.saved(revision: snapshot.revision)) }
  var tail: UInt64 { state.withLock { $0.tail } }
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] { [] }
  func trim(before position: UInt64) {}
}
