import ComposableArchitecture
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct DependencyModifierTests {
  private struct Number: Equatable, DependencyKey {
    var value: Int
    static let liveValue = Number(value: 0)
    static let testValue = Number(value: 0)
  }

  fileprivate enum NumberKey: DependencyKey {
    static let liveValue = 0
    static let testValue = 0
  }

  /// Records the number in the reducer, in its effect, and in a property created before.
  fileprivate struct Reading: Reducer {
    typealias State = [String]
    enum Action: Sendable {
      case read(String)
      case note(String)
    }

    @Dependency(\.number) var number
    var name = ""

    var body: some Reducer<[String], Action> {
      Reduce { state, action in
        switch action {
        case .read(name):
          @Dependency(\.number) var local
          state.append("\(name): property \(number), local \(local)")
          return .run { [name] send in
            @Dependency(\.number) var inEffect
            await send(.note("\(name): effect \(inEffect), property \(number)"))
          }
        case .note(let text) where text.hasPrefix(name):
          state.append(text)
          return .none
        default: return .none
        }
      }
    }
  }

  fileprivate struct Parent: Reducer {
    struct State { var child: [String]? = [] }
    @CasePathable enum Action { case child(Reading.Action) }
    var body: some ReducerOf<Self> {
      EmptyReducer().ifLet(\.child, action: \.child) { Reading() }
    }
  }

  private func log(
    of reducer: some Reducer<[String], Reading.Action>, _ names: [String] = [""],
    withDependencies prepare: ((inout DependencyValues) -> Void)? = nil
  ) async -> [String] {
    let store = Store(initialState: [String]()) {
      reducer
    } withDependencies: {
      prepare?(&$0)
    }
    for name in names { await store.send(.read(name)).finish() }
    return store.state
  }

  @Test func anOverrideHoldsForTheReducerAndItsEffects() async {
    let log = await log(of: Reading().dependency(\.number, 7))
    #expect(log == [": property 7, local 7", ": effect 7, property 7"])
  }

  @Test func theNearestOverrideWins() async {
    let log = await log(of: Reading().dependency(\.number, 1).dependency(\.number, 2)) { $0.number = 3 }
    #expect(log.first == ": property 1, local 1")
  }

  @Test func transformsBeginWithWhatIsAround() async {
    let reducer = Reading()
      .transformDependency(\.number) { $0 *= 10 }
      .transformDependency(\.number) { $0 += 1 }
    let log = await log(of: reducer) { $0.number = 4 }
    #expect(log == [": property 50, local 50", ": effect 50, property 50"])
  }

  @Test func anOverrideHoldsForItsSubtreeOnly() async {
    struct Both: Reducer {
      var body: some Reducer<[String], Reading.Action> {
        Reading(name: "a")
        Reading(name: "b").dependency(\.number, 2)
        CombineReducers {
          Reading(name: "c")
          Reading(name: "d").dependency(\.number, 4)
        }
        .dependency(\.number, 3)
      }
    }
    let log = await log(of: Both(), ["a", "b", "c", "d"]) { $0.number = 1 }
    #expect(
      log == [
        "a: property 1, local 1", "a: effect 1, property 1", "b: property 2, local 2", "b: effect 2, property 2",
        "c: property 3, local 3", "c: effect 3, property 3", "d: property 4, local 4", "d: effect 4, property 4",
      ])
  }

  @Test func aDependencyCanBeItsOwnKey() async {
    struct ByType: Reducer {
      var body: some Reducer<Int, Void> {
        Reduce { state, _ in
          @Dependency(Number.self) var number
          state = number.value
          return .none
        }
      }
    }
    let store = Store(initialState: 0) { ByType().dependency(Number(value: 5)) }
    store.send(())
    #expect(store.state == 5)
  }

  @Test func overridesOfTheStoreHoldWhereverReducersReadThem() async {
    let log = await log(of: Reading()) { $0.number = 9 }
    #expect(log == [": property 9, local 9", ": effect 9, property 9"])
  }

  @Test func overridesOfTheStoreHoldForActionsThatEffectsSend() async {
    struct Chain: Reducer {
      var body: some Reducer<[Int], Int> {
        Reduce { state, action in
          @Dependency(\.number) var number
          state.append(number)
          return action > 0 ? .run { await $0(action - 1) } : .none
        }
      }
    }
    let store = Store(initialState: [Int]()) {
      Chain()
    } withDependencies: {
      $0.number = 3
    }
    await store.send(2).finish()
    #expect(store.state == [3, 3, 3])
  }

  @Test func overridesReachChildrenThatAreMadeLater() async {
    let store = Store(initialState: Parent.State()) {
      Parent().dependency(\.number, 6)
    } withDependencies: {
      $0.number = 5
    }
    await store.send(.child(.read(""))).finish()
    #expect(store.child == [": property 6, local 6", ": effect 6, property 6"])
  }

  @Test func overridesHoldForTheInitialStateToo() {
    func number() -> Int {
      @Dependency(\.number) var number
      return number
    }
    let store = Store(initialState: number()) {
      EmptyReducer<Int, Void>()
    } withDependencies: {
      $0.number = 8
    }
    #expect(store.state == 8)
  }

  @Test func aClockOfTheStoreReachesEffects() async {
    let store = Store(initialState: "") {
      Reduce<String, String> { state, action in
        state = action
        guard action.isEmpty else { return .none }
        return .run { send in
          @Dependency(\.continuousClock) var clock
          @Dependency(\.uuid) var uuid
          try await clock.sleep(for: .seconds(1_000_000))
          await send("\(uuid())")
        }
      }
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
      $0.uuid = .incrementing
    }
    await store.send("").finish()
    #expect(store.state == "00000000-0000-0000-0000-000000000000")
  }
}

extension DependencyValues {
  fileprivate var number: Int {
    get { self[DependencyModifierTests.NumberKey.self] }
    set { self[DependencyModifierTests.NumberKey.self] = newValue }
  }
}
