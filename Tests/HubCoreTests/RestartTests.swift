import ComposableArchitecture
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Effects with a declared restart, in a hub that ends at any time.
@Suite struct RestartTests {
  /// What is stored in the turn of its beginning is restarted, whether the effect had begun or not.
  @Test(arguments: [true, false]) func anEffectOfAStoredTurnIsRestarted(hasBegun: Bool) throws {
    let first = try MeetingHub()
    first.core.start()
    first.send(.started(minutes: 30))
    if hasBegun {
      first.store()
      first.turn()
    }
    #expect(first.running.count == (hasBegun ? 1 : 0))
    #expect(first.log.last?.effects.begun.count == 1)
    // It is killed here.
    let second = try MeetingHub(after: first)
    #expect(second.running.isEmpty)
    second.core.start()
    second.turn()
    second.store()
    second.turn()
    #expect(second.engine.state.resumptions == 1)
    #expect(second.running.count == 1)
    // The restarted effect ends the meeting.
    second.finish(sending: .ended)
    #expect(second.engine.state.minutes == nil)
    second.turn()
    second.store()
    let third = try MeetingHub(after: second)
    third.core.start()
    #expect(third.engine.state.resumptions == 1)
  }

  @Test func aTurnThatIsLostRestartsNothing() throws {
    let first = try MeetingHub()
    first.core.start()
    first.send(.started(minutes: 30))
    let second = try MeetingHub(after: first, lasting: 0)
    second.core.start()
    #expect(second.engine.state.resumptions == 0 && second.core.effectsInFlight.isEmpty)
  }

  /// Several effects, and a process that ends at each of its turns: each is restarted once by each process that stores
  /// anything, in order.
  @Test func eachIsRestartedOnceInOrder() throws {
    var hub = try MeetingHub()
    hub.core.start()
    for minutes in 1...5 { hub.send(.noted(minutes)) }
    hub.store()
    hub.turn()
    #expect(hub.core.effectsInFlight.count == 5)
    for process in 1...3 {
      hub = try MeetingHub(after: hub)
      hub.core.start()
      // The restarts and the removal of what they restart are one turn: it is stored entirely or not at all.
      hub.turn()
      let turn = try #require(hub.log.last)
      #expect(turn.effects.begun.count == 5 && turn.effects.ended.count == 5)
      #expect(Set(turn.effects.begun.map(\.number)).isDisjoint(with: turn.effects.ended))
      #expect(hub.engine.state.notes == Array(repeating: Array(1...5), count: process).flatMap(\.self))
      let lost = try MeetingHub(after: hub, lasting: hub.log.count - 1)
      lost.core.start()
      #expect(lost.engine.state.notes == hub.engine.state.notes)
      hub.store()
      hub.turn()
      #expect(hub.core.effectsInFlight.count == 5)
    }
  }

  @Test func restartsFollowTheEventOfTheStart() throws {
    let first = try MeetingHub()
    first.send(.noted(7))
    first.store()
    let second = try MeetingHub(after: first) { event in event == .started ? [.cleared] : [] }
    second.core.start()
    #expect(second.engine.state.notes == [7])
  }

  @Test func anEndIsStoredAlsoWithoutAnAction() throws {
    let hub = try MeetingHub()
    hub.send(.started(minutes: 1))
    hub.store()
    hub.turn()
    let count = hub.log.count
    hub.finish()
    hub.turn()
    #expect(hub.log.count == count + 1)
    let turn = try #require(hub.log.last)
    #expect(turn.baseRevision == turn.revision && turn.effects.ended.count == 1 && turn.actions.isEmpty)
    hub.store()
    #expect(hub.core.effectsInFlight.isEmpty)
  }

  @Test func turnsWithoutSuchEffectsHaveNone() throws {
    let hub = try MeetingHub()
    hub.send(.waited)
    hub.store()
    hub.turn()
    hub.finish()
    hub.turn()
    #expect(hub.log.count == 1 && hub.log[0].effects.isEmpty)
  }

  @Test func aSnapshotHasTheEffectsOfTheLastStoredTurn() throws {
    let hub = try MeetingHub()
    hub.send(.noted(1))
    hub.store()
    hub.send(.noted(2))
    let snapshot = hub.core.snapshot()
    #expect(snapshot.effects.count == 1 && snapshot.position == 1)
    let next = try MeetingHub(after: hub, snapshot: snapshot)
    next.core.start()
    #expect(next.engine.state.notes == [1, 2])
  }

