import ComposableArchitecture
import Dispatch
import Features
import Foundation
import Journal
import SchemaNames
import Testing
import TurnLog
import Wire

@testable import StorectlCommands

/// The states in a journal that hubs with several schemas have written.
@Suite struct JournalStatesTests {
  @Replicated struct Old: Equatable { var count = 0 }

  @Replicated struct New: Equatable {
    var count = 0
    var colour = 7
  }

  @Replicated enum Action: Equatable { case none }

  private func write(
    _ turns: [LoggedTurn], _ schema: Schema, snapshot: (position: UInt64, bytes: [UInt8])? = nil, to directory: String
  ) throws {
    let isSaved = DispatchSemaphore(value: 0)
    let (journal, history) = try Journal.open(directory: directory) { if case .saved = $0 { isSaved.signal() } }
    while try history.next() != nil {}
    journal.begin(schema: schema)
    journal.append(turns)
    if let (position, bytes) = snapshot {
      journal.save(
        LogSnapshot(position: position, revision: position) {
          var rest: [UInt8]? = bytes
          return { _ in rest.take() }
        })
      isSaved.wait()
    }
    journal.close()
  }

  private func turn(_ position: UInt64, _ delta: [UInt8]) -> LoggedTurn {
    LoggedTurn(position: position, baseRevision: position - 1, revision: position, time: 1, delta: delta)
  }

  /// An upgrade adds a field, which later turns change; a rollback removes it.
  @Test(arguments: [true, false])
  func statesAreReadAcrossUpgrades(isReplaced: Bool) throws {
    let directory = NSTemporaryDirectory() + "journal-states-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let old = Schema(state: Old.self, action: Action.self)
    let new = Schema(state: New.self, action: Action.self)
    try JournalTool.begin(directory, schema: old, state: Old().encoded(), revision: 0, time: 1)
    try write([turn(1, [0xa1, 0x00, 0x03])], old, to: directory)
    var upgraded = New()
    upgraded.count = 3
    let conversion = turn(2, isReplaced ? [0xa2, 0x00, 0x03, 0x01, 0x07] : [0xa0])
    try write([conversion, turn(3, [0xa1, 0x01, 0x09])], new, snapshot: (2, upgraded.encoded()), to: directory)

    let states = try JournalStates(JournalReader(directory), upTo: 1)
    var values: [String] = []
    var changes: [String] = []
    func readOn() throws {
      while let (turn, before) = try states.next() {
        values.append("\(turn.position): \(states.value)")
        let schema = states.schema
        for change in SchemaValues(schema).differences(from: before, to: states.value, as: schema.state) {
          changes.append("\(turn.position): \(change.path)")
        }
      }
    }
    try readOn()
    // The conversion shows the default value of the new field.
    #expect(changes == ["1: .count", "2: .colour", "3: .colour"])
    upgraded.colour = 9
    #expect(states.schema == new)
    let converted = New(count: 3)
    #expect(values.dropFirst().first == "2: \(try CBORValue(decoding: converted.encoded().span.bytes))")
    #expect(states.value.encoded() == upgraded.encoded(), "\(values)")

    // As with `storectl log --follow`.
    var restored = Old()
    restored.count = 3
    let reversion = turn(4, isReplaced ? [0xa1, 0x00, 0x03] : [0xa0])
    try write([reversion, turn(5, [0xa1, 0x00, 0x04])], old, snapshot: (4, restored.encoded()), to: directory)
    try readOn()
    restored.count = 4
    #expect(states.schema == old)
    #expect(states.value.encoded() == restored.encoded(), "\(values)")
    #expect(try JournalStates(JournalReader(directory), upTo: 3).schema == new)
  }

  @Replicated struct Renamed: Equatable {
    var colour = 7
    @Replicated(was: "count") var total = 0
  }

  /// The schema in the journal says that it is the same field, so `log` and `diff` show no change of it.
  @Test func aRenamedFieldKeepsItsValue() throws {
    let directory = NSTemporaryDirectory() + "journal-states-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let old = Schema(state: Old.self, action: Action.self)
    let new = Schema(state: Renamed.self, action: Action.self)
    try JournalTool.begin(directory, schema: old, state: Old().encoded(), revision: 0, time: 1)
    try write([turn(1, [0xa1, 0x00, 0x03])], old, to: directory)
    try write([turn(2, [0xa0]), turn(3, [0xa1, 0x01, 0x09])], new, to: directory)

    let states = try JournalStates(JournalReader(directory), upTo: 1)
    var values: [[UInt8]] = []
    while try states.next() != nil { values.append(states.value.encoded()) }
    // Key 1 is `total` then; the tool does not know the default value of the new field.
    #expect(values == [[0xa1, 0x00, 0x03], [0xa1, 0x01, 0x03], [0xa1, 0x01, 0x09]])
    #expect(states.schema == new)
    // A database that was opened again has the former names.
    let schemas = try JournalReader(directory).schemas().map { $0.schema.encoded() }
    #expect(schemas == [old.encoded(), new.encoded()])
  }

  @Test func anActionHasTheRevisionAfterItIfThatIsKnown() {
    let turn = LoggedTurn(position: 1, baseRevision: 10, revision: 13, time: 0)
    #expect((0..<3).map { turn.revision(after: $0, of: 3) } == [11, 12, 13])
    // The effect of one of two actions has sent a third one.
    #expect((0..<2).map { turn.revision(after: $0, of: 2) } == [13, 13])
  }

  /// Journals are read that others have written.
  @Test func impossibleNumbersInAJournalAreNoReasonToStop() {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    let action = AppFeature.Action.counter(.incrementButtonTapped).encoded()
    let run = LoggedActions(
      origin: .session(SessionID(high: 1, low: 2), first: .max - 1), count: 3,
      actions: Array([action, action, action].joined()))
    let turn = LoggedTurn(position: 1, baseRevision: 3, revision: 1, time: 0, actions: run.encoded())
    // No hub has sent actions with such numbers.
    #expect(turn.decodedActions(schema).isEmpty)
    #expect(turn.revision(after: 0, of: Int.max) == 1)
  }
}
