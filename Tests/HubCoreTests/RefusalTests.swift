import ComposableArchitecture
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A reducer refuses an action: its sender learns the reason, and nothing of it takes effect.
@Suite struct RefusalTests {
  /// A list that counts what was tried, and whose rows may be locked.
  struct Board: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var attempts = 0
      var isOpen = true
      var rows: IdentifiedArrayOf<Row.State> = [Row.State(id: 1), Row.State(id: 2, isLocked: true)]
    }

    @CasePathable @Replicated
    enum Action: Sendable {
      case closeTapped(byOwner: Bool)
      case row(IdentifiedActionOf<Row>)
      case startTapped
      case closeLater
      case closeAtOnce
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.attempts += 1
        return .none
      }
      Reduce { state, action throws(Refusal) in
        switch action {
        case .closeTapped(let isOwner):
          state.isOpen = false
          guard isOwner else { throw Refusal("only the owner may close it") }
          return .none
        case .closeAtOnce: return .send(.closeTapped(byOwner: false))
        case .closeLater: return .concatenate(.run { _ in }, .send(.closeTapped(byOwner: false)))
        case .startTapped: return .run { _ in }
        case .row: return .none
        }
      }
      .forEach(\.rows, action: \.row) { Row() }
    }
  }

  struct Row: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Identifiable, Sendable {
      let id: Int
      var isLocked = false
      var count = 0
    }

    @Replicated
    enum Action: Sendable { case tapped }

    var body: some ReducerOf<Self> {
      Reduce { state, _ throws(Refusal) in
        state.count += 1
        guard !state.isLocked else { throw Refusal("row \(state.id) is locked") }
        return .run { _ in }
      }
    }
  }

  /// A hub with a log, and a client that watches the whole state.
  private func makeHub() throws -> FeatureHub<Board.State, Board.Action> {
    try FeatureHub(Board.State(), Board(), isLogged: true)
  }

  @Test func itsSenderLearnsTheReasonAndNothingTakesEffect() throws {
    let hub = try makeHub()
    #expect(hub.engine.mayRefuse)
    // The first action of all is the one that is refused: the children are known before.
    try hub.send([.row(.element(id: 2, action: .tapped))])
    #expect(hub.rejections == [Rejected(sequence: 1, code: .refused, reason: "row 2 is locked")])
    #expect(hub.engine.state == Board.State() && hub.engine.revision == 0)
    #expect(hub.started.isEmpty)

    // The others of the same frame take effect.
    try hub.send([.row(.element(id: 1, action: .tapped)), .closeTapped(byOwner: false), .startTapped])
    #expect(hub.rejections.map(\.sequence) == [1, 3])
    #expect(hub.rejections.last?.reason == "only the owner may close it")
    #expect(hub.engine.revision == 2 && hub.engine.state.attempts == 2 && hub.engine.state.isOpen)
    #expect(hub.engine.state.rows[id: 1]?.count == 1)
    #expect(hub.started.count == 2)
    try hub.send([.closeTapped(byOwner: true)])
    #expect(!hub.engine.state.isOpen && hub.replica == hub.engine.state)
  }

  @Test func aRefusedActionIsNotLoggedAsApplied() throws {
    let hub = try makeHub()
    try hub.send([.closeTapped(byOwner: false)])
    try hub.send([.closeTapped(byOwner: true)])
    #expect(hub.turns.map(\.baseRevision) == [0, 0, 0])
    #expect(hub.turns.map { $0.actions.isEmpty } == [true, true, false])
    #expect(hub.turns.last?.revision == 1)
    #expect(hub.turns.flatMap(\.sessions).flatMap(\.rejections).map(\.code) == [.refused])
    // A recovery from the log has the same state.
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var recovery = Recovery(of: engine)
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    for turn in hub.turns { try recovery.apply(turn, writtenFor: schema) }
    _ = recovery.history(id: 1, sessions: [])
    #expect(engine.state == hub.engine.state)
  }

  @Test func anActionThatItsReducerSendsAtOnceBelongsToIt() throws {
    let hub = try makeHub()
    try hub.send([.closeAtOnce])
    #expect(hub.rejections.map(\.reason) == ["only the owner may close it"])
    #expect(hub.engine.state == Board.State() && hub.engine.revision == 0)
  }

  @Test func theHubsOwnActionsAreTakenBackAndReportedOnce() throws {
    let hub = try makeHub()
    hub.sendOwn(.closeTapped(byOwner: false))
    let applied = hub.core.apply(AnyAction(Board.Action.row(.element(id: 2, action: .tapped))), from: nil)
    #expect(!applied)
    let reports = hub.core.reports
    #expect(reports == [.refused(reason: "only the owner may close it"), .refused(reason: "row 2 is locked")])
    try hub.turn()
    #expect(hub.engine.state == Board.State() && hub.rejections.isEmpty && hub.turns.flatMap(\.actions).isEmpty)
  }

  @Test func theNextStepOfASequenceIsTakenBack() throws {
    let hub = try makeHub()
    try hub.send([.closeLater])
    let effect = try #require(hub.started.first)
    hub.core.finish(effect)
    let reports = hub.core.reports
    #expect(reports == [.refused(reason: "only the owner may close it")])
    #expect(hub.engine.state.isOpen && hub.engine.state.attempts == 1 && hub.engine.revision == 1)
  }

  /// An alarm that may be stopped, by actions of which some are refused after they have stopped or replaced it.
  struct Alarm: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var rings = 0
      var texts: [String] = []
    }

    @Replicated
    enum Action: Sendable {
      case started
      case stopped
      case stoppedAndRefused
      case restartedAndRefused
      case refused(String)
      case rang(String)
    }

    private enum Timer { case timer }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.texts.append("\(action)")
        switch action {
        case .started: return .run { _ in }.cancellable(id: Timer.timer)
        case .stopped: return .cancel(id: Timer.timer)
        case .stoppedAndRefused: return .concatenate(.cancel(id: Timer.timer), .send(.refused("stopped")))
        case .restartedAndRefused:
          return .merge(.run { _ in }.cancellable(id: Timer.timer, cancelInFlight: true), .send(.refused("restarted")))
        case .refused: return .cancel(id: Timer.timer)
        case .rang:
          state.rings += 1
          return .merge(.cancel(id: Timer.timer), .run { _ in })
        }
      }
      Reduce { _, action throws(Refusal) in
        switch action {
        case .refused(let text), .rang(let text): throw Refusal(text)
        default: return .none
        }
      }
    }
  }

  @Test func aRefusedActionStopsNoEffect() throws {
    let hub = try FeatureHub(Alarm.State(), Alarm(), isLogged: true)
    try hub.send([.started])
    let effect = try #require(hub.started.first)
    let state = hub.engine.state
    try hub.send([.stoppedAndRefused, .restartedAndRefused, .refused("at once")])
    #expect(hub.rejections.map(\.reason) == ["stopped", "restarted", "at once"])
    #expect(hub.started == [effect] && hub.cancelled.isEmpty)
    #expect(hub.engine.state == state && hub.engine.revision == 1)
    // It is still there, and the next action that is accepted stops it.
    try hub.send([.stopped])
    #expect(hub.cancelled == [effect])
  }

  @Test func anActionOfAnEffectIsTakenBackAndTheEffectGoesOn() throws {
    let hub = try FeatureHub(Alarm.State(), Alarm(), isLogged: true)
    try hub.send([.started])
    let effect = try #require(hub.started.first)
    let state = hub.engine.state
    let text = String(repeating: "ä", count: 5_000)
    for text in ["too early", text] {
      let applied = hub.core.apply(AnyAction(Alarm.Action.rang(text)), from: effect)
      #expect(!applied)
    }
    let reports = hub.core.reports
    #expect(reports.first == .refused(reason: "too early") && reports.count == 2)
    try hub.turn()
    #expect(hub.engine.state == state && hub.engine.revision == 1)
    #expect(hub.started == [effect] && hub.cancelled.isEmpty && hub.rejections.isEmpty)
    #expect(hub.turns.flatMap(\.actions).count == hub.turns[1].actions.count)
    try hub.send([.stopped])
    #expect(hub.cancelled == [effect])
  }

  /// The reason may be what a user has written, of any length and with any characters.
  @Test func aLongReasonIsCutAtACharacter() throws {
    let hub = try FeatureHub(Alarm.State(), Alarm(), isLogged: true)
    for text in [String(repeating: "ä", count: 5_000), "x" + String(repeating: "👩‍👩‍👧", count: 2_000), ""] {
      try hub.send([.refused(text)])
      let reason = try #require(hub.rejections.last).reason
      #expect(text.unicodeScalars.starts(with: reason.unicodeScalars))
      #expect(text.isEmpty ? reason.isEmpty : 4_090...4_096 ~= reason.utf8.count)
    }
    #expect(hub.rejections.count == 3 && hub.engine.state == Alarm.State())
  }

  @Test func aFeatureThatNeverRefusesIsNotChecked() throws {
    let hub = Hub()
    #expect(!hub.engine.mayRefuse)
    let checksEach = hub.core.checksEach
    #expect(!checksEach)
  }
}
