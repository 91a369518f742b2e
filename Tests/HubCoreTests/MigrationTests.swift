import ComposableArchitecture
import HubCore
import IdentifiedCollections
import Testing
import TurnLog
import Wire

/// The steps that a feature declares from states of earlier versions.
@Suite struct MigrationTests {
  enum First {
    @Replicated
    struct Book: Equatable, Identifiable {
      var id: Int
      var title = ""
    }

    @Replicated
    enum Mood: Equatable {
      case calm
      case busy(since: Int)
    }

    @Replicated
    struct State: Equatable {
      var count = "0"
      var books: IdentifiedArrayOf<Book> = []
      var mood = Mood.calm
      var keeper: String?
      var shelves: [String: Int] = [:]
    }
  }

  enum Second {
    @Replicated
    struct State: Equatable {
      var count = 0
      var books: IdentifiedArrayOf<First.Book> = []
      var since: Int?
    }
  }

  @Replicated
  struct State: Equatable {
    var counts: [Int] = []
    var books: IdentifiedArrayOf<First.Book> = []
    var note = "none"
  }

  @Replicated
  struct Unrelated: Equatable { var note = 3 }

  @Replicated
  enum Action: Equatable { case increment }

  private static let first = Schema(state: First.State.self, action: Action.self)
  private static let second = Schema(state: Second.State.self, action: Action.self)
  private static let firstState = First.State(
    count: "7", books: [First.Book(id: 5, title: "five")], mood: .busy(since: 3), keeper: "Ann", shelves: ["a": 1])

  private static var firstStep: Migration {
    Migration(from: String("\(first.fingerprint)".prefix(12)), to: Second.State.self) { old in
      guard let count = Int(try old.count.value(as: String.self)) else { throw MigrationError("no number") }
      let since: Int? = try old.mood.caseName == "busy" ? old.mood.payload[0].value(as: Int.self) : nil
      return try Second.State(count: count, books: old.books.value(), since: since)
    }
  }

  private static var secondStep: Migration {
    Migration(from: Second.State.self) { old in
      State(counts: [old.count, old.since ?? 0], books: old.books)
    }
  }

  private func engine(_ migrations: [Migration]) -> FeatureEngine<State, Action> {
    FeatureEngine(initialState: State(), reducer: Reduce { _, _ in .none }, migrations: migrations)
  }

  private func recovery<Source: Replicated>(
    _ engine: FeatureEngine<State, Action>, _ state: Source, of schema: Schema
  ) throws -> Recovery {
    var recovery = Recovery(of: engine)
    let bytes = state.encoded()
    try recovery.restore(snapshot: bytes.span.bytes, writtenFor: schema, at: 20, position: 9)
    return recovery
  }

  @Test func stepsAreChainedAndSeeTheTurnsAfterTheSnapshot() throws {
    let engine = engine([Self.firstStep, Self.secondStep])
    var recovery = try recovery(engine, Self.firstState, of: Self.first)
    // The field `count` becomes "8".
    let turn = LoggedTurn(position: 10, baseRevision: 20, revision: 21, time: 1, delta: [0xa1, 0x00, 0x61, 0x38])
    try recovery.apply(turn, writtenFor: Self.first)
    var chains: [[String]] = []
    recovery.onMigration = { chains.append($0.names) }
    let conversion = try #require(try recovery.renumber(at: 1))
    #expect(engine.state == State(counts: [8, 3], books: Self.firstState.books))
    #expect(conversion.baseRevision == 21 && conversion.revision == 22 && engine.revision == 22)
    #expect(chains.count == 1 && chains.first?.count == 2)
    // The turn alone leads there, also where the steps are not known.
    let later = self.engine([Self.secondStep])
    var repeated = try self.recovery(later, Second.State(), of: Self.second)
    try repeated.apply(
      LoggedTurn(position: 10, baseRevision: 20, revision: 21, time: 1, delta: conversion.delta),
      writtenFor: later.schema)
    #expect(later.state == engine.state)
  }

