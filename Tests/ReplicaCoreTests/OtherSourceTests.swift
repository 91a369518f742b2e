import ComposableArchitecture
import HubCore
import IdentifiedCollections
import ReplicaCore
import ReplicatedArchitecture
import TestSupport
import Testing
import TurnLog
import Wire

/// A client and a hub that were compiled from different versions of a feature.
@Suite struct OtherSourceTests {
  enum Hub {
    @Replicated
    struct Task: Equatable, Identifiable {
      var id: Int
      var title = ""
      var isDone = false
    }

    @Replicated
    struct State: Equatable {
      var count = 0
      var tasks: IdentifiedArrayOf<Task> = []
      var note: String? = nil
    }

    @Replicated
    enum Action: Equatable {
      case increment
      case add(Task)
      case complete(id: Int)
    }

    static func reduce(_ state: inout State, _ action: Action) -> Effect<Action> {
      switch action {
      case .increment: state.count += 1
      case .add(let task): state.tasks.append(task)
      case .complete(let id): state.tasks[id: id]?.isDone = true
      }
      return .none
    }
  }

  /// The feature with fields and cases in another order, some removed and some added.
  enum Client {
    @Replicated
    struct Task: Equatable, Identifiable {
      var isDone = false
      var title = ""
      var id: Int
      var colour: Int? = nil
    }

    @Replicated
    struct State: Equatable {
      var tasks: IdentifiedArrayOf<Task> = []
      var extra = 7
      var count = 0
    }

    @Replicated
    enum Action: Equatable {
      case complete(id: Int)
      case paint(Int)
      case add(Task)
      case increment
    }
  }

  /// A state to which the hub's cannot be converted.
  @Replicated
  struct Strange: Equatable {
    var count = ""
  }

  /// Passes bytes between a hub and a replica until there are no more.
  func run(
    _ hub: inout HubCore, _ replica: inout ReplicaCore, _ id: inout ConnectionID?,
    onWrite: ([UInt8]) -> Void = { _ in }, onTurn: (LoggedTurn) -> Void = { _ in }
  ) -> [ReplicaCommand] {
    var commands: [ReplicaCommand] = []
    for _ in 0..<50 {
      replica.endTurn(at: .zero)
      let (fresh, bytes) = (replica.commands, replica.output.bytes)
      replica.clear()
      for command in fresh {
        switch command {
        case .connect:
          id = hub.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
          replica.connected(at: .zero)
        case .write(let range):
          let part = Array(bytes[range])
          onWrite(part)
          if let id { hub.received(part.span.bytes, on: id, at: .zero) }
        default: commands.append(command)
        }
      }
      hub.endTurn(at: .zero, flushing: true)
      var down: [UInt8] = []
      for case .write(_, let run) in hub.commands {
        for range in hub.ranges[run] { down += hub.output.bytes[range] }
      }
      for turn in hub.turnsToStore { onTurn(turn) }
      hub.clear()
      if !down.isEmpty { replica.received(down.span.bytes, at: .zero) }
    }
    return commands
  }

  /// The client's version of the feature, as a hub.
  private func original() -> FeatureEngine<Client.State, Client.Action> {
    FeatureEngine(
      initialState: Client.State(),
      reducer: Reduce { state, action in
        if case .paint(let colour) = action { state.extra = colour }
        return .none
      })
  }

  /// Sets a client's value at a hub, and disconnects them. Returns the hub's turns.
  private func paint(
    with replica: inout ReplicaCore, at engine: FeatureEngine<Client.State, Client.Action>
  ) throws -> [LoggedTurn] {
    var hub = HubCore(engine, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .async)
    replica.start()
    var id: ConnectionID?
    var turns: [LoggedTurn] = []
    _ = run(&hub, &replica, &id, onTurn: { turns.append($0) })
    _ = try replica.send { $0.append(Client.Action.paint(5).encoded().span.bytes) }
    _ = run(&hub, &replica, &id, onTurn: { turns.append($0) })
    replica.disconnected(reason: "an upgrade", at: .zero)
    replica.expire(at: .seconds(60))
    return turns
  }

  /// A shared model whose newer version has one more field, so that both sides read each other's bytes unchanged.
  enum Model {
    @Replicated struct OldPart: Equatable { var title = "" }
    @Replicated struct Old: Equatable { var part = OldPart() }
    @Replicated struct NewPart: Equatable {
      var title = ""
      var note = ""
    }
    @Replicated struct New: Equatable { var part = NewPart() }
  }

