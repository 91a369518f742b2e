import ComposableArchitecture
import Features
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// The limit of the size of the state.
@Suite struct StateSizeTests {
  private func hub(_ bytes: Int) -> Hub {
    var limits = HubLimits()
    limits.stateBytes = bytes
    return Hub(limits: limits)
  }

  private func encodedCount(_ hub: Hub) -> Int { hub.engine.state.encoded().count }

  private func add(_ count: Int, of size: Int, from first: UInt64, _ hub: Hub, _ id: ConnectionID) throws -> [UInt64] {
    let text = String(repeating: "x", count: size)
    hub.send(Array(repeating: Action.todos(.addButtonTapped(text: text)), count: count), from: first, on: id)
    while hub.hasBacklog { hub.work(limit: .max) }
    return try hub.turn(id).filter { $0.kind == .rejected }.map {
      let rejected = try $0.decoded(as: Rejected.self)
      #expect(rejected.code == .stateTooLarge)
      return rejected.sequence
    }
  }

  /// A large state, but far from the limit, is counted piece by piece, also while nothing else happens.
  @Test func aHubWithoutClientsCountsItsState() {
    var state = State()
    state.todos.todos = IdentifiedArray(
      uniqueElements: (0..<50_000).map { Todo.State(id: $0, text: "a todo with the number \($0)") })
    let history = HubHistory(id: 1, isLogged: false, position: 0, stateBound: 100 << 20, sessions: [], versions: [])
    var core = HubCore(FeatureEngine(initialState: state, reducer: AppFeature()), history: history)
    var turns = 0
    while core.endTurn(at: .zero), turns < 1000 { turns += 1 }
    let goesOn = core.needsAnotherTurn
    #expect(!goesOn && turns > 1)
    let bytes = core.metrics.stateBytes
    #expect(bytes == UInt64(state.encoded().count))
  }

