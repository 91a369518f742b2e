import ComposableArchitecture
import Testing

/// Effects that several sends share: they run once, until the last of these lets go.
@Suite struct SharedEffectTests {
  typealias Core = ReducerCore<Script.State, Script.Action>
  typealias Effect = ComposableArchitecture.Effect<Script.Action>

  private var work: Effect { .run { _ in } }
  private var shared: Effect { work.shared(id: "work") }

  private func core() -> Core { ReducerCore(initialState: Script.State(), reducer: Script()) }

  /// The effects that a core starts and cancels.
  private func commands(_ core: inout Core) -> (started: [EffectID], cancelled: [EffectID]) {
    var (started, cancelled): ([EffectID], [EffectID]) = ([], [])
    for command in core.takeCommands() {
      switch command {
      case .start(let effect, _, _): started.append(effect)
      case .cancel(let effect): cancelled.append(effect)
      case .cancelTasks: break
      }
    }
    return (started, cancelled)
  }

  /// The sends whose effects have ended.
  private func ended(_ core: inout Core) -> [UInt64] { core.takeFinishedCascades().sorted() }

  private func started(_ core: inout Core) -> [EffectID] { commands(&core).started }

  private func cancelled(_ core: inout Core) -> [EffectID] { commands(&core).cancelled }

  @Test func itRunsOnceUntilTheLastSendLetsGo() {
    var core = core()
    core.send(.run(shared), cascade: 1)
    core.send(.run(shared), cascade: 2)
    let effects = started(&core)
    #expect(effects.count == 1)
    check(core.isRunning(cascade: 1) && core.isRunning(cascade: 2))
    core.cancel(cascade: 1)
    #expect(cancelled(&core) == [])
    check(!core.isRunning(cascade: 1) && core.isRunning(cascade: 2))
    #expect(ended(&core) == [1])
    core.cancel(cascade: 2)
    #expect(cancelled(&core) == effects)
    #expect(ended(&core) == [2])
    check(!core.hasCommands && core.runningEffectCount == 0)
    core.send(.run(shared), cascade: 3)
    #expect(started(&core).count == 1)
  }

  @Test func itsEndIsTheEndForAll() {
    var core = core()
    for cascade: UInt64 in 1...3 { core.send(.run(shared), cascade: cascade) }
    core.finish(started(&core)[0])
    #expect(ended(&core) == [1, 2, 3])
    check(!core.hasCommands)
  }

  /// An effect of an action that it has sent belongs to it, also after it has ended itself.
  @Test func whatItHasSentIsShared() {
    var core = core()
    core.send(.run(shared), cascade: 1)
    core.send(.run(shared), cascade: 2)
    let first = started(&core)[0]
    check(core.send(.run(work), from: first))
    let second = started(&core)[0]
    core.finish(first)
    check(core.isRunning(cascade: 1) && core.isRunning(cascade: 2))
    core.cancel(cascade: 1)
    #expect(cancelled(&core) == [])
    core.cancel(cascade: 2)
    #expect(cancelled(&core) == [second])
  }

  @Test func whatASendHasStartedAloneIsCancelledWithIt() {
    var core = core()
    core.send(.run(shared), cascade: 1)
    core.send(.run(.merge(shared, work)), cascade: 2)
    let own = started(&core)[1]
    core.cancel(cascade: 2)
    #expect(cancelled(&core) == [own])
    check(core.isRunning(cascade: 1))
  }

  @Test func aCancellationByIDIsForAll() {
    var core = core()
    core.send(.run(shared), cascade: 1)
    core.send(.run(shared), cascade: 2)
    let effects = started(&core)
    core.send(.run(.cancel(id: "work")))
    #expect(cancelled(&core) == effects)
    #expect(ended(&core) == [1, 2])
  }

  @Test func aSendWithoutATaskHoldsItToItsEnd() {
    var core = core()
    core.send(.run(shared))
    core.send(.run(shared), cascade: 1)
    core.cancel(cascade: 1)
    let (started, cancelled) = commands(&core)
    #expect(started.count == 1 && cancelled.isEmpty)
  }

  @Test func lettingGoCancelsNothingElse() {
    var core = core()
    core.send(.run(.merge(shared, work)), cascade: 1)
    let effects = started(&core)
    core.letGo(cascade: 1)
    #expect(cancelled(&core) == [effects[0]])
    check(core.isRunning(cascade: 1))
  }

  @Test func whoFindsItRunningContinuesAtOnce() {
    var core = core()
    core.send(.run(.concatenate(shared, work)), cascade: 1)
    #expect(started(&core).count == 1)
    core.send(.run(.concatenate(shared, work)), cascade: 2)
    #expect(started(&core).count == 1)
  }

  /// An effect that polls: each of its responses starts it.
  @Test func itDoesNotHoldItself() {
    var core = core()
    core.send(.run(shared), cascade: 1)
    let first = started(&core)[0]
    check(core.send(.run(shared), from: first))
    core.finish(first)
    #expect(ended(&core) == [1])
    core.send(.run(shared), cascade: 2)
    let second = started(&core)
    #expect(second.count == 1)
    check(core.send(.run(shared), from: second[0]))
    core.cancel(cascade: 2)
    #expect(cancelled(&core) == second)
    check(!core.isRunning(cascade: 2) && core.runningEffectCount == 0)
  }

  @Test func twoThatStartEachOtherEnd() {
    var core = core()
    let other = work.shared(id: "other")
    core.send(.run(shared), cascade: 1)
    let first = started(&core)[0]
    check(core.send(.run(other), from: first))
    let second = started(&core)[0]
    core.send(.run(other), cascade: 2)
    check(core.send(.run(shared), from: second))
    // The second send holds through the other effect what that one has started.
    core.cancel(cascade: 1)
    #expect(cancelled(&core) == [])
    core.cancel(cascade: 2)
    #expect(Set(cancelled(&core)) == [first, second])
    #expect(ended(&core) == [1, 2])
    check(core.runningEffectCount == 0)
    core.send(.run(.merge(shared, other)), cascade: 3)
    let again = started(&core)
    #expect(again.count == 2)
    check(core.send(.run(other), from: again[0]))
    check(core.send(.run(shared), from: again[1]))
    for effect in again { core.finish(effect) }
    #expect(ended(&core) == [3])
  }

  @Test func otherIDsAreOtherEffects() {
    var core = core()
    core.send(.run(.merge(shared, work.shared(id: "other"))), cascade: 1)
    core.send(.run(work.shared(id: "other").map { $0 }), cascade: 2)
    #expect(started(&core).count == 2)
    core.cancelAll()
    #expect(cancelled(&core).count == 2)
    check(!core.isRunning(cascade: 1) && !core.isRunning(cascade: 2))
  }

  @MainActor @Test func aViewHoldsWhatItsActionHasStarted() async {
    let store = Store(initialState: Script.State()) { Script() }
    // Until the effects end.
    await store.hold(.run(work))
    // Or the view.
    let (events, continuation) = AsyncStream<String>.makeStream()
    let view = Task {
      await store.hold(
        .run(
          .run { _ in
            continuation.yield("begun")
            let (forever, end) = AsyncStream<Never>.makeStream()
            for await _ in forever {}
            end.finish()
            continuation.yield("ended")
            continuation.finish()
          }))
    }
    var seen: [String] = []
    for await event in events {
      seen.append(event)
      view.cancel()
    }
    await view.value
    #expect(seen == ["begun", "ended"])
  }
}
