import ComposableArchitecture
import EventLoop
import Features
import Foundation
import HubCore
import Journal
import Synchronization
import Testing
import TurnLog
import Wire

@testable import StoreHub

/// Hubs that continue from the journal of the previous one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RecordingTests {
  /// Otherwise the journal and the time of a start would grow without limit.
  @Test func hubsThatRestartOftenTakeSnapshots() async throws {
    let bench = try Bench()
    let directory = bench.directory + "/state"
    let log = Log(program: "test", level: .error, descriptor: -1)
    var limits = HubLimits()
    limits.snapshotInterval = 4096
    for run in 1...20 {
      let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
      let recording = try Recording.open(engine, directory: directory, log: log)
      let server = try HubServer(
        engine, limits: limits, loop: bench.loop, path: bench.path, recording: recording, log: log)
      engine.send(.todos(.addButtonTapped(text: String(repeating: "x", count: 500))))
      if run == 20 {
        #expect(await bench.until { (try? JournalReader(directory).snapshots().count) == 2 })
      }
      #expect(await bench.stop(server))
      recording.close()
    }
    #expect(try JournalReader(directory).extent().tail == 20)
    bench.clean()
  }

  /// Clients of a version whose snapshot was damaged may have lost a field that the journal still has.
  @Test func aStateAfterTurnsWithAnotherSchemaGetsANewRevision() throws {
    let bench = try Bench()
    let directory = bench.directory + "/state"
    let log = Log(program: "test", level: .error, descriptor: -1)
    func open() throws -> UInt64 {
      let engine = FeatureEngine(initialState: Wide(), reducer: EmptyReducer<Wide, Change>())
      try Recording.open(engine, directory: directory, log: log).close()
      return engine.revision
    }
    #expect(try open() == 0)
    let (journal, history) = try Journal.open(directory: directory, options: JournalOptions()) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: Schema(state: Narrow.self, action: Change.self))
    journal.append([LoggedTurn(position: 1, baseRevision: 0, revision: 1, time: 1, delta: [0xa0])])
    journal.close()
    #expect(try open() == 2)
    #expect(try open() == 2)
    #expect(try JournalReader(directory).extent().tail == 2)
    bench.clean()
  }

  /// The turns that follow cannot be earlier.
  @Test func aHistoryThatIsLaterThanTheClockIsAWarning() {
    #expect(Recording.aheadOfClock(1_000_000, now: 990_000) == nil)
    #expect(Recording.aheadOfClock(0, now: 990_000) == nil)
    let warning = Recording.aheadOfClock(1_000_000, now: 900_000)
    #expect(warning?.hasPrefix("the last turn is 100 seconds later than this machine's clock; times never go") == true)
    #expect(Recording.aheadOfClock(.max, now: 0) != nil)
  }

  /// The program that wrote it continues.
  @Test func aRefusedStateIsNotChanged() throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    let engine = FeatureEngine(initialState: Wide(), reducer: EmptyReducer<Wide, Change>())
    try Recording.open(engine, directory: directory, log: log).close()
    func contents() throws -> [[UInt8]] {
      try ["journal.db", "journal.tail"].map {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\($0)")))
      }
    }
    let before = try contents()
    let other = FeatureEngine(initialState: Other(), reducer: EmptyReducer<Other, Change>())
    #expect(throws: RecordingError.self) { try Recording.open(other, directory: directory, log: log) }
    // Each of its fields has a default, but no value of the stored state would remain.
    let foreign = FeatureEngine(initialState: Foreign(), reducer: EmptyReducer<Foreign, Change>())
    #expect {
      try Recording.open(foreign, directory: directory, log: log)
    } throws: { "\($0)".contains("no name in common") }
    #expect(try contents() == before)
    bench.clean()
  }

  /// It says where the state is, and what to change in the program.
  @Test func aNewFieldWithoutADefaultIsNamedWithTheRemedy() throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    let engine = FeatureEngine(initialState: Narrow(), reducer: EmptyReducer<Narrow, Change>())
    try Recording.open(engine, directory: directory, log: log).close()
    let owned = FeatureEngine(initialState: Owned(owner: "alice"), reducer: EmptyReducer<Owned, Change>())
    #expect {
      try Recording.open(owned, directory: directory, log: log)
    } throws: {
      "\($0)" == """
        the journal in \(directory) does not fit this program's feature: the field 'owner' of RecordingTests.Narrow is \
        only in the program and has no default: give it one ('var owner = …') or make it optional; or declare a \
        migration, start the version of the program that wrote it, or begin anew with another --state-dir
        """
    }
    bench.clean()
  }

  /// The log says how to get them back, and that works.
  @Test func fieldsThatAConversionDropsAreNamed() throws {
    let bench = try Bench()
    let (directory, path) = (bench.directory + "/state", bench.directory + "/log")
    let descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    defer { close(descriptor) }
    let log = Log(program: "test", level: .warning, descriptor: descriptor)
    func start<State: Replicated & Equatable>(_ state: State) throws -> FeatureEngine<State, Change> {
      let engine = FeatureEngine(initialState: state, reducer: EmptyReducer<State, Change>())
      try Recording.open(engine, directory: directory, log: log).close()
      return engine
    }
    #expect(try start(Wide(colour: 9)).revision == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
    #expect(try start(Narrow()).revision == 1)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("the stored state had the field 'colour' of "))
    #expect(text.contains("repair --state-dir \(directory) --to 0`"))
    #expect(try start(Narrow()).revision == 1)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    _ = try JournalTool.repair(directory, to: 0)
    #expect(try start(Wide()).state == Wide(colour: 9))
    bench.clean()
  }

  @Replicated struct Other: Equatable { var count = "" }

  @Replicated struct Foreign: Equatable { var orders = 0 }

  /// The log that the nodes of a cluster share is durable without it, and may be on the same disk.
  @Test func theJournalOfANodeCommitsSeldom() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Wide(), reducer: EmptyReducer<Wide, Change>())
    let recording = try Recording.open(
      engine, directory: bench.directory + "/state", isReplicated: true, log: Log(program: "test", level: .error))
    let journal = try #require(recording.journal)
    let start = ContinuousClock.now
    for position in 1...200 as ClosedRange<UInt64> {
      journal.append(
        [LoggedTurn(position: position, baseRevision: position - 1, revision: position, time: 1, delta: [0xa0])])
      try await Task.sleep(for: .microseconds(500))
    }
    #expect(await bench.until { journal.tail == 200 })
    let commits = journal.statistics.commits
    #expect(Double(commits) <= (ContinuousClock.now - start) / .milliseconds(20) + 1)
    recording.close()
    bench.clean()
  }

  @Replicated struct Wide: Equatable {
    var count = 0
    var colour = 7
  }

  @Replicated struct Narrow: Equatable { var count = 0 }

  @Replicated struct Owned: Equatable {
    var count = 0
    var owner: String
  }

  @Replicated enum Change: Equatable { case none }

  /// The feature may act when the log has stored all turns, but the hub does not know it yet.
  @Test func theLastTurnOfAStopHasATime() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
    let (turns, mailbox) = (KeptTurns(), TurnLogMailbox())
    // The hooks that were added first run last, hence between the end of the hub's turn and the log's events.
    var isDue = false
    let hooks = try TurnHooks(
      on: bench.loop,
      beforeWaiting: {
        guard isDue else { return }
        isDue = false
        engine.send(.counter(.incrementButtonTapped))
        mailbox.post(.stored(upTo: 1))
      }, {})
    let server = try HubServer(
      engine, loop: bench.loop, path: bench.path,
      recording: Recording(
        turnLog: turns, mailbox: mailbox, history: Recovery(of: engine).history(id: 1, sessions: []), durability: .sync),
      log: Log(program: "test", level: .error))
    engine.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { turns.all.count == 1 })
    var isStopped = false
    server.stop(reason: "the test stops it") { isStopped = true }
    isDue = true
    #expect(await bench.until { turns.all.count == 2 })
    mailbox.post(.stored(upTo: 2))
    #expect(await bench.until { isStopped })
    #expect(turns.all.map(\.revision) == [1, 2] && turns.all.allSatisfy { $0.time > 0 })
    withExtendedLifetime(hooks) {}
    bench.clean()
  }
}

/// A log that keeps its turns, and reports nothing by itself.
private nonisolated final class KeptTurns: TurnLog {
  private let turns = Mutex<[LoggedTurn]>([])
  var all: [LoggedTurn] { turns.withLock { $0 } }
  var tail: UInt64 { 0 }

  func append(_ turns: [LoggedTurn]) { self.turns.withLock { $0 += turns } }
  func save(_: LogSnapshot) {}
  func read(from _: UInt64, byteLimit _: Int) throws(LogError) -> [LoggedTurn] { [] }
  func trim(before _: UInt64) {}
}
