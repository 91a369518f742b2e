import ComposableArchitecture
import Testing

/// What a hub learns of effects with a declared restart. A feature's script returns the effects; notes stand for restarts.
@Suite struct RestartTests {
  typealias Effect = ComposableArchitecture.Effect<Script.Action>

  private func core(after number: UInt64? = 0) -> ReducerCore<Script.State, Script.Action> {
    var core = ReducerCore(initialState: Script.State(), reducer: Script())
    if let number { core.recordRestarts(after: number) }
    return core
  }

  private func restarting(_ text: String) -> Effect { Effect.run { _ in }.restart(with: .note(text)) }

  /// The effects that a core starts.
  private func started(_ core: inout ReducerCore<Script.State, Script.Action>) -> [EffectID] {
    core.takeCommands().compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
  }

  /// What has begun, in order, and the number of ends.
  private func changes(_ core: inout ReducerCore<Script.State, Script.Action>) -> (begun: [String], ended: Int) {
    let taken = core.takeRestarts()
    let begun = taken.begun.sorted { $0.key < $1.key }.map { if case .note(let text) = $0.value { text } else { "" } }
    return (begun, taken.ended.count)
  }

  @Test func theBeginningAndTheEndAreRecorded() {
    var core = core()
    core.send(.run(restarting("a")))
    check(core.hasCommands)
    #expect(changes(&core) == (["a"], 0))
    let effects = started(&core)
    check(!core.hasCommands)
    core.finish(effects[0])
    check(core.hasCommands)
    #expect(changes(&core) == ([], 1))
    #expect(changes(&core) == ([], 0))
  }

  @Test func nothingIsRecordedWithoutAReader() {
    var core = core(after: nil)
    core.send(.run(restarting("a")))
    #expect(changes(&core) == ([], 0))
    let effects = started(&core)
    core.finish(effects[0])
    check(!core.hasCommands)
  }

  @Test func effectsWithoutADeclarationAreNotRecorded() {
    var core = core()
    core.send(.run(.run { _ in }))
    core.finish(started(&core)[0])
    #expect(changes(&core) == ([], 0))
    check(!core.hasCommands)
  }

  @Test func numbersFollowThoseOfThePreviousProcess() {
    var core = core(after: 41)
    core.send(.run(restarting("a")))
    core.send(.run(restarting("b")))
    let numbers = core.takeRestarts().begun.keys.sorted()
    #expect(numbers.count == 2 && numbers[0] > 41)
  }

  @Test func whatEndsInItsTurnLeavesNothing() {
    var core = core()
    core.send(.run(Effect.send(.note("now")).restart(with: .note("again"))))
    core.send(.run(restarting("a").cancellable(id: 1)))
    core.send(.run(.cancel(id: 1)))
    #expect(changes(&core) == ([], 0))
    #expect(core.state.log == ["now"])
  }

  @Test func nothingToRunIsNotRecorded() {
    var core = core()
    core.send(.run(Effect.none.restart(with: .note("a"))))
    #expect(changes(&core) == ([], 0))
  }

  @Test(arguments: [true, false]) func aCancelledEffectHasEnded(isInside: Bool) {
    var core = core()
    let work: Effect = .run { _ in }
    core.send(
      .run(
        isInside
          ? work.cancellable(id: 1).restart(with: .note("a")) : work.restart(with: .note("a")).cancellable(id: 1)))
    #expect(changes(&core) == (["a"], 0))
    core.send(.run(.cancel(id: 1)))
    #expect(changes(&core) == ([], 1))
  }

  @Test func aReplacedEffectHasEnded() {
    var core = core()
    func timer(_ text: String) -> Effect {
      Effect.run { _ in }.cancellable(id: 1, cancelInFlight: true).restart(with: .note(text))
    }
    core.send(.run(timer("a")))
    #expect(changes(&core) == (["a"], 0))
    core.send(.run(timer("b")))
    #expect(changes(&core) == (["b"], 1))
  }

  @Test func anEffectOfPartsEndsWithTheLast() {
    var core = core()
    let parts = Effect.merge(.run { _ in }, .concatenate(.run { _ in }, .run { _ in }))
    core.send(.run(parts.restart(with: .note("a"))))
    #expect(changes(&core) == (["a"], 0))
    let first = started(&core)
    #expect(first.count == 2)
    for effect in first { core.finish(effect) }
    #expect(changes(&core) == ([], 0))
    core.finish(started(&core)[0])
    #expect(changes(&core) == ([], 1))
  }