  @Test func aChangeOfAFieldThatTheHubLacksIsRefusedAndNotLost() throws {
    let engine = FeatureEngine<Model.Old, SharedChange<Model.Old>>(
      initialState: Model.Old(),
      reducer: Reduce { state, change in
        try? change.apply(to: &state)
        return .none
      })
    var hub = HubCore(engine, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .async)
    let schema = Schema(state: Model.New.self, action: SharedChange<Model.New>.self)
    #expect(schema.compatibility(with: engine.schema) == .compatible)
    var replica = ReplicaCore(schema: schema)
    replica.start()
    var id: ConnectionID?
    _ = run(&hub, &replica, &id)
    var model = Model.New()
    (model.part.title, model.part.note) = ("a", "b")
    var titled = Model.New()
    titled.part.title = "c"
    for next in [model, titled] {
      for change in SharedChange.changes(from: Model.New(), to: next) {
        _ = try replica.send { $0.append(change.encoded().span.bytes) }
      }
    }
    let outcomes = run(&hub, &replica, &id).compactMap { command -> String? in
      switch command {
      case .applied: "applied"
      case .failed(_, _, .rejected(let code, let reason)): "\(code): \(reason)"
      default: nil
      }
    }
    #expect(outcomes.count == 2 && outcomes.last == "applied", "\(outcomes)")
    #expect(outcomes.first?.hasPrefix("\(RejectionCode.unknownAction.rawValue): ") == true)
    #expect(outcomes.first?.hasSuffix("OldPart has no field named 'note'") == true, "\(outcomes)")
    #expect(engine.state.part.title == "c")
  }

  /// A client that has seen nothing of the upgrade still has the value.
  @Test func aValueThatAnUpgradeLostIsNotKeptWhenItIsRolledBack() throws {
    let engine = original()
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    let extra = replica.subscribe(to: StatePath<Client.State, Client.State>().extra)
    let turns = try paint(with: &replica, at: engine)
    #expect(extra.part == 5)

    let upgraded = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var upgrade = Recovery(of: upgraded)
    for turn in turns { try upgrade.apply(turn, writtenFor: engine.schema) }
    #expect(try upgrade.renumber(at: 1)?.revision == 2)

    let restored = original()
    var recovery = Recovery(of: restored)
    try recovery.restore(
      snapshot: Hub.State().encoded().span.bytes, writtenFor: upgraded.schema, at: upgrade.revision, position: 3)
    #expect(try recovery.renumber(at: 2)?.position == 4)
    #expect(try recovery.renumber(at: 3) == nil)
    let sessions = turns.last?.sessions ?? []
    var next = HubCore(restored, history: recovery.history(id: 1, sessions: sessions), durability: .async)
    var id: ConnectionID?
    _ = run(&next, &replica, &id)
    #expect(replica.connection == .live)
    #expect(extra.part == 7)
  }

  /// As if the snapshot of the converted state were damaged, so that the recovery begins before the upgrade.
  @Test func aRevisionOfBeforeAnUpgradeIsNotBroughtUpToDate() throws {
    let engine = original()
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    let whole = replica.subscribe(to: StatePath<Client.State, Client.State>())
    let turns = try paint(with: &replica, at: engine)
    #expect(whole.part?.extra == 5)

    let upgraded = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    let position = try #require(turns.last).position + 1
    var recovery = Recovery(of: upgraded)
    for turn in turns { try recovery.apply(turn, writtenFor: engine.schema) }
    try recovery.apply(
      LoggedTurn(position: position, baseRevision: 1, revision: 2, time: 1, delta: [0xa0]),
      writtenFor: upgraded.schema)
    let sessions = turns.last?.sessions ?? []
    var next = HubCore(upgraded, history: recovery.history(id: 1, sessions: sessions), durability: .async)
    var id: ConnectionID?
    _ = run(&next, &replica, &id)
    #expect(replica.connection == .live)
    #expect(whole.part?.extra == 7)
  }

  enum Sheets {
    @Replicated struct Newer: Equatable {
      var count = 0
      var sheet = NewerSheet.none
    }
    @Replicated enum NewerSheet: Equatable { case none, about, settings(Int) }
    @Replicated struct Older: Equatable {
      var sheet = OlderSheet.none
      var count = 0
    }
    @Replicated enum OlderSheet: Equatable { case none, about }
    @Replicated enum Action: Equatable { case none }
  }

