import ComposableArchitecture
import FoundationEssentials
import IdentifiedCollections
import Testing
import Wire

@testable import HubCore

/// What is acknowledged can be read back: an action whose result no decoder would read is refused and taken back.
@Suite struct UnreadableStateTests {
  @Replicated
  struct Reply: Equatable, Identifiable, Sendable {
    let id: Int
    var replies: IdentifiedArrayOf<Reply> = []

    /// Adds a reply below the last one.
    mutating func add(_ id: Int) {
      if replies.isEmpty { replies.append(Reply(id: id)) } else { replies[0].add(id) }
    }
  }

  /// A key with a field that is not written.
  @Replicated
  struct Label: Hashable, Sendable {
    var name: String
    @Replicated(omit) var colour = 0
  }

  @Replicated
  struct Weight: Equatable, Identifiable, Sendable {
    let id: Double
  }

  /// An element whose id is not written.
  @Replicated
  struct Row: Equatable, Identifiable, Sendable {
    @Replicated(omit) var id = 0
    var text = ""
  }

  struct Thread: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var count = 0
      var thread = Reply(id: 0)
      var weights: [Double: Int] = [:]
      var members: Set<Double> = []
      var elements: IdentifiedArrayOf<Weight> = []
      var dates: [Date: Int] = [:]
      var labels: [Label: Int] = [:]
      var labelled: Set<Label> = []
      var rows: IdentifiedArrayOf<Row> = []
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case increment
      case reply(Int)
      case weigh(Double)
      case join(Double)
      case add(Double)
      case date(Double)
      case label(String, Int)
      case joinLabel(String, Int)
      case leaveLabel(String)
      case row(Int)
      case twoNaNs
      case after(Int)
      case runThenWeigh(Double)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .increment: state.count += 1
        case .reply(let id): state.thread.add(id)
        case .weigh(let weight): state.weights[weight] = 1
        case .join(let member): state.members.insert(member)
        case .add(let id): state.elements.append(Weight(id: id))
        case .date(let seconds): state.dates[Date(timeIntervalSinceReferenceDate: seconds)] = 1
        case .label(let name, let colour): state.labels[Label(name: name, colour: colour)] = 1
        case .joinLabel(let name, let colour): state.labelled.insert(Label(name: name, colour: colour))
        case .leaveLabel(let name): state.labelled = state.labelled.filter { $0.name != name }
        case .row(let id): state.rows.append(Row(id: id))
        case .twoNaNs:
          state.weights[.nan] = 1
          state.weights[.nan] = 2
        case .after(let id):
          // An action that follows synchronously is a part of the same send.
          return .send(.weigh(id == 0 ? .nan : Double(id)))
        case .runThenWeigh(let weight):
          return .concatenate(.run { _ in }, .send(.weigh(weight)))
        }
        return .none
      }
    }
  }

  /// A hub with a client that watches the whole state.
  private func makeHub(logged: Bool = false) throws -> FeatureHub<Thread.State, Thread.Action> {
    try FeatureHub(Thread.State(), Thread(), isLogged: logged)
  }

  @Test func repliesNestedTooDeepAreRefused() throws {
    let hub = try makeHub()
    for id in 1...80 { try hub.send([.reply(id)]) }
    // The last one has an empty list, which counts.
    #expect(hub.rejections.map(\.code) == Array(repeating: .unreadable, count: 81 - CBORDecoder.depthLimit))
    #expect(hub.rejections.first?.reason.contains("nested deeper than 64") == true)
    #expect(try hub.readBack() == hub.engine.state)
    #expect(hub.replica == hub.engine.state)
    // The hub goes on.
    try hub.send([.increment])
    #expect(hub.replica?.count == 1)
  }

  @Test(arguments: [
    [Thread.Action.weigh(.nan)], [.join(.nan)], [.add(.nan)], [.date(.nan)], [.twoNaNs], [.weigh(.signalingNaN)],
    [.after(0)], [.label("a", 2)], [.joinLabel("a", 2)], [.row(2)],
  ])
  func anActionWhoseResultCannotBeReadIsRefused(_ actions: [Thread.Action]) throws {
    let hub = try makeHub()
    try hub.send([.label("a", 1), .joinLabel("a", 1), .row(1), .weigh(-0.0), .weigh(0.0), .after(3)])
    #expect(hub.rejections.isEmpty)
    let before = hub.engine.state
    // The others of the same frame take effect.
    try hub.send([.increment] + actions + [.increment])
    #expect(hub.rejections.map(\.code) == [.unreadable])
    #expect(hub.rejections.map(\.sequence) == [8])
    var expected = before
    expected.count += 2
    #expect(hub.engine.state == expected)
    #expect(try hub.readBack().encoded() == expected.encoded())
    #expect(hub.replica?.encoded() == expected.encoded())
  }

  /// The first leader goes on from a version of its own, and one that follows another takes over that one's changes: these
  /// were made of states that were read, in which keys do not have what is not written.
  @Test func changesFitAVersionThatIsRestored() throws {
    var state = Thread.State()
    // So many that a change is not written as a new set.
    state.labelled = Set("abcdefgh".map { Label(name: String($0), colour: 1) })
    let engine = FeatureEngine(initialState: state, reducer: Thread())
    engine.restore(engine.currentVersion(), at: 1)
    #expect(engine.state.labelled.first?.colour == 1)
    engine.apply(AnyAction(Thread.Action.leaveLabel("a")))
    try engine.readBack()

    let leader = FeatureEngine(initialState: state, reducer: Thread())
    leader.restore(leader.currentVersion(), at: 1)
    var stored = try Thread.State(decoding: state.encoded().span.bytes)
    let before = stored
    stored.labelled.remove(Label(name: "a"))
    var delta = CBOREncoder()
    stored.encodeDelta(from: before, to: &delta)
    try leader.restore(delta: delta.span, to: 2)
    #expect(leader.state == stored && leader.revision == 2)
  }

  @Test func theHubsOwnActionsAreTakenBackAndReported() throws {
    let hub = try makeHub(logged: true)
    hub.core.send(AnyAction(Thread.Action.weigh(.nan)))
    hub.core.send(AnyAction(Thread.Action.increment))
    let applied = hub.core.apply(AnyAction(Thread.Action.join(.nan)), from: nil)
    #expect(!applied)
    let reports = hub.core.reports
    #expect(reports.count == 2)
    for report in reports {
      let isExpected = if case .unreadable(let reason) = report { reason.contains("equal to itself") } else { false }
      #expect(isExpected, "\(report)")
    }
    try hub.turn()
    #expect(hub.engine.revision == 1)
    #expect(hub.replica == hub.engine.state)
    #expect(try hub.readBack() == hub.engine.state)
  }

  /// The rest of a sequence is given up, and the effect has ended in any case.
  @Test(arguments: [Double.nan, 1]) func theNextStepOfASequenceIsTakenBack(_ weight: Double) throws {
    let hub = try makeHub()
    hub.core.send(AnyAction(Thread.Action.runThenWeigh(weight)))
    hub.core.endTurn(at: .zero)
    let started = hub.core.effectCommands.compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
    let effect = try #require(started.first)
    hub.core.clear()
    hub.core.finish(effect)
    let reports = hub.core.reports.count
    #expect(reports == (weight.isNaN ? 1 : 0))
    #expect(hub.engine.state.weights == (weight.isNaN ? [:] : [1: 1]))
    let isApplied = hub.core.apply(AnyAction(Thread.Action.increment), from: effect)
    #expect(!isApplied)
  }

  /// A recovered state needs no check, and keys are compared with those of that state.
  @Test func aRecoveredStateIsTheBaseOfTheNextCheck() throws {
    let first = FeatureEngine(initialState: Thread.State(), reducer: Thread())
    first.send(.label("a", 1))
    let engine = FeatureEngine(initialState: Thread.State(), reducer: Thread())
    try engine.restore(first.state.encoded().span.bytes, at: 1)
    try engine.readBack()
    engine.send(.label("a", 5))
    #expect(throws: WireError.self) { try engine.readBack() }
  }

  @Test func anInitialStateIsReadBack() throws {
    var state = Thread.State()
    state.weights[.nan] = 1
    let engine = FeatureEngine(initialState: state, reducer: Thread())
    #expect(throws: WireError.self) { try engine.readBack() }
  }
}
