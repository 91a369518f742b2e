import CSQLite
import Journal
import Testing
import TurnLog
import Wire

/// The effects in flight are stored with the turns that begin and end them, and with snapshots.
@Suite(.serialized) struct EffectTests {
  let scratch = Scratch()

  private func recovered(_ history: JournalHistory) throws -> EffectsInFlight {
    var effects = history.snapshot?.effects ?? EffectsInFlight()
    while let turn = try history.next() { effects.apply(turn.effects) }
    return effects
  }

  @Test func aTurnHasItsEffectsAndItsActions() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...8)
    #expect(try opened.journal.read(from: 1, byteLimit: .max) == turns(1...8))
    #expect(turns(1...8).count { !$0.effects.isEmpty } == 4)
    opened.journal.close()
  }

  @Test func aTurnWithoutEffectsHasNoBytesMore() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...4)
    opened.journal.close()
    for turn in turns(1...4) {
      let added = turn.effects.isEmpty ? 0 : turn.effects.encoded().count
      #expect(storedSize(ofTurn: turn.position) == turn.actions.count + added)
    }
  }

  private func storedSize(ofTurn position: UInt64) -> Int {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    let sql = "SELECT length(actions) FROM turns WHERE position = \(position)"
    guard sqlite3_open(scratch.path + "/journal.db", &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
    else { return -1 }
    return Int(sqlite3_column_int64(statement, 0))
  }

  @Test(arguments: [0, 1, 6, 7]) func aRecoveryFindsTheEffectsFromAnySnapshot(position: UInt64) throws {
    let opened = try Opened(scratch.path)
    if position > 0 { opened.store(1...position) }
    opened.save(snapshot(at: position))
    opened.store(position + 1...13)
    opened.journal.close()
    let again = try Opened(scratch.path)
    #expect(again.history.snapshot?.effects == effects(at: position))
    #expect(again.history.snapshot?.bytes == stateBytes(at: position))
    #expect(try recovered(again.history) == effects(at: 13))
    #expect(effects(at: 13).inOrder.map(\.number) == [13])
    again.journal.close()
  }

  /// More than a piece of a snapshot has room for.
  @Test func manyEffectsAreStoredInPieces() throws {
    let many = EffectsInFlight(
      (1...3000).map { UnfinishedEffect(number: $0, action: [UInt8](repeating: 9, count: 50)) })
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    opened.save(
      LogSnapshot(position: 2, revision: 1, effects: many) {
        var rest: [UInt8]? = [1, 2, 3]
        return { _ in rest.take() }
      })
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
    let history = try JournalHistory.reading(scratch.path)
    #expect(history.snapshot?.effects == many && history.snapshot?.bytes == [1, 2, 3])
  }

  @Test(arguments: [2, 3, 4]) func aRepairKeepsTheEffectsOfItsRevision(revision: UInt64) throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...5)
    opened.save(snapshot(at: 5))
    opened.store(6...10)
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).effects == effects(at: 10).count)
    #expect(try JournalTool.repair(scratch.path, to: revision)?.revision == revision)
    #expect(try recovered(JournalHistory.reading(scratch.path)) == effects(at: 2 * revision + 1))
  }

  @Test func anExportNamesThem() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...3)
    opened.journal.close()
    var lines: [String] = []
    try JournalTool.export(scratch.path) { lines.append($0) }
    #expect(lines[1].contains(#""begun_effects":[{"number":1,"restart":"1821"}],"ended_effects":[]"#), "\(lines[1])")
    #expect(!lines[2].contains("effects"))
    #expect(lines[3].contains(#""begun_effects":[],"ended_effects":[1]"#), "\(lines[3])")
  }
}
