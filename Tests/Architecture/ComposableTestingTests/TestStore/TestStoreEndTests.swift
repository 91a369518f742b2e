import ComposableTesting
import Foundation
import Synchronization
import Testing

/// Records issues with their lines.
private final class Places: IssueReporter {
  private let issues = Mutex<[(message: String, line: UInt)]>([])
  var messages: [String] { issues.withLock { $0.map(\.message) } }
  var lines: [UInt] { issues.withLock { $0.map(\.line) } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append((message, location.line)) }
  }
}

/// What remains at the end of a test, and what is skipped.
@MainActor
@Suite struct TestStoreEndTests {
  @Test func whatWasReceivedAndNotStatedIsAnIssue() async {
    var store: TestStoreOf<ControlledFeature>? = makeStore()
    await store?.send(.both)
    let text = await issue { store = nil }
    #expect(
      text == """
        The store received 2 unexpected actions by the end of this test: …

          Unhandled actions:
            • .loaded
            • .loaded
        """)
  }

  @Test func whatAnEffectSendsAfterTheTestIsAnIssue() async {
    enum Action { case keep, late }
    let kept = LockIsolated<Send<Action>?>(nil)
    var store: TestStore<Int, Action>? = TestStore(initialState: 0) {
      Reduce { (_: inout Int, action: Action) in
        action == .keep ? .run { send in kept.setValue(send) } : .none
      }
    }
    let task = await store?.send(.keep)
    await task?.finish()
    store = nil
    let text = await issue { kept.value?(.late) }
    #expect(text.hasPrefix("An action was sent from a completed effect."))
    withExtendedLifetime(task) {}
  }

  @Test func anEffectThatStillRunsIsAnIssueOfItsAction() async {
    var store: TestStoreOf<ControlledFeature>? = makeStore()
    await store?.send(.forever)
    let text = await issue { store = nil }
    #expect(
      text.hasPrefix(
        "An effect returned for this action is still running. It must complete before the end of the test. …"))
    #expect(text.hasSuffix("Action:\n  ControlledFeature.Action.forever"))
  }

  @Test func anEffectOfAReceivedActionIsAnIssueOfThatAction() async {
    var store: TestStoreOf<ControlledFeature>? = makeStore()
    var line: UInt = 0
    let places = Places()
    await withIssueReporters([places]) {
      line = #line + 1
      await store?.send(.chain)
      await store?.receive(.forever)
      store = nil
    }
    #expect(places.lines == [line])
    #expect(places.messages.first?.hasSuffix("Action:\n  ControlledFeature.Action.forever") == true)
  }

  @Test func anActionThatWasNotReceivedIsReportedAtTheLastAssertion() async {
    var store: TestStoreOf<ControlledFeature>? = makeStore()
    var line: UInt = 0
    let places = Places()
    await withIssueReporters([places]) {
      await store?.send(.tapped) { $0.count = 1 }
      line = #line + 1
      await store?.send(.ask)
      store = nil
    }
    #expect(places.lines == [line])
    #expect(places.messages.first?.contains("    • .silent") == true)
  }

  @Test func aCancelledEffectIsOver() async {
    let store = makeStore()
    await store.send(.forever)
    await store.send(.stop)
  }

  @Test func aTaskIsCancelledAndWaitedFor() async {
    let store = makeStore()
    let task = await store.send(.forever)
    #expect(!task.isCancelled)
    await task.cancel()
    #expect(task.isCancelled)
    let copy = task
    #expect(Set([task, copy]).count == 1)
    let load = await store.send(.load)
    await load.finish()
    await store.receive(\.loaded) { $0.text = "a" }
  }

  @Test func finishingWaitsForTheTimeout() async {
    let store = makeStore()
    await store.send(.forever)
    let text = await issue { await store.finish(timeout: .milliseconds(20)) }
    #expect(text.hasPrefix("Expected effects to finish, but there are still effects in-flight after 0.02 seconds."))
    let issues = await withExpectedIssue { await store.finish(timeout: NSEC_PER_MSEC) }
    #expect(issues.count == 1)
    let hint = #"try increasing the duration of this assertion's "timeout"."#
    #expect(issues.first?.hasSuffix(hint) == true)
    store.timeout = NSEC_PER_MSEC
    let other = await issue { await store.finish() }
    #expect(other.hasSuffix(#"configure this assertion with an explicit "timeout"."#))
    store.exhaustivity = .off
    await store.finish(timeout: NSEC_PER_MSEC)
  }

  @Test func aTaskIsWaitedForUntilItsTimeout() async {
    let store = makeStore()
    let task = await store.send(.forever)
    let text = await issue { await task.finish(timeout: .milliseconds(20)) }
    #expect(text.hasPrefix("Expected task to finish, but it is still in-flight after 0.02 seconds.\n\nIf this task"))
    #expect(text.hasSuffix(#"try increasing the duration of this assertion's "timeout"."#))
    // With the label of the original.
    let (second, third) = (await store.send(.forever), await store.send(.forever))
    let places = Places()
    await withIssueReporters([places]) {
      await second.finish(timeout: .milliseconds(1), file: #filePath, line: 1001)
      await third.finish(timeout: NSEC_PER_MSEC, file: #filePath, line: 1002)
    }
    #expect(places.lines == [1001, 1002])
  }

  /// The original would wait for the operation.
  @Test func aCancelledEffectThatIgnoresItsCancellationIsOver() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let store = TestStore(initialState: 0) {
      Reduce<Int, Bool> { _, starts in
        guard starts else { return .cancel(id: 1) }
        return .run { _ in await Task.detached { for await _ in stream {} }.value }.cancellable(id: 1)
      }
    }
    let task = await store.send(true)
    await store.send(false)
    await task.finish()
    await store.finish()
    continuation.finish()
  }

  @Test func timeoutsAreInNanosecondsToo() async {
    let store = makeStore()
    #expect(store.timeout == NSEC_PER_SEC)
    store.timeout = 2 * NSEC_PER_SEC
    await store.send(.load)
    await store.receive(.loaded("a"), timeout: NSEC_PER_SEC) { $0.text = "a" }
    await store.send(.load)
    await store.receive(\.loaded, timeout: NSEC_PER_SEC)
    await store.send(.load)
    await store.receive(\.loaded, "a", timeout: NSEC_PER_SEC)
    await store.send(.load)
    await store.receive({ $0 == .loaded("a") }, timeout: NSEC_PER_SEC)
    await store.send(.load).finish(timeout: NSEC_PER_SEC)
    await store.receive(/ControlledFeature.Action.loaded, timeout: NSEC_PER_SEC)
    await store.finish(timeout: NSEC_PER_SEC)
  }

  @Test(
    .skips(
      """
      2 received actions were skipped:

      [
        [0]: .loaded("a"),
        [1]: .loaded("b")
      ]
      """))
  func actionsAreSkipped() async {
    let store = makeStore()
    await store.send(.both)
    await store.skipReceivedActions()
    #expect(store.state.text == "b")
    #expect(await issue { await store.skipReceivedActions() } == "There were no received actions to skip.")
    await store.skipReceivedActions(strict: false)
  }

  @Test func effectsAreSkipped() async {
    let store = makeStore()
    await store.send(.forever)
    store.exhaustivity = .off
    await store.skipInFlightEffects()
    store.exhaustivity = .on
    #expect(await issue { await store.skipInFlightEffects() } == "There were no in-flight effects to skip.")
    await store.skipInFlightEffects(strict: false)
  }

  @Test func skippedEffectsGoOn() async {
    let clock = TestClock()
    let store = TestStore(initialState: ControlledFeature.State()) {
      ControlledFeature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.later(.seconds(1)))
    await store.withExhaustivity(.off) { await store.skipInFlightEffects() }
    await store.finish()
    await clock.advance(by: .seconds(1))
    await task.finish()
    await store.receive(.loaded("late")) { $0.text = "late" }
  }
}