  @Test func aStepOfASequenceIsRecordedWhenItBegins() {
    var core = core()
    core.send(.run(.concatenate(.run { _ in }, restarting("b"))))
    #expect(changes(&core) == ([], 0))
    core.finish(started(&core)[0])
    #expect(changes(&core) == (["b"], 0))
  }

  @Test func theActionIsMapped() {
    var core = core()
    let effect = ComposableArchitecture.Effect<Int>.run { _ in }.restart(with: 7)
    core.send(.run(effect.map { .note("number \($0)") }))
    #expect(changes(&core) == (["number 7"], 0))
  }

  /// Of an element of a list: the action names the element, and its removal ends the effect.
  @Test func anElementsEffectIsRestartedInTheElementAndEndsWithIt() {
    var core = ReducerCore(initialState: Rooms.State(), reducer: Rooms())
    core.recordRestarts(after: 0)
    core.send(.rooms(.element(id: 2, action: .opened)))
    let begun = core.takeRestarts().begun.values.map { $0 }
    #expect(begun.count == 1)
    guard case .rooms(.element(id: 2, action: .resumed))? = begun.first else {
      Issue.record("\(begun)")
      return
    }
    core.send(.removed(2))
    #expect(core.takeRestarts().ended.count == 1)
  }

  @Test func aPresentedChildsEffectIsRestartedInTheChild() {
    var core = ReducerCore(initialState: Rooms.State(), reducer: Rooms())
    core.recordRestarts(after: 0)
    core.send(.guest(.opened))
    let begun = core.takeRestarts().begun.values.map { $0 }
    guard case .guest(.resumed)? = begun.first else {
      Issue.record("\(begun)")
      return
    }
    core.send(.guestLeft)
    #expect(core.takeRestarts().ended.count == 1)
  }

  @Test func aRollBackForgetsWhatHasBegun() {
    var core = core()
    core.send(.run(restarting("a").cancellable(id: 1)))
    #expect(changes(&core) == (["a"], 0))
    let checkpoint = core.checkpoint()
    core.send(.run(restarting("b")))
    core.send(.run(.cancel(id: 1)))
    core.rollBack(to: checkpoint)
    #expect(changes(&core) == ([], 0))
    core.send(.run(.cancel(id: 1)))
    #expect(changes(&core) == ([], 1))
  }

  @Test func effectsWithoutARestartAreNamedByTheirCause() {
    var core = core()
    core.send(.run(.run { _ in }))
    let last = core.lastEffect
    core.send(.run(restarting("a")))
    core.send(.run(.send(.run(.run { _ in }))))
    let found = core.effectsWithoutRestart(after: last)
    #expect(found.count == 1)
    #expect(found.first?.site?.file.hasSuffix("RestartTests.swift") == true)
    guard case .run? = found.first?.cause else {
      Issue.record("\(found)")
      return
    }
  }

  @Test @MainActor func aStoreRunsTheEffectAsWithoutIt() async {
    let store = Store(initialState: Script.State()) { Script() }
    await store.send(.run(Effect.run { await $0(.note("done")) }.restart(with: .note("never")))).finish()
    let log = store.withState(\.log)
    #expect(log == ["done"])
  }
}

/// Rooms with work that outlives a hub.
private struct Rooms: Reducer {
  struct Room: Reducer {
    struct State: Identifiable { let id: Int }
    @CasePathable enum Action { case opened, resumed }

    var body: some ReducerOf<Self> {
      Reduce { _, action in
        switch action {
        case .opened, .resumed: .run { _ in }.restart(with: .resumed)
        }
      }
    }
  }

  struct State {
    var rooms: IdentifiedArrayOf<Room.State> = [Room.State(id: 1), Room.State(id: 2)]
    var guest: Room.State? = Room.State(id: 3)
  }

  @CasePathable enum Action {
    case rooms(IdentifiedActionOf<Room>)
    case guest(Room.Action)
    case removed(Int)
    case guestLeft
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .removed(let id): state.rooms.remove(id: id)
      case .guestLeft: state.guest = nil
      case .rooms, .guest: break
      }
      return .none
    }
    .forEach(\.rooms, action: \.rooms) { Room() }
    .ifLet(\.guest, action: \.guest) { Room() }
  }
}
