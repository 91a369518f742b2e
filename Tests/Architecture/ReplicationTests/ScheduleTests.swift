import FoundationEssentials
import ReplicatedArchitecture
import Testing

/// A feature with scheduled actions.
@Reducer
private struct Alarms {
  @Replicated
  struct State: Equatable {
    var rung: [String] = []
    var schedule = Schedule<Action>()
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case set(String, Date)
    case forgotten(Int)
    case ring(String)
    case timeCame
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .set(let name, let date): state.schedule.add(.ring(name), at: date)
      case .forgotten(let id): state.schedule.remove(id: id)
      case .ring(let name): state.rung.append(name)
      case .timeCame: break
      }
      return .none
    }
    .schedule(\.schedule, timeCame: \.timeCame)
  }
}

/// Two features with schedules, and a feature with two schedules.
@Reducer
private struct Rooms {
  @Replicated
  struct State: Equatable {
    var left = Alarms.State()
    var right = Alarms.State()
    var first = Schedule<Action>()
    var second = Schedule<Action>()
    var rung: [String] = []
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case left(Alarms.Action)
    case right(Alarms.Action)
    case set(String, Date, first: Bool)
    case ring(String)
    case firstCame
    case secondCame
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.left, action: \.left) { Alarms() }
    Scope(state: \.right, action: \.right) { Alarms() }
    Reduce { state, action in
      switch action {
      case .set(let name, let date, first: true): state.first.add(.ring(name), at: date)
      case .set(let name, let date, first: false): state.second.add(.ring(name), at: date)
      case .ring(let name): state.rung.append(name)
      default: break
      }
      return .none
    }
    .schedule(\.first, timeCame: \.firstCame)
    .schedule(\.second, timeCame: \.secondCame)
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct ScheduleTests {
  private let clock = TestClock()
  private let start = Date(timeIntervalSince1970: 1_000_000)
  private let now = LockIsolated(Date(timeIntervalSince1970: 1_000_000))

  private func store(_ state: Alarms.State = Alarms.State()) -> StoreOf<Alarms> {
    Store(initialState: state) {
      Alarms()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date = DateGenerator { [now] in now.value }
    }
  }

  private func pass(_ seconds: Int) async {
    while clock.sleeperCount == 0 { await Task.yield() }
    now.withValue { $0 += Double(seconds) }
    await clock.advance(by: .seconds(seconds))
  }

  @Test func eachActionIsSentOnceWhenItIsDue() async {
    let store = store()
    store.send(.set("late", start + 20))
    store.send(.set("early", start + 10))
    await pass(10)
    while store.withState({ $0.rung.isEmpty }) { await Task.yield() }
    #expect(store.withState { $0.rung } == ["early"])
    await pass(10)
    while store.withState({ $0.rung.count < 2 }) { await Task.yield() }
    #expect(store.withState { $0.rung } == ["early", "late"])
    #expect(store.withState { $0.schedule.isEmpty })
  }

  @Test func severalSchedulesOfAStoreHaveTimersOfTheirOwn() async {
    let store = Store(initialState: Rooms.State()) {
      Rooms()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date = DateGenerator { [now] in now.value }
    }
    store.send(.left(.set("a", start + 10)))
    store.send(.right(.set("b", start + 20)))
    store.send(.set("c", start + 10, first: true))
    store.send(.set("d", start + 20, first: false))
    await pass(10)
    while store.withState({ $0.left.rung.isEmpty || $0.rung.isEmpty }) { await Task.yield() }
    #expect(store.withState { $0.left.rung + $0.right.rung + $0.rung } == ["a", "c"])
    await pass(10)
    while store.withState({ $0.right.rung.isEmpty || $0.rung.count < 2 }) { await Task.yield() }
    #expect(store.withState { $0.right.rung + $0.rung } == ["b", "c", "d"])
  }

  @Test func whatIsRemovedIsNotSent() async {
    let store = store()
    store.send(.set("one", start + 10))
    store.send(.set("two", start + 20))
    store.send(.forgotten(0))
    await pass(20)
    while store.withState({ $0.rung.isEmpty }) { await Task.yield() }
    #expect(store.withState { $0.rung } == ["two"])
  }

  @Test func whatWasDueMeanwhileIsSentAtTheStartInOrder() {
    let old = store()
    old.send(.set("second", start + 20))
    old.send(.set("first", start + 10))
    old.send(.set("third", start + 1000))
    let restarted = store(old.withState { $0 })
    now.withValue { $0 += 100 }
    restarted.send(.timeCame)
    #expect(restarted.withState { $0.rung } == ["first", "second"])
    #expect(restarted.withState { $0.schedule.nextDate } == start + 1000)
  }

  @Test func aScheduleWithAnyIDsTakesFurtherActions() throws {
    let action = Alarms.Action.ring("first")
    let entry = [0xa3, 0x00] + Int.min.encoded() + [0x01] + start.encoded() + [0x02] + action.encoded()
    let bytes = [0xa2, 0x00, 0x81] + entry + [0x01] + Int.max.encoded()
    var schedule = try Schedule<Alarms.Action>(decoding: bytes.span.bytes)
    #expect(schedule.add(.ring("second"), at: start) == .max)
    #expect(schedule.add(.ring("third"), at: start) == .min + 1)
    #expect(Array(schedule.entries.ids) == [.min, .max, .min + 1])
  }

  @Test func aScheduleTravels() throws {
    var state = Alarms.State()
    state.schedule.add(.ring("x"), at: start)
    #expect(try Alarms.State(decoding: state.encoded().span.bytes) == state)
  }
}
