import ComposableTesting
import Foundation
import Testing

/// Exhaustivity, states and dependencies of a test store.
@MainActor
@Suite struct NonExhaustiveTests {
  @Test func onlyWhatIsStatedIsChecked() async {
    let store = makeStore()
    store.exhaustivity = .off
    await store.send(.both)
    await store.receive(.loaded("b"))
    await store.send(.tapped)
    await store.send(.tapped) { $0.count = 2 }
    let text = await issue { await store.send(.tapped) { $0.count = 9 } }
    #expect(text.contains("− ") && text.contains("_count: 9"))
    #expect(store.state == ControlledFeature.State(count: 3, text: "b"))
    await store.send(.forever)
  }

  @Test func anActionThatDoesNotComeIsAnIssueAllTheSame() async {
    let store = makeStore()
    store.exhaustivity = .off
    await store.send(.load)
    let text = await issue { await store.receive(.loaded("z"), timeout: .milliseconds(10)) }
    #expect(text.hasPrefix("Expected to receive the following action, but didn't: …"))
    await store.receive(.loaded("a")) { $0.text = "a" }
  }

  @Test func aClosureOfATestThatIsNotExhaustiveRunsOnceOnTheNewState() async {
    let store = makeStore(ControlledFeature.State(count: 4))
    store.exhaustivity = .off
    var seen: [Int] = []
    await store.send(.tapped) { seen.append($0.count) }
    #expect(seen == [5])
    await store.send(.load)
    await store.receive(\.loaded) { seen.append($0.count + $0.text.count) }
    #expect(seen == [5, 6])
  }

  @Test(
    .skips(
      """
      1 received action was skipped:

      [
        [0]: .loaded("a")
      ]
      """,
      """
      A state change does not match expectation: …

            ControlledFeature.State(
          −   _count: 0,
          +   _count: 1,
              _text: "b"
            )

      (Expected: −, Actual: +)
      """))
  func whatAnExhaustiveTestWouldAssertIsNoted() async {
    let store = makeStore()
    store.exhaustivity = .off(showSkippedAssertions: true)
    // Notes are not issues.
    let issues = await withExpectedIssue {
      reportIssue("An issue of its own")
      await store.send(.both)
      await store.receive(.loaded("b")) { $0.text = "b" }
      await store.send(.tapped) { $0.count = $0.count }
    }
    #expect(issues == ["An issue of its own"])
    #expect(store.state == ControlledFeature.State(count: 1, text: "b"))
  }

  @Test func anErrorOfAClosureIsAnIssueAlsoWhenNotExhaustive() async {
    struct Failure: Error {}
    let store = makeStore()
    store.exhaustivity = .off
    #expect(await issue { await store.send(.tapped) { _ in throw Failure() } } == "Threw error: Failure()")
  }

  @Test func exhaustivityHoldsForAWhile() async {
    let store = makeStore()
    await store.withExhaustivity(.off) {
      await store.send(.tapped)
    }
    #expect(store.exhaustivity == .on)
    await store.send(.tapped) { $0.count = 2 }
  }

  @Test func statesAreAssertedWithoutAnAction() async {
    let store = makeStore()
    store.assert { $0.count = 0 }
    let text = await issue { store.assert { $0.count = 1 } }
    #expect(text.hasPrefix("A state change does not match expectation: …"))
  }

  @Test func theStateIsTypedByTheReducer() async {
    let store = TestStore(initialState: .init(count: 3)) { ControlledFeature() }
    await store.send(.tapped) {
      $0.count = 4
      #expect(store.state.count == 3)
    }
    #expect(store.state.count == 4)
  }

  @Test func dependenciesHoldForAWhile() async {
    let store = makeStore()
    await store.withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      await store.send(.later(.seconds(100)))
      await store.receive(\.loaded) { $0.text = "late" }
    }
    await store.withDependencies {
      await Task.yield()
      $0.continuousClock = ImmediateClock()
    } operation: {
      await store.send(.later(.seconds(100)))
      await store.receive(\.loaded)
    }
  }
}