  /// The element has gone with the answer to the start. Nothing happens, and the log says so.
  @Test func theRestartOfAnElementThatIsGoneDoesNothing() throws {
    let first = try MeetingHub()
    first.send(.rooms(.element(id: 1, action: .opened)))
    first.store()
    #expect(first.core.effectsInFlight.count == 1)
    let second = try MeetingHub(after: first) { event in event == .started ? [.roomRemoved(1)] : [] }
    let issues = withExpectedIssue { second.core.start() }
    #expect(issues.count == 1 && issues[0].contains("received an action for a missing element"), "\(issues)")
    second.turn()
    second.store()
    #expect(second.engine.state.rooms.isEmpty && second.running.isEmpty && second.core.effectsInFlight.isEmpty)
  }

  /// The feature has nothing left to do.
  @Test func aRefusedRestartIsOver() throws {
    let first = try MeetingHub()
    first.send(.noted(1))
    first.send(.noted(-1))
    first.store()
    let second = try MeetingHub(after: first)
    second.core.start()
    second.turn()
    #expect(second.log.last?.effects.ended.count == 2 && second.log.last?.effects.begun.count == 1)
    second.store()
    #expect(second.engine.state.notes == [1] && second.core.effectsInFlight.count == 1)
  }

  @Test func aHubWithoutALogRecordsNothing() throws {
    let engine = FeatureEngine(initialState: Meeting.State(), reducer: Meeting())
    var core = HubCore(engine, random: SplitMix(seed: 7))
    core.start()
    core.send(AnyAction(Meeting.Action.started(minutes: 1)))
    core.endTurn(at: .zero)
    #expect(core.effectsInFlight.isEmpty && engine.takeEffectChanges().isEmpty)
  }

  /// A later version may not have the action any more; the others are converted by name.
  @Test func theActionsOfAnotherVersionAreConverted() throws {
    let first = try MeetingHub()
    first.send(.noted(3))
    first.send(.started(minutes: 5))
    let engine = FeatureEngine(initialState: LaterMeeting.State(), reducer: LaterMeeting())
    var recovery = Recovery(of: engine)
    for turn in first.log { try recovery.apply(turn, writtenFor: first.engine.schema) }
    let conversion = try #require(try recovery.renumber(at: 1))
    #expect(conversion.effects == EffectChanges(ended: [first.log[1].effects.begun[0].number]))
    #expect(recovery.droppedEffectCount == 1)
    #expect(recovery.snapshot().effects.count == 1)
    let history = recovery.history(id: 1, sessions: [])
    #expect(history.effects.inOrder.map(\.action) == [LaterMeeting.Action.noteResumed(3).encoded()])
  }

  @Test func effectsThatEndWithTheHubAreReported() throws {
    let hub = try MeetingHub { event in event == .started ? [.waited] : [] }
    hub.core.start()
    hub.send(.started(minutes: 1))
    hub.send(.waited)
    hub.send(.waited)
    hub.store()
    hub.turn()
    hub.core.shutDown(reason: "test", at: .zero)
    hub.turn()
    #expect(hub.lost.count == 1)
    #expect(hub.lost.first?.contains("RestartTests.swift:") == true, "\(hub.lost)")
    #expect(hub.lost.first?.hasSuffix(", begun by waited") == true, "\(hub.lost)")
  }
}

/// A meeting that an effect ends.
private struct Meeting: Reducer {
  struct Room: Reducer {
    @Replicated struct State: Identifiable, Equatable, Sendable {
      let id: Int
      var isOpen = false
    }
    @CasePathable @Replicated enum Action: Sendable { case opened, resumed }

    var body: some Reducer<State, Action> {
      Reduce { state, _ in
        state.isOpen = true
        return .run { _ in }.restart(with: .resumed)
      }
    }
  }

  @Replicated struct State: Equatable, Sendable {
    var minutes: Int?
    var resumptions = 0
    var notes: [Int] = []
    var rooms: IdentifiedArrayOf<Room.State> = [Room.State(id: 1)]
  }