  @Test func anActionThatMakesTheStateTooLargeIsRejected() throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    var (sequence, rejected): (UInt64, [UInt64]) = (1, [])
    for _ in 0..<60 {
      rejected += try add(40, of: 1000, from: sequence, hub, id)
      sequence += 40
      if rejected.count > 100 { break }
    }
    #expect(rejected.count > 100)
    #expect(encodedCount(hub) <= 1 << 20)
    #expect(encodedCount(hub) > (1 << 20) - 10_000)
    // Rejected actions have no effect: the revision counts only the others.
    #expect(hub.engine.revision == sequence - 1 - UInt64(rejected.count))
    // Actions that make the state smaller are always accepted, and make room.
    hub.send([.todos(.deleteButtonTapped(id: 3)), .todos(.deleteButtonTapped(id: 4))], from: sequence, on: id)
    #expect(hub.turn(id).map(\.kind) == [.applied])
    #expect(try add(1, of: 1000, from: sequence + 2, hub, id).isEmpty)
  }

  /// A check encodes all changes since the previous one within a turn.
  @Test func aCheckOfALargeStateFitsIntoATurn() {
    var size = StateSize(limit: 256 << 20)
    let text = String(repeating: "x", count: 2 << 20)
    size.begin(with: TypedVersion(text), at: 0, bound: nil)
    func checkedCount(byteCount: Int) -> Int? { (1...100_000).first { _ in size.note(1, byteCount: byteCount) } }
    #expect(checkedCount(byteCount: 8192) == 8)
    // Many small changes of one place make a small delta.
    var isWithinLimit = size.look(at: TypedVersion("x"), 8)
    #expect(isWithinLimit)
    #expect(checkedCount(byteCount: 1) == 8192)
    isWithinLimit = size.look(at: TypedVersion("y"), 8200)
    #expect(isWithinLimit)
    #expect(checkedCount(byteCount: 8192) == 8)
    isWithinLimit = size.look(at: TypedVersion(String(repeating: "x", count: 100_000)), 8208)
    #expect(isWithinLimit)
    #expect(size.actionsToCheck == 8)
  }

  // A text of single characters is made a character at a time.
  private static func text(mebibytes count: Int) -> String {
    String(repeating: String(repeating: "x", count: 1 << 10), count: count << 10)
  }

  /// The limit holds from the first action on, however long a count of the state would take.
  @Test func aStateOfUnknownSizeIsCountedBeforeTheFirstAction() {
    let text = Self.text(mebibytes: 140)
    for bound in [nil, 200 << 20, 300 << 20] {
      var size = StateSize(limit: 256 << 20)
      size.begin(with: TypedVersion(text), at: 0, bound: bound)
      #expect(!size.isCounting && size.estimate == text.utf8.count + 5)
    }
    var size = StateSize(limit: 256 << 20)
    size.begin(with: TypedVersion(Self.text(mebibytes: 10)), at: 0, bound: 100 << 20)
    #expect(size.isCounting && size.estimate == 100 << 20)
    while size.isCounting { size.countNextPiece() }
    #expect(size.estimate == 10 << 20 + 5)
  }

  /// The changes of a small state are not compared: it is counted, at intervals that do not depend on them.
  @Test func aSmallStateIsCounted() {
    var size = StateSize(limit: 256 << 20)
    size.begin(with: TypedVersion(""), at: 0, bound: nil)
    for (revision, byteCount) in [(UInt64(1), 100_000), (2, 10), (3, 200_000)] {
      while !size.note(1, byteCount: 1) {}
      let isWithinLimit = size.look(at: TypedVersion(String(repeating: "x", count: byteCount)), revision)
      #expect(isWithinLimit && size.actionsToCheck == 1024)
      #expect((byteCount...byteCount + 16).contains(size.estimate))
    }
    // It has grown too much, so the bytes of its delta are added.
    let isWithinLimit = size.look(at: TypedVersion(String(repeating: "x", count: 1_000_000)), 4)
    #expect(isWithinLimit && size.actionsToCheck < 1024)
    #expect(size.estimate > 1_000_000)
  }

  /// A state beyond half of its limit is not measured by the deltas of the log, but they tell how large changes are.
  @Test func deltasOfTheLogShortenTheIntervalOfAStateBeyondHalfOfItsLimit() {
    var size = StateSize(limit: 256 << 20)
    let text = Self.text(mebibytes: 140)
    size.begin(with: TypedVersion(text), at: 0, bound: nil)
    size.note(deltaByteCount: 2048, from: 1000, to: TypedVersion(text), at: 2000)
    #expect(size.actionsToCheck == 1000)
    size.note(deltaByteCount: 2048, from: 2000, to: TypedVersion(text), at: 2010)
    #expect(size.actionsToCheck == 10)
  }

  /// One frame carries more than is left, although the state is far from its limit before.
  @Test func aLargeFrameDoesNotExceedTheLimit() throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    #expect(try add(700, of: 1000, from: 1, hub, id).isEmpty)
    #expect(try add(700, of: 1000, from: 701, hub, id).count > 300)
    #expect(encodedCount(hub) <= 1 << 20)
  }

  /// Actions that carry little and add up to 4 KiB each are counted before they can exceed the limit.
  @Test func actionsThatAddMoreThanTheyCarryDoNotExceedTheLimit() throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    #expect(try add(740, of: 1000, from: 1, hub, id).isEmpty)
    // Each of these adds a multiple of the bytes that it carries.
    var (sequence, rejected): (UInt64, Int) = (741, 0)
    for _ in 0..<100 where rejected == 0 {
      rejected = try add(500, of: 1, from: sequence, hub, id).count
      sequence += 500
    }
    #expect(rejected > 0)
    #expect(encodedCount(hub) <= 1 << 20)
  }

  /// The documented number of actions between two checks holds for any limit; a few of them can exceed a small one.
  @Test(arguments: [1000, 1 << 14, 1 << 16, 1 << 20, 256 << 20]) func theChecksAreAsFrequentAsDocumented(limit: Int) {
    var size = StateSize(limit: limit)
    size.begin(with: TypedVersion(UInt64(0)), at: 0, bound: nil)
    for revision in UInt64(1)...100 {
      while !size.note(1, byteCount: 1) {}
      let isWithinLimit = size.look(at: TypedVersion(revision), revision)
      #expect(isWithinLimit)
      #expect((1...max(limit >> 14, 1)).contains(size.actionsToCheck))
    }
  }

  /// Changes that do not make the state larger are accepted forever, and the estimate does not drift.
  @Test func aStateNearItsLimitCanBeEdited() throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    var sequence: UInt64 = 1
    for _ in 0..<9 {
      #expect(try add(100, of: 1000, from: sequence, hub, id).isEmpty)
      sequence += 100
    }
    var random = SplitMix(seed: 3)
    for _ in 0..<300 {
      let todo = Int.random(in: 0..<900, using: &random)
      let text = String(repeating: "y", count: Int.random(in: 900...1000, using: &random))
      hub.send(
        [.todos(.todos(.element(id: todo, action: .textChanged(text)))), .todos(.moved(id: todo, before: 0))],
        from: sequence, on: id)
      #expect(!hub.turn(id).contains { $0.kind == .rejected })
      sequence += 2
    }
    // A count takes a few turns.
    for _ in 0..<40 { hub.turn() }
    let difference = abs(hub.core.size.estimate - encodedCount(hub))
    #expect(difference < (1 << 20) / 32, "\(difference)")
  }

  /// Deltas are an upper bound of growth; edits far beyond the limit must not count as growth.
  @Test(arguments: [false, true]) func editsOfASmallStateAreNoGrowth(isWatched: Bool) throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    if isWatched { hub.send(Attach(), on: id) }
    #expect(try add(100, of: 1000, from: 1, hub, id).isEmpty)
    var sequence: UInt64 = 101
    for round in 0..<50 {
      let text = String(repeating: round.isMultiple(of: 2) ? "y" : "z", count: 1000)
      hub.send((0..<100).map { .todos(.todos(.element(id: $0, action: .textChanged(text)))) }, from: sequence, on: id)
      while hub.hasBacklog { hub.work(limit: .max) }
      #expect(!hub.turn(id).contains { $0.kind == .rejected })
      sequence += 100
    }
    for _ in 0..<40 { hub.turn() }
    #expect(hub.core.size.estimate >= encodedCount(hub))
    #expect(hub.core.size.estimate <= (1 << 20) / 4 * 3)
  }

  /// A state of almost half the limit is replaced in one turn and may still grow.
  @Test(arguments: [false, true]) func aStateReplacedInOneTurnMayGrow(isWatched: Bool) throws {
    let hub = hub(1 << 20)
    let (id, _) = try hub.open()
    if isWatched { hub.send(Attach(), on: id) }
    #expect(try add(500, of: 1000, from: 1, hub, id).isEmpty)
    for _ in 0..<40 { hub.turn() }
    let text = String(repeating: "y", count: 1000)
    hub.send((0..<500).map { .todos(.todos(.element(id: $0, action: .textChanged(text)))) }, from: 501, on: id)
    // Before the end of the turn, at which a count could continue.
    #expect(try add(100, of: 1000, from: 1001, hub, id).isEmpty)
  }

  /// One action that carries more than the limit is rejected, however small the state is.
  @Test func aJumpBeyondTheLimitIsRejected() throws {
    let hub = hub(1 << 19)
    let (id, _) = try hub.open()
    #expect(try add(1, of: 900_000, from: 1, hub, id) == [1])
    #expect(try add(1, of: 10, from: 2, hub, id).isEmpty)
    #expect(encodedCount(hub) < 1000)
  }

  /// The growth by actions before the last check is not charged to actions that make the state smaller.
  @Test func aStateBeyondItsLimitCanBeMadeSmaller() throws {
    var limits = HubLimits()
    limits.stateBytes = 1 << 19
    let hub = BoardHub(limits: limits)
    let (id, _) = try hub.open()
    // A check after the 8th; the others follow it.
    for _ in 0..<15 {
      hub.send(.addItems(2000), on: id)
      #expect(!hub.turn(id).contains { $0.kind == .rejected })
    }
    #expect(hub.state.encoded().count > limits.stateBytes)
    hub.send((0..<15_000).map { .setTitle($0, "") }, on: id)
    var frames: [BoardHub.Frame] = []
    repeat { frames += hub.turn(id) } while hub.hasMoreToWrite
    #expect(!frames.contains { $0.kind == .rejected })
    #expect(hub.state.encoded().count < limits.stateBytes)
  }

  /// The size of a state that is not known is counted before the first action, and a state that is too large reported.
  @Test func aStateThatIsTooLargeAtTheStartIsReported() {
    var limits = HubLimits()
    limits.stateBytes = 1000
    var state = Board.State()
    state.title = String(repeating: "x", count: 2000)
    let engine = FeatureEngine(initialState: state, reducer: Board())
    let recovery = Recovery(of: engine)
    let core = HubCore(engine, limits: limits, history: recovery.history(id: 1, sessions: []))
    let reports = core.reports
    #expect(reports == [.stateExceedsLimit(1000)])
  }

  /// Nothing rolls back the actions of the program itself.
  @Test func whatTheProgramAddsIsReported() {
    var limits = HubLimits()
    limits.stateBytes = 1000
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var core = HubCore(engine, limits: limits)
    for _ in 0..<4 { core.send(AnyAction(Board.Action.addItems(20))) }
    let reports = core.reports
    #expect(reports.contains(.stateExceedsLimit(1000)))
  }

  /// The next step of a sequence is applied when its first step ends, without an action of a client or an effect.
  @Test func whatTheEndOfAnEffectAddsIsReported() throws {
    var limits = HubLimits()
    limits.stateBytes = 1000
    let engine = FeatureEngine(
      initialState: Board.State(),
      reducer: CombineReducers {
        Board()
        Reduce<Board.State, Board.Action> { _, action in
          action == .setCount(1) ? .concatenate(.run { _ in }, .send(.addItems(80))) : .none
        }
      })
    var core = HubCore(engine, limits: limits)
    core.send(AnyAction(Board.Action.setCount(1)))
    core.endTurn(at: .zero)
    let started = core.effectCommands.compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
    core.clear()
    core.finish(try #require(started.first))
    let reports = core.reports
    #expect(engine.state.items.count > 0 && reports == [.stateExceedsLimit(1000)])
  }

  /// Actions that were rolled back are neither logged nor sent.
  @Test func whatIsTakenBackIsNotLogged() throws {
    var limits = HubLimits()
    limits.stateBytes = 1 << 20
    let hub = try Hub(recovering: [], durability: .async, limits: limits)
    let (id, _) = try hub.open()
    var sequence: UInt64 = 1
    var rejected: [UInt64] = []
    while rejected.isEmpty, sequence < 100 {
      rejected += try add(1, of: 100_000, from: sequence, hub, id)
      sequence += 1
    }
    #expect(!rejected.isEmpty)
    let recovered = try Hub(recovering: hub.log, durability: .async)
    #expect(hub.core.metrics.durability == "async")
    #expect(recovered.engine.state == hub.engine.state)
    #expect(recovered.engine.revision == hub.engine.revision)
  }
}
