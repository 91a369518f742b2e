import ComposableArchitecture
import Testing

@Suite struct CascadeTests {
  private typealias Core = ReducerCore<Script.State, Script.Action>

  private func core() -> Core { Core(initialState: Script.State(), reducer: Script()) }

  private func started(_ core: inout Core) -> [EffectID] {
    core.takeCommands().compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
  }

  private var work: Effect<Script.Action> { .run { _ in } }

  @Test func aCascadeThatGoesOnInTheSameTurnIsNotReportedAsOver() {
    var core = core()
    core.send(.run(.concatenate(work, .send(.run(work)))), cascade: 7)
    core.finish(started(&core)[0])
    check(core.isRunning(cascade: 7))
    check(core.takeFinishedCascades() == [])

    core.finish(started(&core)[0])
    check(core.takeFinishedCascades() == [7])
    check(!core.hasCommands)
  }

  @Test func effectsOfActionsThatAnEffectSentBelongToItsCascade() {
    var core = core()
    core.send(.run(work), cascade: 7)
    let first = started(&core)[0]
    let isDelivered = core.send(.run(work), from: first)
    #expect(isDelivered)
    core.finish(first)
    check(core.isRunning(cascade: 7))
    core.cancel(cascade: 7)
    check(core.runningEffectCount == 0)
    check(core.takeFinishedCascades() == [7])
  }

  @Test func cancellingACascadeCancelsItsEffectsInTheOrderInWhichTheyBegan() {
    var core = core()
    core.send(.run(.merge((0..<20).map { _ in work })), cascade: 7)
    core.send(.run(work), cascade: 8)
    let effects = started(&core)
    core.cancel(cascade: 7)
    let cancelled = core.takeCommands().compactMap { if case .cancel(let effect) = $0 { effect } else { nil } }
    #expect(cancelled == effects.dropLast())
    check(core.isRunning(cascade: 8))
  }

  @Test func anEffectCancelledBeforeItWasTakenIsNeitherStartedNorCancelled() {
    var core = core()
    core.send(.run(work), cascade: 6)
    let taken = started(&core)
    core.send(.run(work), cascade: 7)
    core.cancel(cascade: 7)
    core.cancel(cascade: 6)
    let commands = core.takeCommands()
    #expect(commands.count == 1)
    guard case .cancel(let effect)? = commands.first else {
      Issue.record("no effect is cancelled")
      return
    }
    #expect(effect == taken[0])
  }

  @Test func cancellingACascadeBeginsNoLaterStep() {
    var core = core()
    core.send(
      .run(.concatenate(.concatenate(work, .send(.note("inner"))), work, .send(.note("outer")))), cascade: 7)
    check(started(&core).count == 1)
    core.cancel(cascade: 7)
    check(started(&core).isEmpty)
    check(core.state.log == [])
    check(core.takeFinishedCascades() == [7])
  }

  @Test func aSendWithoutANameIsNotReported() {
    var core = core()
    core.send(.run(work))
    core.finish(started(&core)[0])
    check(core.takeFinishedCascades() == [])
    check(!core.hasCommands)
  }

  @Test func anEffectThatIsOverDeliversNothingAndEndsOnce() {
    var core = core()
    core.send(.run(.concatenate(work, work, work)))
    let first = started(&core)[0]
    core.finish(first)
    core.finish(first)
    let isDelivered = core.send(.note("late"), from: first)
    #expect(!isDelivered)
    check(started(&core).count == 1)
    check(core.state.log == [])
  }
}
