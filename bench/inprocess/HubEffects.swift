import ComposableCore
import EventLoop
import Glibc
import HubCore
import ReplicatedArchitecture
import StoreHub

/// What the effects of a hub cost its process: `storebench --hub-effects` prints one line of JSON for `bench/effects.py`.
@MainActor
final class HubEffects {
  private let count = 50_000
  private let loop: EventLoop
  private let clocks: LoopClocks
  private let engine: FeatureEngine<Typing.State, Typing.Action>
  private let server: HubServer
  private var figures: [String: Double] = [:]

  init() throws {
    loop = try EventLoop()
    try loop.drainMainQueue()
    clocks = try LoopClocks(on: loop)
    engine = withDependencies { [clocks] in
      $0.sleep(by: clocks)
    } operation: {
      FeatureEngine(initialState: Typing.State(), reducer: Typing())
    }
    let path = "/tmp/storebench-\(getpid()).sock"
    server = try HubServer(engine, loop: loop, path: path, log: Log(program: "storebench", level: .error))
  }

  func run() throws {
    try measureLateness()
    // The first ones also pay for the runtime's caches.
    for _ in 0..<2 {
      figures["plain"] = try cost(of: .plain)
      figures["debounce"] = try cost(of: .debounced)
      figures["timer"] = try cost(of: .timed) { [self, before = engine.state.fired] in
        engine.state.fired == before + count
      }
    }
    let before = residentBytes()
    for _ in 0..<100_000 { engine.send(.slept) }
    while clocks.sleeperCount < 100_000 { loop.run(.noWait) }
    figures["sleeping"] = Double(residentBytes() - before) / 1_048_576
    print("{" + figures.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
    server.stop(reason: "the end") { [loop] in loop.stop() }
    loop.run()
  }

  /// The processor time of an action of its own turn, in microseconds.
  private func cost(of action: Typing.Action, until isOver: () -> Bool = { true }) throws -> Double {
    var left = count
    let start = processorTime()
    let turn = Turn()
    turn.timer = try Timer(on: loop) { [engine] in
      engine.send(action)
      left -= 1
      if left > 0 { turn.timer?.start(after: .zero) }
    }
    turn.timer?.start(after: .zero)
    while left > 0 || !isOver() { loop.run(.once) }
    return (processorTime() - start) * 1e6 / Double(count)
  }

  private final class Turn {
    var timer: Timer?
  }

  private func measureLateness() throws {
    for number in 1...50 {
      engine.send(.timedAlone)
      while engine.state.lateness.count < number { loop.run(.once) }
    }
    let sorted = engine.state.lateness.sorted()
    (figures["lateness"], figures["latest"]) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
  }

  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, CInt(line.count), file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: " ")
    return (Int(words[1]) ?? 0) * sysconf(CInt(_SC_PAGESIZE))
  }
}

/// A field whose search waits until nobody types, and timers.
@Reducer
struct Typing: Sendable {
  @Replicated
  struct State: Equatable, Sendable {
    var count = 0
    var fired = 0
    var lateness: [Double] = []
  }

  @Replicated
  enum Action: Sendable {
    case plain
    case debounced
    case timed
    case timedAlone
    case slept
    case searched
    case fired
    case late(microseconds: Double)
  }

  private enum CancelID { case search }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .plain: state.count += 1
      case .debounced:
        state.count += 1
        return .run { [clock] send in
          try await clock.sleep(for: .seconds(60))
          await send(.searched)
        }
        .cancellable(id: CancelID.search, cancelInFlight: true)
      case .timed:
        state.count += 1
        return .run { [clock] send in
          try await clock.sleep(for: .milliseconds(1))
          await send(.fired)
        }
      case .timedAlone:
        return .run { [clock] send in
          let due = ContinuousClock.now + .milliseconds(20)
          try await clock.sleep(for: .milliseconds(20))
          await send(.late(microseconds: (ContinuousClock.now - due) / .microseconds(1)))
        }
      case .slept: return .run { [clock] _ in try await clock.sleep(for: .seconds(3600)) }
      case .searched: break
      case .fired: state.fired += 1
      case .late(let time): state.lateness.append(time)
      }
      return .none
    }
  }
}
