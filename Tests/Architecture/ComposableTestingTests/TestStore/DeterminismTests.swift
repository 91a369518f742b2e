import ComposableTesting
import Foundation
import Testing

/// Effects take place in the same order in each run.
@MainActor
@Suite struct DeterminismTests {
  @Test func aClockAdvancesTimersExactly() async {
    let clock = TestClock()
    let store = TestStore(initialState: Ticking.State()) {
      Ticking()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.start)
    await clock.advance(by: .seconds(3))
    await store.receive(.ticked) { $0.ticks = 1 }
    await store.receive(.ticked) { $0.ticks = 2 }
    await store.receive(.ticked) { $0.ticks = 3 }
    await task.cancel()
  }

  @Test(arguments: 0..<50) func effectsThatRaceComeInOneOrder(_ run: Int) async {
    let store = TestStore(initialState: Racing.State()) { Racing() }
    await store.send(.start)
    for number in 0..<10 { await store.receive(.arrived(number)) { $0.arrived.append(number) } }
  }
}

@Reducer
private struct Ticking {
  struct State: Equatable { var ticks = 0 }
  enum Action { case start, ticked }
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) } }
      case .ticked:
        state.ticks += 1
        return .none
      }
    }
  }
}

@Reducer
private struct Racing {
  struct State: Equatable { var arrived: [Int] = [] }
  @CasePathable enum Action: Equatable { case start, arrived(Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .merge(
          (0..<10).map { number in
            .run { send in
              await Task.yield()
              await send(.arrived(number))
            }
          })
      case .arrived(let number):
        state.arrived.append(number)
        return .none
      }
    }
  }
}
