import ComposableArchitecture
import Testing

/// A feature whose only action contains the effect to return.
struct Script: Reducer {
  struct State: Equatable {
    var log: [String] = []
  }

  enum Action: Sendable {
    case note(String)
    case run(Effect<Action>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .note(let text):
        state.log.append(text)
        return .none
      case .run(let effect):
        return effect
      }
    }
  }
}

@Suite struct ReducerCoreTests {
  private func core() -> ReducerCore<Script.State, Script.Action> {
    ReducerCore(initialState: Script.State(), reducer: Script())
  }

  /// The effects that a core starts, and the number that it cancels.
  private func take(_ core: inout ReducerCore<Script.State, Script.Action>) -> (
    started: [EffectID], cancelled: [EffectID]
  ) {
    var result: (started: [EffectID], cancelled: [EffectID]) = ([], [])
    for command in core.takeCommands() {
      switch command {
      case .start(let effect, _, _): result.started.append(effect)
      case .cancel(let effect): result.cancelled.append(effect)
      case .cancelTasks: break
      }
    }
    return result
  }

  private var work: Effect<Script.Action> { .run { _ in } }

  @Test func actionsThatEffectsSendAreReducedInTheSameTurnFirstInFirstOut() {
    var core = core()
    core.send(.run(.merge(.send(.run(.send(.note("c")))), .send(.note("a")), .send(.note("b")))))
    let log = core.state.log
    #expect(log == ["a", "b", "c"])
    check(core.actionCount == 5)
  }

  @Test func aHundredThousandActionsDoNotGrowTheStack() {
    struct Countdown: Reducer {
      var body: some Reducer<Int, Void> {
        Reduce { state, _ in
          state -= 1
          return state > 0 ? .send(()) : .none
        }
      }
    }
    var core = ReducerCore(initialState: 100_000, reducer: Countdown())
    core.send(())
    check(core.state == 0)
    check(core.actionCount == 100_000)
  }

  @Test func nothingIsToBeDoneForNoEffect() {
    var core = core()
    core.send(.run(.none))
    core.send(.run(.merge(.none, .none)))
    core.send(.run(.concatenate(.none, .none)))
    check(!core.hasCommands)
  }

  @Test func mergedEffectsStartTogetherAndConcatenatedOnesInTurn() {
    var core = core()
    core.send(.run(.merge(work, work)))
    check(take(&core).started.count == 2)

    core.send(.run(.concatenate(work, work, .send(.note("end")))))
    let first = take(&core).started
    #expect(first.count == 1)
    core.finish(first[0])
    let second = take(&core).started
    #expect(second.count == 1)
    check(core.state.log == [])
    core.finish(second[0])
    let log = core.state.log
    #expect(log == ["end"])
  }

  @Test func aStepOfMergedEffectsIsOverWithTheLast() {
    var core = core()
    core.send(.run(.concatenate(.merge(work, work), .send(.note("end")))))
    let started = take(&core).started
    core.finish(started[0])
    check(core.state.log == [])
    core.finish(started[1])
    let log = core.state.log
    #expect(log == ["end"])
  }

  @Test func nothingIsDeliveredAfterCancelling() {
    var core = core()
    core.send(.run(work.cancellable(id: 1)))
    let effect = take(&core).started[0]
    let before = core.send(.note("before"), from: effect)
    core.send(.run(.cancel(id: 1)))
    let after = core.send(.note("after"), from: effect)

    #expect(before && !after)
    let log = core.state.log
    #expect(log == ["before"])
    check(take(&core).cancelled == [effect])
    check(core.runningEffectCount == 0)
  }

  @Test func aCancelThatComesBeforeTheStartIsNotLost() {
    var core = core()
    core.send(.run(.merge(work.cancellable(id: 1), .cancel(id: 1))))
    check(take(&core).started.isEmpty)
    check(core.runningEffectCount == 0)
  }

  @Test func cancellingEndsAConcatenationUnderItsNameAndNotTheOneAroundIt() {
    var core = core()
    core.send(
      .run(
        .concatenate(
          .concatenate(work, .send(.note("inner"))).cancellable(id: 1),
          .send(.note("outer")))))
    check(take(&core).started.count == 1)
    core.send(.run(.cancel(id: 1)))
    let log = core.state.log
    #expect(log == ["outer"])
  }

  @Test func inFlightEffectsOfTheNameAreCancelledFirst() {
    var core = core()
    core.send(.run(work.cancellable(id: "search", cancelInFlight: true)))
    let first = take(&core).started
    core.send(.run(work.cancellable(id: "search", cancelInFlight: true)))
    let second = take(&core)
    #expect(second.cancelled == first)
    #expect(second.started.count == 1)
  }

  @Test func namesOfDifferentTypesAreDifferent() {
    enum A { case id }
    enum B { case id }
    var core = core()
    core.send(.run(work.cancellable(id: A.id)))
    core.send(.run(.cancel(id: B.id)))
    check(take(&core).started.count == 1)
    core.send(.run(.cancel(id: A.id)))
    check(take(&core).cancelled.count == 1)
  }

  @Test func anOutermostSendIsOverWithItsLastEffect() {
    var core = core()
    core.send(.run(.merge(work, .concatenate(work, work))), cascade: 7)
    var running = take(&core).started
    #expect(running.count == 2)
    check(core.isRunning(cascade: 7))
    core.finish(running.removeFirst())
    core.finish(running.removeFirst())
    check(core.isRunning(cascade: 7))
    core.finish(take(&core).started[0])
    check(!core.isRunning(cascade: 7))
    check(core.takeFinishedCascades() == [7])
  }
}