  @Test func aRehearsalRunsTheStepsAndTheTurnsGoOn() throws {
    let engine = engine([Self.firstStep, Self.secondStep])
    var recovery = try recovery(engine, Self.firstState, of: Self.first)
    try recovery.rehearse()
    #expect(recovery.migration == nil && !recovery.isConverted && recovery.foreignSchema == Self.first)
    let turn = LoggedTurn(position: 10, baseRevision: 20, revision: 21, time: 1, delta: [0xa1, 0x00, 0x61, 0x38])
    try recovery.apply(turn, writtenFor: Self.first)
    try recovery.foldForeignState()
    _ = try recovery.renumber(at: 1)
    #expect(engine.state == State(counts: [8, 3], books: Self.firstState.books) && recovery.migration != nil)
    // The field `count` becomes "x", which the first step refuses.
    var broken = try self.recovery(self.engine([Self.firstStep]), Self.firstState, of: Self.first)
    try broken.apply(
      LoggedTurn(position: 10, baseRevision: 20, revision: 21, time: 1, delta: [0xa1, 0x00, 0x61, 0x78]),
      writtenFor: Self.first)
    #expect(throws: RecoveryError.self) { try broken.rehearse() }
  }

  @Test func aJournalOfTheVersionInBetweenBeginsThere() throws {
    let engine = engine([Self.firstStep, Self.secondStep])
    var recovery = try recovery(engine, Second.State(count: 4), of: Self.second)
    _ = try recovery.renumber(at: 1)
    #expect(engine.state.counts == [4, 0])
  }

  /// Between the snapshot and the end, another version was started, whose first turn replaces the state.
  @Test func turnsOfASecondEarlierSchemaAreFollowedInTheirForm() throws {
    let old = FeatureEngine<Second.State, Action>(
      initialState: Second.State(), reducer: Reduce { _, _ in .none }, migrations: [Self.firstStep])
    var conversion = Recovery(of: old)
    let bytes = Self.firstState.encoded()
    try conversion.restore(snapshot: bytes.span.bytes, writtenFor: Self.first, at: 20, position: 9)
    let turn = try #require(try conversion.renumber(at: 1))

    let engine = engine([Self.firstStep, Self.secondStep])
    var recovery = try recovery(engine, Self.firstState, of: Self.first)
    try recovery.apply(turn, writtenFor: Self.second)
    // The field `count` becomes 9.
    try recovery.apply(
      LoggedTurn(position: 11, baseRevision: 21, revision: 22, time: 1, delta: [0xa1, 0x00, 0x09]),
      writtenFor: Self.second)
    _ = try recovery.renumber(at: 1)
    #expect(engine.state == State(counts: [9, 3], books: Self.firstState.books))
  }

  @Test func withoutAFurtherStepTheResultIsConvertedByName() throws {
    let engine = engine([Self.firstStep])
    var recovery = try recovery(engine, Self.firstState, of: Self.first)
    _ = try recovery.renumber(at: 1)
    #expect(engine.state == State(books: Self.firstState.books))
  }

  @Test func aStepThatFailsNamesItselfAndTheReason() throws {
    let digits = String("\(Self.first.fingerprint)".prefix(8))
    func failure(_ convert: @escaping (EarlierValue) throws -> State) throws -> String {
      let engine = engine([Migration(from: digits, convert)])
      var recovery = try recovery(engine, Self.firstState, of: Self.first)
      let error = #expect(throws: RecoveryError.self) { try recovery.renumber(at: 1) }
      #expect(engine.state == State() && engine.revision == 0)
      return error.map { "\($0)" } ?? ""
    }
    let missing = try failure { old in try State(note: old.nothing.value()) }
    #expect(missing.contains(digits) && missing.contains("the state has no field 'nothing'; its fields are 'count'"))
    let other = try failure { old in try State(counts: [old.count.value()]) }
    #expect(other.contains("the state.count does not fit Int"))
    let own = try failure { _ in throw MigrationError("too old") }
    #expect(own.hasSuffix("too old"))
  }

  @Test func aValueIsReadByNames() throws {
    let engine = engine([
      Migration(from: "\(Self.first.fingerprint)") { old in
        var state = try old.without("count", "mood").value(as: State.self)
        let pairs = try old.shelves.pairs.map { try "\($0.key.value(as: String.self))\($0.value.value(as: Int.self))" }
        let titles = try old["books"].elements.map { try $0.title.value(as: String.self) }
        let keeper = try old.keeper.optional?.value(as: String.self) ?? "nobody"
        state.note = ([keeper] + pairs + titles).joined(separator: " ")
        return state
      }
    ])
    var recovery = try recovery(engine, Self.firstState, of: Self.first)
    _ = try recovery.renumber(at: 1)
    #expect(engine.state == State(books: Self.firstState.books, note: "Ann a1 five"))
  }

  @Test func aSchemaThatNoStepReachesIsConvertedByNameOrRefused() throws {
    let engine = engine([Self.firstStep, Self.secondStep])
    let schema = Schema(state: Unrelated.self, action: Action.self)
    #expect(throws: RecoveryError.self) { _ = try recovery(engine, Unrelated(), of: schema) }
  }
}
