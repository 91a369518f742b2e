import ComposableArchitecture
import Testing

@Suite struct SequenceTests {
  private typealias Core = ReducerCore<Script.State, Script.Action>

  private func core(running effect: Effect<Script.Action>) -> Core {
    var core = Core(initialState: Script.State(), reducer: Script())
    core.send(.run(effect))
    return core
  }

  private func started(_ core: inout Core) -> [EffectID] {
    core.takeCommands().compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
  }

  private var work: Effect<Script.Action> { .run { _ in } }

  private func note(_ text: String) -> Effect<Script.Action> { .send(.note(text)) }

  @Test func stepsThatSendAtOnceAreTakenInOneTurn() {
    let core = core(running: .concatenate(note("a"), .concatenate(note("b"), note("c")), note("d")))
    let log = core.state.log
    #expect(log == ["a", "b", "c", "d"])
    check(!core.hasCommands || core.runningEffectCount == 0)
  }

  /// As reducers join effects in a loop, in either order.
  @Test(arguments: [true, false]) func manyJoinedStepsTakePlaceInOrder(isJoinedAtTheEnd: Bool) {
    let numbers = (0..<10_000).map(String.init)
    let effect =
      isJoinedAtTheEnd
      ? numbers.reduce(Effect.none) { $0.concatenate(with: note($1)) }
      : numbers.reversed().reduce(Effect.none) { note($1).concatenate(with: $0) }
    let core = core(running: effect.map { $0 })
    let log = core.state.log
    #expect(log == numbers)
    check(core.runningEffectCount == 0)
  }

  @Test(arguments: [true, false]) func manyMergedEffectsBeginInOrder(isMergedAtTheEnd: Bool) {
    let effects = (0..<10_000).map { [work, note(String($0))][$0 % 2] }
    let effect =
      isMergedAtTheEnd
      ? effects.reduce(Effect.none) { $0.merge(with: $1) }
      : effects.reversed().reduce(Effect.none) { $1.merge(with: $0) }
    var core = core(running: effect)
    let log = core.state.log
    #expect(log == (0..<10_000).filter { $0 % 2 == 1 }.map(String.init))
    let started = started(&core)
    check(started.count == 5_000)
    for effect in started { core.finish(effect) }
    check(core.runningEffectCount == 0)
  }

  /// The step that ends the innermost of many nested concatenations ends them all.
  @Test func aStepEndsAllConcatenationsAroundIt() {
    let nested = (0..<10_000).reduce(work) { $0.concatenate(with: note(String($1))) }
    var core = core(running: .concatenate(nested, note("end")))
    core.finish(started(&core)[0])
    let log = core.state.log
    #expect(log.last == "end" && log.count == 10_001)
  }

  @Test func aNestedConcatenationIsOneStepOfTheOuterOne() {
    var core = core(running: .concatenate(.concatenate(work, note("a"), work, note("b")), note("c")))
    core.finish(started(&core)[0])
    let halfway = core.state.log
    #expect(halfway == ["a"])
    core.finish(started(&core)[0])
    let log = core.state.log
    #expect(log == ["a", "b", "c"])
  }

  @Test func mergedConcatenationsGoOnIndependently() {
    var core = core(running: .merge(.concatenate(work, note("a")), .concatenate(work, note("b"))))
    let effects = started(&core)
    core.finish(effects[1])
    let first = core.state.log
    #expect(first == ["b"])
    core.finish(effects[0])
    let log = core.state.log
    #expect(log == ["b", "a"])
  }

  @Test func cancellingAStepGoesOnWithTheNext() {
    var core = core(running: .concatenate(work.cancellable(id: "step"), note("next")))
    check(started(&core).count == 1)
    core.send(.run(.cancel(id: "step")))
    let log = core.state.log
    #expect(log == ["next"])
  }

  @Test func cancellingTheWholeEndsEveryStepInIt() {
    let inner = Effect<Script.Action>.concatenate(.merge(work, work), note("inner"))
    var core = core(running: Effect<Script.Action>.concatenate(inner, work, note("outer")).cancellable(id: "whole"))
    check(started(&core).count == 2)
    core.send(.run(.cancel(id: "whole")))
    check(core.runningEffectCount == 0)
    check(started(&core).isEmpty)
    check(core.state.log == [])
  }

  @Test func aStepMayCancelWhatRunsBesideItsSequence() {
    var core = core(
      running: .merge(work.cancellable(id: "beside"), .concatenate(work, .cancel(id: "beside"), note("end"))))
    let effects = started(&core)
    core.finish(effects[1])
    check(core.runningEffectCount == 0)
    let isDelivered = core.send(.note("late"), from: effects[0])
    #expect(!isDelivered)
    let log = core.state.log
    #expect(log == ["end"])
  }

  @Test func anEffectOfTwoNamesIsCancelledByEither() {
    for name in ["inner", "outer"] {
      var core = core(running: work.cancellable(id: "inner").cancellable(id: "outer"))
      check(started(&core).count == 1)
      core.send(.run(.cancel(id: name)))
      check(core.runningEffectCount == 0)
    }
  }

  @Test func aMappedEffectKeepsItsNameAndOrder() {
    let effect = Effect<String>.concatenate(
      .send("a"), .run { _ in }.cancellable(id: "name"), .send("b")
    ).map { Script.Action.note($0 + "!") }
    var core = core(running: effect)
    check(started(&core).count == 1)
    core.send(.run(.cancel(id: "name")))
    let log = core.state.log
    #expect(log == ["a!", "b!"])
  }
}