  /// Only the state at the end has to fit, not each one on the way.
  @Test(arguments: [false, true]) func aRollbackNeedsOnlyAStateThatFits(beginsInIt: Bool) throws {
    let newer = Schema(state: Sheets.Newer.self, action: Sheets.Action.self)
    func recover(_ states: [Sheets.Newer]) throws -> (Sheets.Older, UInt64) {
      let engine = FeatureEngine<Sheets.Older, Sheets.Action>(
        initialState: Sheets.Older(), reducer: EmptyReducer())
      var recovery = Recovery(of: engine)
      try recovery.restore(snapshot: states[0].encoded().span.bytes, writtenFor: newer, at: 4, position: 2)
      for index in 1..<states.count {
        var delta = CBOREncoder()
        states[index].encodeDelta(from: states[index - 1], to: &delta)
        let revision = 4 + UInt64(index)
        try recovery.apply(
          LoggedTurn(
            position: 2 + UInt64(index), baseRevision: revision - 1, revision: revision, time: 1, delta: delta.bytes),
          writtenFor: newer)
        #expect(recovery.revision == revision)
      }
      let turn = try recovery.renumber(at: 2)
      #expect(turn?.baseRevision == 3 + UInt64(states.count))
      #expect(recovery.snapshot().revision == turn?.revision)
      _ = recovery.history(id: 1, sessions: [])
      return (engine.state, engine.revision)
    }
    let states = [
      Sheets.Newer(), Sheets.Newer(count: 1, sheet: .settings(3)), Sheets.Newer(count: 2, sheet: .settings(4)),
      Sheets.Newer(count: 2, sheet: .about), Sheets.Newer(count: 3, sheet: .about),
    ]
    let (state, revision) = try recover(beginsInIt ? Array(states[1...]) : states)
    #expect(state == Sheets.Older(sheet: .about, count: 3))
    #expect(revision == (beginsInIt ? 8 : 9))
    let error = #expect(throws: RecoveryError.self) { try recover(Array(states[..<3])) }
    #expect(error?.description.contains("has no case named 'settings'") == true, "\(error as Any)")
    guard case .incompatible? = error else {
      Issue.record("\(error as Any)")
      return
    }
  }

