import ComposableArchitecture
import Foundation
import HubCore
import Journal
import Testing
import Wire

@testable import StoreHub

/// Hubs that find the state of an earlier version in their journal, and `migrate --check`.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MigrationTests {
  @Replicated struct Old: Equatable {
    var count = "0"
    var note = ""
  }

  @Replicated struct New: Equatable {
    var count = 0
    var note = ""
    var added = 5
  }

  @Replicated enum Change: Equatable { case any, gone }
  @Replicated enum NewChange: Equatable { case any }

  private static let old = Schema(state: Old.self, action: Change.self)

  private static func step(failing: Bool = false) -> Migration {
    Migration(from: String("\(old.fingerprint)".prefix(12))) { old in
      if failing { throw MigrationError("it is too old") }
      guard let count = Int(try old.count.value(as: String.self)) else { throw MigrationError("no number") }
      return try New(count: count, note: old.note.value())
    }
  }

  private func oldEngine(_ state: Old = Old()) -> FeatureEngine<Old, Change> {
    FeatureEngine(initialState: state, reducer: EmptyReducer<Old, Change>())
  }

  private func engine(_ migrations: [Migration]) -> FeatureEngine<New, NewChange> {
    FeatureEngine(initialState: New(), reducer: EmptyReducer<New, NewChange>(), migrations: migrations)
  }

  private func contents(_ directory: String) throws -> [[UInt8]] {
    try ["journal.db", "journal.tail"].map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\($0)")))
    }
  }

  @Test func aHubMigratesAndTheEarlierProgramCanContinue() throws {
    let bench = try Bench()
    let (directory, path) = (bench.directory + "/state", bench.directory + "/log")
    let descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    defer { close(descriptor) }
    let log = Log(program: "test", level: .info, descriptor: descriptor)
    try Recording.open(oldEngine(Old(count: "12", note: "x")), directory: directory, log: log).close()

    let migrated = engine([Self.step()])
    try Recording.open(migrated, directory: directory, log: log).close()
    #expect(migrated.state == New(count: 12, note: "x") && migrated.revision == 1)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("migrating the state of schema \(Self.old.fingerprint)"))
    #expect(text.contains("the state was migrated ("))
    #expect(text.contains("repair --state-dir \(directory) --to 0`"))

    // The state has the new schema now: the steps are not needed, and do not run again.
    let again = engine([])
    try Recording.open(again, directory: directory, log: log).close()
    #expect(again.state == migrated.state && again.revision == 1)
    #expect(try JournalStates(JournalReader(directory), upTo: 1).revision == 1)

    _ = try JournalTool.repair(directory, to: 0)
    let earlier = oldEngine()
    try Recording.open(earlier, directory: directory, log: log).close()
    #expect(earlier.state == Old(count: "12", note: "x") && earlier.revision == 0)
    bench.clean()
  }

  @Test func aFailedStepChangesNothing() throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    try Recording.open(oldEngine(), directory: directory, log: log).close()
    let before = try contents(directory)
    #expect {
      try Recording.open(engine([Self.step(failing: true)]), directory: directory, log: log)
    } throws: { "\($0)".contains("it is too old") }
    // Without a step, the types do not fit.
    #expect {
      try Recording.open(engine([]), directory: directory, log: log)
    } throws: { "\($0)".contains("count") }
    #expect(try contents(directory) == before)
    bench.clean()
  }

  @Test func aCheckReportsWithoutWriting() throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    try Recording.open(oldEngine(Old(count: "12", note: "x")), directory: directory, log: log).close()
    let before = try contents(directory)

    let report = try MigrationCheck(directory: directory).run(engine([Self.step()]))
    #expect(report.isNeeded && report.refusal == nil && report.steps.count == 1)
    #expect(report.from == Self.old.fingerprint)
    #expect(report.added.count == 1 && report.added[0].contains("'added'") && report.removed.isEmpty)
    #expect(report.changed.count == 1 && report.changed[0].hasSuffix("String, Int"))
    #expect(report.clientDifference != nil && report.actionDifference?.contains("gone") == true)
    let lines = MigrateCommand.lines(report)
    #expect(lines.contains(#"  count: stored "12", now 12"#))
    #expect(lines.contains("  added: stored nothing, now 5"))
    #expect("\(MigrateCommand.json(report))".contains(#""refusal":null"#))

    let refused = try MigrationCheck(directory: directory).run(engine([Self.step(failing: true)]))
    #expect(refused.refusal?.contains("it is too old") == true)
    #expect(try MigrationCheck(directory: directory).run(engine([])).refusal != nil)
    #expect(try contents(directory) == before)

    try Recording.open(engine([Self.step()]), directory: directory, log: log).close()
    let done = try MigrationCheck(directory: directory).run(engine([]))
    #expect(!done.isNeeded && done.refusal == nil)
    bench.clean()
  }

  @Replicated struct Renamed: Equatable {
    @Replicated(was: "count")
    var number = "0"
    @Replicated(was: "note")
    var text = ""
    var added = 5
  }

  /// A field that has only another name is named once, and its value with it if that is another one.
  @Test func aCheckNamesARenamedFieldOnce() throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    try Recording.open(oldEngine(Old(count: "12", note: "x")), directory: directory, log: log).close()
    func report(_ migrations: [Migration]) throws -> MigrationCheck.Report {
      try MigrationCheck(directory: directory).run(
        FeatureEngine(initialState: Renamed(), reducer: EmptyReducer<Renamed, Change>(), migrations: migrations))
    }
    let byName = try report([])
    #expect(byName.refusal == nil && byName.removed.isEmpty && byName.added.count == 1 && byName.changed.isEmpty)
    let renamed = byName.renamed
    #expect(renamed.count == 2 && renamed[0].hasPrefix("the field 'count' of ") && renamed[0].hasSuffix(" is 'number'"))
    let lines = MigrateCommand.lines(byName)
    #expect(lines.count { $0.contains("number") || $0.contains("count") } == 1, "\(lines)")
    #expect(lines.contains("renamed: \(renamed[0])"))
    #expect(lines.contains("  added: stored nothing, now 5"))

    let step = Migration(from: String("\(Self.old.fingerprint)".prefix(12))) { old in
      Renamed(number: try old.count.value(as: String.self) + "3", text: try old.note.value())
    }
    let changed = try report([step])
    #expect(MigrateCommand.lines(changed).contains(#"  number (was count): stored "12", now "123""#))
    #expect(
      "\(MigrateCommand.json(changed))".contains(#""name":"number","formerName":"count","stored":"12","now":"123""#))
    bench.clean()
  }
}
