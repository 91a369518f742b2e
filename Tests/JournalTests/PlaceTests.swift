import Journal
import Testing
import TurnLog

/// The place in another log at which the turns end.
@Suite struct PlaceTests {
  @Test func aPlaceIsStoredWithTheTurns() throws {
    let scratch = Scratch(isInMemory: true)
    let (directory, events) = (scratch.path + "/journal", Events())
    let (journal, history) = try Journal.open(directory: directory, onEvent: events.handler)
    #expect(history.place == nil)
    journal.begin(schema: schema)
    journal.append([turn(1)])
    journal.append(turns(2...3), place: [3])
    journal.append([turn(4)], place: [4])
    events.waitForStored(4)
    journal.close()

    let (again, second) = try Journal.open(directory: directory, onEvent: events.handler)
    #expect(second.place == [4] && second.tail == 4)
    // The place can change without a turn.
    again.begin(schema: schema)
    again.append([], place: [5])
    again.close()
    #expect(try Journal.open(directory: directory, onEvent: events.handler).history.place == [5])
  }

  /// Otherwise the journal of a node would be taken for that of a hub which was in no cluster.
  @Test(arguments: [1, 2] as [UInt64]) func aRepairKeepsThePlace(revision: UInt64) throws {
    let scratch = Scratch(isInMemory: true)
    let (directory, events) = (scratch.path + "/journal", Events())
    let (journal, _) = try Journal.open(directory: directory, onEvent: events.handler)
    journal.begin(schema: schema)
    journal.append(turns(1...6), place: [6])
    events.waitForStored(6)
    journal.close()
    #expect(try JournalTool.repair(directory, to: revision)?.revision == revision)
    #expect(try Journal.open(directory: directory, onEvent: events.handler).history.place == [6])
  }

  @Test func aJournalOfOneMachineHasNone() throws {
    let scratch = Scratch(isInMemory: true)
    let (directory, events) = (scratch.path + "/journal", Events())
    let (journal, _) = try Journal.open(directory: directory, onEvent: events.handler)
    journal.begin(schema: schema)
    journal.append([turn(1)])
    events.waitForStored(1)
    journal.close()
    #expect(try Journal.open(directory: directory, onEvent: events.handler).history.place == nil)
  }

  /// A program that relies on the place refuses the journal.
  @Test func aDamagedPlaceIsNone() throws {
    let scratch = Scratch(isInMemory: true)
    let (directory, events) = (scratch.path + "/journal", Events())
    let (journal, _) = try Journal.open(directory: directory, onEvent: events.handler)
    journal.begin(schema: schema)
    journal.append([turn(1)], place: [1])
    events.waitForStored(1)
    journal.close()
    execute("UPDATE place SET bytes = x'02'", in: directory)
    #expect(try Journal.open(directory: directory, onEvent: events.handler).history.place == nil)
  }
}