  /// The next hub may be at the same revision, and must not assume that the client has its value.
  @Test func aPartThatTheHubDidNotHaveIsRequestedWholeFromTheNextHub() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .async)
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    let extra = replica.subscribe(to: StatePath<Client.State, Client.State>().extra)
    replica.start()
    var id: ConnectionID?
    var sessions: [LoggedSession] = []
    _ = run(&hub, &replica, &id, onTurn: { sessions = $0.sessions })
    #expect(extra.part == nil && extra.revision == 0)
    replica.disconnected(reason: "an upgrade", at: .zero)
    replica.expire(at: .seconds(60))
    let newEngine = FeatureEngine<Client.State, Client.Action>(initialState: Client.State(), reducer: EmptyReducer())
    var newHub = HubCore(
      newEngine, history: Recovery(of: newEngine).history(id: 1, sessions: sessions), durability: .async)
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    var known: [UInt64?] = []
    _ = run(
      &newHub, &replica, &id
    ) { bytes in
      try? decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
        guard FrameKind(rawValue: header.kind) == .attach else { return }
        known.append(try Attach(decoding: payload).knownRevision)
      }
    }
    #expect(known == [nil])
    #expect(extra.part == 7)
  }

  @Test func itIsServedByName() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    let whole = replica.subscribe(to: StatePath<Client.State, Client.State>())
    let tasks = replica.subscribe(to: StatePath<Client.State, Client.State>().tasks)
    let title = replica.subscribe(to: StatePath<Client.State, Client.State>().tasks[id: 2].title)
    let extra = replica.subscribe(to: StatePath<Client.State, Client.State>().extra)
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    let live = replica.connection
    #expect(live == .live)
    #expect(extra.revision != nil && extra.part == nil)

    _ = try replica.send(Client.Action.add(Client.Task(title: "one", id: 1)))
    _ = try replica.send(Client.Action.add(Client.Task(isDone: true, title: "two", id: 2)))
    _ = try replica.send(Client.Action.increment)
    let unknown = try replica.send(Client.Action.paint(3))
    _ = try replica.send(Client.Action.complete(id: 1))
    let commands = run(&hub, &replica, &id)

    let wanted = Hub.State(
      count: 1, tasks: [Hub.Task(id: 1, title: "one", isDone: true), Hub.Task(id: 2, title: "two", isDone: true)])
    let theirs = engine.state
    #expect(theirs == wanted)
    let ours = whole.part
    #expect(ours?.count == 1 && ours?.extra == 7)
    #expect(
      ours?.tasks == [Client.Task(isDone: true, title: "one", id: 1), Client.Task(isDone: true, title: "two", id: 2)])
    #expect(tasks.part == ours?.tasks)
    #expect(title.part == "two")
    let failures = commands.compactMap {
      if case .failed(let ticket, _, let error) = $0 { (ticket, error) } else { nil }
    }
    #expect(failures.map(\.0) == [unknown])
    guard case .rejected(1, let reason)? = failures.first?.1 else { return #expect(Bool(false)) }
    #expect(reason.contains("paint"))
    let unanswered = replica.pendingActionCount
    #expect(unanswered == 0)
  }

  @Test func anActionThatIsNotSentLeavesNothingToWaitFor() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    _ = try replica.send(Client.Action.paint(3))
    _ = run(&hub, &replica, &id)
    let (deadline, connection) = (replica.deadline, replica.connection)
    #expect(deadline == nil)
    #expect(connection == .live)
  }

  @Test func actionsThatAreNeverSentAreNotKept() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore(schema: Schema(state: Client.State.self, action: Client.Action.self))
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    for number in 0..<1000 {
      _ = try replica.send(Client.Action.paint(number))
      replica.endTurn(at: .zero)
      replica.clear()
    }
    let (actionCount, byteCount) = (replica.pendingActionCount, replica.pendingByteCount)
    #expect(actionCount == 0 && byteCount == 0)

    // Those that are sent keep their places between the others.
    for number in 0..<3 {
      _ = try replica.send(Client.Action.paint(number))
      _ = try replica.send(Client.Action.increment)
      replica.endTurn(at: .zero)
    }
    _ = run(&hub, &replica, &id)
    let count = engine.state.count
    #expect(count == 3)
    let left = replica.pendingByteCount
    #expect(left == 0)
  }

  @Test func aToolReadsALaterHubInTheFormOfTheFirst() throws {
    let first = FeatureEngine<Hub.State, Hub.Action>(
      initialState: Hub.State(count: 1, note: "first"), reducer: Reduce(Hub.reduce))
    var firstHub = HubCore(first)
    var replica = ReplicaCore(schema: nil)
    let mirror = ValueMirror()
    replica.subscribe(mirror, to: [])
    var id: ConnectionID?
    replica.start()
    _ = run(&firstHub, &replica, &id)
    #expect(mirror.value?.encoded() == first.state.encoded())

    replica.disconnected(reason: "the hub was replaced", at: .zero)
    let retry = replica.deadline
    replica.expire(at: try #require(retry))
    let second = FeatureEngine<Client.State, Client.Action>(
      initialState: Client.State(tasks: [Client.Task(title: "one", id: 1)], count: 2),
      reducer: Reduce { state, action in
        if case .complete(let id) = action { state.tasks[id: id]?.isDone = true }
        return .none
      })
    var secondHub = HubCore(second)
    _ = run(&secondHub, &replica, &id)
    let live = replica.connection
    #expect(live == .live)
    // An action encoded for the first hub.
    try replica.send(Hub.Action.complete(id: 1))
    _ = run(&secondHub, &replica, &id)
    let bytes = try #require(mirror.value?.encoded())
    let read = try Hub.State(decoding: bytes.span.bytes)
    #expect(read == Hub.State(count: 2, tasks: [Hub.Task(id: 1, title: "one", isDone: true)]))
  }

  @Test func whatCannotBeServedIsRefusedByName() {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore(schema: Schema(state: Strange.self, action: Client.Action.self))
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    guard case .refused(let reason) = replica.connection else {
      Issue.record("it was not refused")
      return
    }
    #expect(reason.contains("the field 'count' of"), "\(reason)")
    let deadline = replica.deadline
    #expect(deadline == nil)
  }
}