  @CasePathable @Replicated enum Action: Sendable {
    case started(minutes: Int)
    case resumed
    case ended
    case noted(Int)
    case noteResumed(Int)
    case cleared
    /// Starts an effect without a declared restart.
    case waited
    case rooms(IdentifiedActionOf<Room>)
    case roomRemoved(Int)
  }

  var body: some Reducer<State, Action> {
    Reduce { state, action throws(Refusal) in
      switch action {
      case .started(let minutes):
        state.minutes = minutes
        return timer
      case .resumed:
        state.resumptions += 1
        return state.minutes == nil ? .none : timer
      case .ended: state.minutes = nil
      case .noted(let number): return .run { _ in }.restart(with: .noteResumed(number))
      case .noteResumed(let number):
        if number < 0 { throw Refusal("the note is gone") }
        state.notes.append(number)
        return .run { _ in }.restart(with: .noteResumed(number))
      case .cleared: state.notes = []
      case .waited: return .run { _ in }
      case .roomRemoved(let id): state.rooms.remove(id: id)
      case .rooms: break
      }
      return .none
    }
    .forEach(\.rooms, action: \.rooms) { Room() }
  }

  private var timer: Effect<Action> { .run { _ in }.restart(with: .resumed) }
}

/// A later version of it, which has no timer.
private struct LaterMeeting: Reducer {
  @Replicated struct State: Equatable, Sendable {
    var title = ""
    var notes: [Int] = []
  }

  @Replicated enum Action: Sendable {
    case titled(String)
    case noteResumed(Int)
  }

  var body: some Reducer<State, Action> { Reduce { _, _ in .none } }
}

/// A hub of a meeting with a log, and a shell that only counts what runs.
private final class MeetingHub {
  let engine: FeatureEngine<Meeting.State, Meeting.Action>
  var core: HubCore
  private(set) var log: [LoggedTurn] = []
  /// The running effects.
  private(set) var running: [EffectID] = []
  /// The reports of effects that end with the hub.
  private(set) var lost: [String] = []

  /// Creates a hub that continues after another one.
  ///
  /// - Parameters:
  ///   - count: The number of turns that survive; nil for all.
  ///   - snapshot: A snapshot with which the recovery begins.
  init(
    after previous: MeetingHub? = nil, lasting count: Int? = nil, snapshot: LogSnapshot? = nil,
    onEvent: @escaping (HubEvent) -> [Meeting.Action] = { _ in [] }
  ) throws {
    engine = FeatureEngine(
      initialState: Meeting.State(), reducer: Meeting(), onEvent: { event, _ in onEvent(event) })
    var recovery = Recovery(of: engine)
    if let snapshot {
      let bytes = snapshot.makePieces()(.max) ?? []
      try recovery.restore(
        snapshot: bytes.span.bytes, writtenFor: engine.schema, at: snapshot.revision, position: snapshot.position,
        effects: snapshot.effects)
    }
    log = Array((previous?.log ?? []).prefix(count ?? .max))
    for turn in log where turn.position > snapshot?.position ?? 0 {
      try recovery.apply(turn, writtenFor: engine.schema)
    }
    core = HubCore(engine, history: recovery.history(id: 1, sessions: []), random: SplitMix(seed: 7))
  }

  /// Sends an action in a turn of its own.
  func send(_ action: Meeting.Action) {
    core.send(AnyAction(action))
    turn()
  }

  func store() { core.stored(upTo: log.last?.position ?? 0, at: .zero) }

  func turn() {
    core.endTurn(at: .zero, flushing: true)
    for command in core.commands {
      switch command {
      case .effect(let index):
        switch core.effectCommands[index] {
        case .start(let effect, _, _): running.append(effect)
        case .cancel(let effect): running.removeAll { $0 == effect }
        case .cancelTasks: break
        }
      case .store: log += core.turnsToStore
      case .report(let index): if case .effectLost(let text) = core.reports[index] { lost.append(text) }
      default: break
      }
    }
    core.clear()
  }

  /// The effect that began first sends an action, if any, and ends.
  func finish(sending action: Meeting.Action? = nil) {
    let effect = running.removeFirst()
    if let action { _ = core.apply(AnyAction(action), from: effect) }
    core.finish(effect)
  }
}
