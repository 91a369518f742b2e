import ComposableArchitecture
import EventLoop
import HubCore
import ReplicaCore
import StoreClient
import Testing
import Wire

@testable import StoreHub

/// The replay of a journal, as the command `replay` of a service does it.
@Suite(.serialized, .timeLimit(.minutes(30))) struct JournalReplayTests {
  @Reducer
  struct Tally {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var count = 0
      var authors: [String] = []
    }

    @Replicated
    enum Action: Sendable { case added(Int) }

    /// The count from which on this version adds one more.
    var defect = Int.max

    @Dependency(\.sender) var sender

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        guard case .added(let number) = action else { return .none }
        state.count += number
        if state.count >= defect { state.count += 1 }
        state.authors = [sender.client?.name ?? "\(sender)"]
        return .none
      }
    }
  }

  private func engine(defect: Int = .max) -> FeatureEngine<Tally.State, Tally.Action> {
    FeatureEngine(initialState: Tally.State(), reducer: Tally(defect: defect))
  }

  /// Serves a journal, adds numbers, and calls a function while the hub runs.
  private func serve(_ bench: Bench, _ numbers: ClosedRange<Int>, _ body: (String) throws -> Void) async throws {
    let directory = bench.directory + "/state"
    let engine = engine()
    let log = Log(program: "test", level: .error)
    let server = try HubServer(
      engine, loop: bench.loop, path: bench.path,
      recording: try Recording.open(engine, directory: directory, log: log), log: log)
    let client = try StoreClient<Tally.State, Tally.Action>(
      loop: bench.loop, path: bench.path, options: ReplicaOptions(name: "adder"))
    client.start()
    #expect(await bench.until { client.store != nil })
    for number in numbers {
      let task = client.store?.send(.added(number))
      #expect(await bench.until { task?.isOver == true })
    }
    engine.send(.added(1000))
    #expect(await bench.until { server.metrics.unstoredTurns == 0 && client.store?.count ?? 0 >= 1000 })
    try body(directory)
    client.close()
    #expect(await bench.stop(server))
  }

  private func replay(
    _ directory: String, defect: Int = .max, from: UInt64? = nil, to: UInt64? = nil, findsAll: Bool = false
  ) throws -> (summary: JournalReplay.Summary, lines: [String]) {
    let text = ReplayText(schema: Schema(state: Tally.State.self, action: Tally.Action.self))
    var lines: [String] = []
    var replay = JournalReplay(source: try JournalSource(directory), from: from, to: to, findsAll: findsAll)
    let summary = try replay.run(engine(defect: defect)) {
      lines += text.lines($0)
    } onProgress: { _, _ in
    }
    return (summary, lines + [text.line(summary)])
  }

  @Test func theSameProgramHasNoDifferencesWhileTheHubRunsAndAfterwards() async throws {
    let bench = try Bench()
    try await serve(bench, 1...20) { directory in
      let (summary, lines) = try replay(directory)
      #expect(summary.differences == 0 && summary.actions == 21)
      #expect(lines == ["replayed 21 actions in \(summary.turns) turns, revisions 0 to 21: no difference"])
    }
    #expect(try replay(bench.directory + "/state").summary.actions == 21)
    bench.clean()
  }

  @Test func aChangeIsFoundWithItsRevisionItsSenderAndItsParts() async throws {
    let bench = try Bench()
    try await serve(bench, 1...20) { _ in }
    let directory = bench.directory + "/state"
    let (summary, lines) = try replay(directory, defect: 50)
    #expect(summary.differences == 1 && lines.count == 4)
    // 1 + 2 + … + 10 is the first sum from 50 on.
    #expect(lines[0].hasPrefix("revision 10, turn "))
    #expect(lines[1].contains(#" adder (connection "#) && lines[1].hasSuffix(#"): {"added":10}"#))
    #expect(lines[2] == "    count: stored 55, now 56")
    #expect(lines[3].hasSuffix("revisions 0 to 10: 1 difference"))
    // Each of the 11 later results differs from the stored one by itself.
    let all = try replay(directory, defect: 50, findsAll: true)
    #expect(all.summary.differences == 12 && all.summary.actions == 21)
    #expect(all.lines.contains { $0 == #"  the hub: {"added":1000}"# })
    bench.clean()
  }

  /// A version of `Tally` that refuses what it has taken, with a reason that users have written.
  @Reducer
  struct StrictTally {
    typealias State = Tally.State
    typealias Action = Tally.Action

    var body: some ReducerOf<Self> {
      Reduce { _, _ throws(Refusal) in throw Refusal("\u{1b}[2J" + String(repeating: "no ", count: 10_000)) }
    }
  }

  @Test func theReasonOfARefusalDoesNotControlTheTerminal() async throws {
    let bench = try Bench()
    try await serve(bench, 1...3) { _ in }
    let text = ReplayText(schema: Schema(state: Tally.State.self, action: Tally.Action.self))
    var lines: [String] = []
    var replay = JournalReplay(source: try JournalSource(bench.directory + "/state"))
    _ = try replay.run(FeatureEngine(initialState: Tally.State(), reducer: StrictTally())) {
      lines += text.lines($0)
    } onProgress: { _, _ in
    }
    let reason = try #require(lines.first { $0.hasPrefix("    refused now: ") })
    #expect(reason.hasPrefix(#"    refused now: \u{1b}[2Jno no "#) && reason.count < 300)
    bench.clean()
  }

  @Test func theRevisionsCanBeLimited() async throws {
    let bench = try Bench()
    try await serve(bench, 1...20) { _ in }
    let directory = bench.directory + "/state"
    #expect(try replay(directory, to: 9).summary.actions == 9)
    #expect(try replay(directory, defect: 50, to: 9).summary.differences == 0)
    let late = try replay(directory, defect: 50, from: 15)
    #expect(late.summary.revisions?.first == 15 && late.lines[0].hasPrefix("revision 16, "))
    bench.clean()
  }

  @Test func withoutAJournalThereIsNothingToReplay() throws {
    let bench = try Bench()
    #expect(throws: (any Error).self) { try replay(bench.directory + "/nowhere") }
    bench.clean()
  }

  /// The feature with one more field: another schema.
  @Reducer
  struct WiderTally {
    @Replicated
    struct State: Equatable, Sendable {
      var count = 0
      var authors: [String] = []
      var limit = 0
    }

    @Replicated
    enum Action: Sendable { case added(Int) }

    var body: some ReducerOf<Self> { EmptyReducer() }
  }

  /// A check that has compared nothing must not look like one that has found nothing.
  @Test func aReplayOfNoTurnIsNoSuccess() async throws {
    let bench = try Bench()
    try await serve(bench, 1...3) { _ in }
    let directory = bench.directory + "/state"
    let late = #expect(throws: NothingReplayed.self) { try replay(directory, from: 5) }
    #expect(late == .end(from: 5, last: 4))
    // Nothing has happened since the last revision.
    #expect(try replay(directory, from: 4).summary.actions == 0)
    var foreignReplay = JournalReplay(source: try JournalSource(directory))
    let foreign = #expect(throws: NothingReplayed.self) {
      try foreignReplay.run(FeatureEngine(initialState: WiderTally.State(), reducer: WiderTally())) { _ in
      } onProgress: { _, _ in
      }
    }
    #expect(foreign == .otherSchema)
    bench.clean()
  }

  @Test func theProgressIsABar() {
    #expect(ReplayCommand.bar(0, of: 9) == "replaying [........................................] 0 %")
    #expect(ReplayCommand.bar(1, of: 4) == "replaying [##########..............................] 25 %")
    #expect(ReplayCommand.bar(9, of: 9) == "replaying [########################################] 100 %")
    // A hub that runs has stored more since the replay has begun.
    #expect(ReplayCommand.bar(12, of: 9) == ReplayCommand.bar(9, of: 9))
  }
}
