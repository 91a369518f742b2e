import ComposableArchitecture
import Foundation
import HubCore
import IdentifiedCollections
import Journal
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import TurnLog
import Wire

/// What a hub acknowledges over its socket is read back by the next one, and by its clients.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ReadBackTests {
  @Replicated
  nonisolated struct Reply: Equatable, Identifiable, Sendable {
    let id: Int
    var replies: IdentifiedArrayOf<Reply> = []

    mutating func add(_ id: Int) {
      if replies.isEmpty { replies.append(Reply(id: id)) } else { replies[0].add(id) }
    }
  }

  nonisolated struct Thread: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var count = 0
      var thread = Reply(id: 0)
      var weights: [Double: Int] = [:]
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case started
      case reply(Int)
      case weigh(Double)
      case weighLater(Double)
      case graft(Reply)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .started: state.weights[.nan] = 1
        case .reply(let id): state.thread.add(id)
        case .weigh(let weight): state.weights[weight] = 1
        case .weighLater(let weight): return .run { await $0(.weigh(weight)) }
        case .graft(let reply): state.thread = reply
        }
        return .none
      }
    }
  }

  private let log = Log(program: "test", level: .error, descriptor: -1)

  private func engine(
    _ state: Thread.State = Thread.State(), startsBadly: Bool = false
  ) -> FeatureEngine<Thread.State, Thread.Action> {
    FeatureEngine(
      initialState: state, reducer: Thread(),
      onEvent: { event, _ in event == .started && startsBadly ? [.started] : [] })
  }

  private func code(_ task: StoreTask?) async -> UInt64? {
    do { try await task?.taken() } catch {
      if case .rejected(let code, _)? = error as? ActionError { return code }
    }
    return nil
  }

  @Test func nestedRepliesSurviveARestart() async throws {
    let bench = try Bench()
    let directory = bench.directory + "/state"
    let first = engine(startsBadly: true)
    let recording = try Recording.open(first, directory: directory, log: log)
    let server = try HubServer(first, loop: bench.loop, path: bench.path, recording: recording, log: log)
    let client = try StoreClient<Thread.State, Thread.Action>(loop: bench.loop, path: bench.path)
    client.start()
    #expect(await bench.until { client.store != nil })
    // The action at the start of the hub was rolled back.
    #expect(first.state.weights.isEmpty)
    // Few actions: without optimization, a change at this depth takes a tenth of a second.
    client.store?.send(.graft((0...60).reversed().dropFirst().reduce(Reply(id: 60)) { Reply(id: $1, replies: [$0]) }))
    for id in 61...63 { client.store?.send(.reply(id)) }
    let tooDeep = client.store?.send(.reply(64))
    let nan = client.store?.send(.weigh(.nan))
    client.store?.send(.weighLater(.nan))
    let last = client.store?.send(.weigh(1))
    #expect(await bench.until { last?.isOver ?? false })
    #expect(await code(tooDeep) == RejectionCode.unreadable.rawValue)
    #expect(await code(nan) == RejectionCode.unreadable.rawValue)
    #expect(client.store?.state == first.state)
    #expect(first.state.weights == [1: 1])
    client.close()
    #expect(await bench.stop(server))
    recording.close()

    let second = engine()
    try Recording.open(second, directory: directory, log: log).close()
    #expect(second.state == first.state)
    #expect(try JournalTool.verify(directory, readsStates: true).isSound)
    bench.clean()
  }

  /// It would end the connection for every action after it.
  @Test func aClientDoesNotSendAnActionThatNoHubCanRead() async throws {
    let bench = try Bench()
    let hub = engine()
    let server = try HubServer(hub, loop: bench.loop, path: bench.path, log: log)
    let client = try StoreClient<Thread.State, Thread.Action>(loop: bench.loop, path: bench.path)
    client.start()
    #expect(await bench.until { client.store != nil })
    let deep = (0..<400).reduce(Reply(id: 0)) { inner, _ in Reply(id: 0, replies: [inner]) }
    let task = client.store?.send(.graft(deep))
    await #expect {
      try await task?.taken()
    } throws: {
      if case .unreadable? = $0 as? ActionError { true } else { false }
    }
    let next = client.store?.send(.weigh(2))
    #expect(await bench.until { next?.isOver ?? false })
    #expect(hub.state.weights == [2: 1])
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aHubDoesNotStartWithAnUnreadableState() throws {
    let bench = try Bench()
    var state = Thread.State()
    state.weights[.nan] = 1
    let (engine, directory) = (engine(state), bench.directory + "/state")
    #expect {
      _ = try Recording.open(engine, directory: directory, log: log)
    } throws: { "\($0)".contains("initial state cannot be read back") }
    #expect {
      _ = try HubServer(engine, loop: bench.loop, path: bench.path, log: log)
    } throws: { "\($0)".contains("initial state cannot be read back") }
    // The journal was not begun.
    try Recording.open(self.engine(), directory: directory, log: log).close()
    bench.clean()
  }

  /// Earlier versions stored such turns.
  @Test func theToolsRefuseWhatAHubRefuses() throws {
    let bench = try Bench()
    let directory = bench.directory + "/state"
    try Recording.open(engine(), directory: directory, log: log).close()
    let (journal, history) = try Journal.open(directory: directory, options: JournalOptions()) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: Schema(state: Thread.State.self, action: Thread.Action.self))
    // The count, then a NaN as a key, then the count.
    let nan: [UInt8] = [0xa1, 0x02, 0xa1, 0x01, 0xa1, 0xf9, 0x7e, 0x00, 0x01]
    for (position, delta) in [(1 as UInt64, [0xa1, 0x00, 0x01]), (2, nan), (3, [0xa1, 0x00, 0x02])] {
      journal.append([
        LoggedTurn(
          position: position, baseRevision: 5 * (position - 1), revision: 5 * position, time: 1, delta: delta)
      ])
    }
    journal.close()

    #expect {
      try Recording.open(engine(), directory: directory, log: log)
    } throws: {
      let text = "\($0)"
      return text.contains("up to revision 5") && text.contains("repair --state-dir \(directory) --to 5`")
    }
    let report = try JournalTool.verify(directory, readsStates: true)
    #expect(report.problems.count == 1)
    #expect(report.problems.first?.contains("from revision 5 to revision 10") == true)
    #expect(report.soundRevision == 5)
    let repair = try JournalTool.repair(directory, readsStates: true)
    #expect(repair?.revision == 5)
    #expect(try JournalTool.verify(directory, readsStates: true).isSound)
    let next = engine()
    try Recording.open(next, directory: directory, log: log).close()
    #expect(next.state.count == 1)
    bench.clean()
  }
}
