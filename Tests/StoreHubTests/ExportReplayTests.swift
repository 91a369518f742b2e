import ComposableArchitecture
import EventLoop
import Foundation
import HubCore
import Journal
import ReplicaCore
import StoreClient
import Testing
import Wire

@testable import StoreHub

/// The replay of an exported journal.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ExportReplayTests {
  @Reducer
  struct Ledger {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var sum = 0
      var entries: [String] = []
    }

    @Replicated
    enum Action: Sendable {
      case added(Int)
      case addedLater(Int)
    }

    /// The sum from which on this version counts wrongly.
    var defect = Int.max

    @Dependency(\.uuid) var uuid
    @Dependency(\.sender) var sender
    @Dependency(\.date.now) var now
    @Dependency(\.timeZone) var timeZone

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .added(let number):
          state.sum += number
          if state.sum >= defect { state.sum += 1 }
          state.entries.append(
            "\(number) by \(sender) at \(now.timeIntervalSince1970) \(timeZone.secondsFromGMT()) as \(uuid())")
          return .none
        case .addedLater(let number): return .run { send in await send(.added(number)) }
        }
      }
    }
  }

  private func engine(defect: Int = .max) -> FeatureEngine<Ledger.State, Ledger.Action> {
    FeatureEngine(initialState: Ledger.State(), reducer: Ledger(defect: defect))
  }

  /// Writes a history of two starts, with actions of a client, of effects and of the hub. Returns the last state.
  private func write(_ bench: Bench) async throws -> Ledger.State {
    var state = Ledger.State()
    for start in 1...2 {
      let (engine, log) = (engine(), Log(program: "test", level: .error))
      let server = try HubServer(
        engine, region: RegionalSettings(timeZone: start == 1 ? "GMT" : "Asia/Tokyo"), loop: bench.loop,
        path: bench.path, recording: try Recording.open(engine, directory: bench.directory + "/state", log: log),
        log: log)
      let client = try StoreClient<Ledger.State, Ledger.Action>(
        loop: bench.loop, path: bench.path, options: ReplicaOptions(name: "adder \"\(start)\" ä"))
      client.start()
      #expect(await bench.until { client.store != nil })
      let before = engine.state.entries.count
      for number in 1...5 {
        let task = client.store?.send(number.isMultiple(of: 2) ? .addedLater(number) : .added(number))
        #expect(await bench.until { task?.isOver == true })
      }
      engine.send(.added(1000))
      #expect(await bench.until { engine.state.entries.count == before + 6 && server.metrics.unstoredTurns == 0 })
      state = engine.state
      client.close()
      #expect(await bench.stop(server))
    }
    return state
  }

  /// Exports a journal into a file, and returns its lines.
  private func export(
    _ bench: Bench, _ directory: String = "state", isReplayable: Bool = true,
    changing change: (inout [String]) -> Void = { _ in }
  ) throws -> String {
    var lines: [String] = []
    try JournalTool.export("\(bench.directory)/\(directory)", isReplayable: isReplayable) { lines.append($0) }
    change(&lines)
    let file = "\(bench.directory)/\(UUID().uuidString).jsonl"
    try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  private func replay(
    _ file: String, defect: Int = .max, from: UInt64? = nil, to: UInt64? = nil
  ) throws -> (summary: JournalReplay.Summary, notes: [String], state: Ledger.State) {
    let engine = engine(defect: defect)
    var replay = JournalReplay(source: try ExportSource(file), from: from, to: to, findsAll: true)
    let summary = try replay.run(engine) { _ in
    } onProgress: { done, total in
      #expect(total == 0 || done <= total)
    }
    return (summary, replay.source.notes, engine.state)
  }

  private func problem(_ file: String, from: UInt64? = nil) -> String {
    do {
      _ = try replay(file, from: from)
      return "none"
    } catch { return "\(error)".replacing(file, with: "FILE") }
  }

  @Test func theReplayOfAnExportIsThatOfTheJournal() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let state = try await write(bench)
    let file = try export(bench)
    let (summary, notes, replayed) = try replay(file)
    #expect(summary.differences == 0 && notes == [] && replayed == state)
    var journal = JournalReplay(source: try JournalSource(bench.directory + "/state"))
    let other = try journal.run(engine()) { _ in
    } onProgress: { _, _ in
    }
    #expect(summary.turns == other.turns && summary.actions == other.actions)
    #expect(summary.revisions?.last == other.revisions?.last)
    // A change of the reducer is found, in the part that is replayed.
    #expect(try replay(file, defect: 1000).summary.differences > 0)
    #expect(try replay(file, defect: 1000, to: 4).summary.differences == 0)
    #expect(try replay(file, from: 6).summary.revisions?.first ?? 0 >= 6)
  }

  @Test func anAnonymisedExportIsReplayedToo() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    _ = try await write(bench)
    _ = try JournalTool.anonymise(bench.directory + "/state", to: bench.directory + "/copy")
    let file = try export(bench, "copy")
    #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("adder"))
    // The reducer writes the name of the client into the state, as a word of a user.
    let (summary, notes, _) = try replay(file)
    #expect(summary.differences == 0 && summary.actions > 10 && notes == [])
  }

  /// As `storectl journal export` without the option, and the one of version 0.1.0, write it.
  @Test(arguments: [false, true]) func anExportWithoutIDsIsReplayedWithANote(isOld: Bool) async throws {
    let bench = try Bench()
    defer { bench.clean() }
    _ = try await write(bench)
    let file = try export(bench, isReplayable: false) { lines in
      guard isOld else { return }
      lines = lines.map {
        $0.replacing(#/,"format":2,"position":\d+/#, with: "").replacing(#/,"seed":"[0-9a-f]+"/#, with: "")
      }
    }
    let (summary, notes, _) = try replay(file)
    #expect(summary.differences > 0 && notes.count == 1)
    let missing = isOld ? " and no random numbers of effects, so" : ", so"
    #expect(notes.first?.contains("has no complete ids of sessions\(missing)") == true, "\(notes)")
    // A part of a history needs its first state.
    let part = try export(bench, isReplayable: false) { $0.removeSubrange(1...4) }
    #expect(problem(part).contains("and has no state for it; write it with `storectl journal export --replayable`"))
  }

  @Test func aFileThatIsNoExportIsRefusedWithItsLine() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    _ = try await write(bench)
    #expect(problem(bench.directory + "/none").hasPrefix("cannot open FILE: No such file"))
    func changed(_ change: (inout [String]) -> Void) throws -> String { problem(try export(bench, changing: change)) }
    #expect(try changed { $0 = [] } == "FILE line 1 is not a line of an exported journal")
    #expect(try changed { $0[3] = "{" } == "FILE line 4 is not a line of an exported journal")
    #expect(try changed { $0.remove(at: 3) }.hasPrefix("FILE line 4 has turn "))
    #expect(try changed { $0.removeSubrange(6...) }.hasPrefix("FILE ends with turn 5 of "))
    #expect(try changed { $0[0] = $0[0].replacing(#""format":2"#, with: #""format":3"#) }.contains("use a newer one"))
    #expect(try changed { $0[2] = $0[2].replacing(#""delta":""#, with: #""delta":"x"#) }.contains("hexadecimal"))
  }
}
