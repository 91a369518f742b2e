import Journal
import Testing
import TurnLog
import Wire

/// The calendar, the time zone and the locale of turns in a journal.
@Suite(.serialized) struct RegionTests {
  let scratch = Scratch()

  @Test func eachTurnKeepsItsOwn() throws {
    let regions: [RegionalSettings] = [
      .standard, RegionalSettings(timeZone: "Europe/Berlin"), RegionalSettings(locale: "de_DE"),
      RegionalSettings(calendar: "iso8601", timeZone: "GMT+02:00", locale: "de_DE"),
    ]
    // With and without effects and actions.
    var written = turns(1...12)
    for index in written.indices {
      written[index].region = regions[index % 4]
      if index >= 8 { (written[index].actions, written[index].effects) = ([], EffectChanges()) }
    }
    let opened = try Opened(scratch.path)
    opened.journal.append(written)
    opened.events.waitForStored(12)
    #expect(try opened.journal.read(from: 1, byteLimit: .max) == written)
    opened.journal.close()
    let again = try Opened(scratch.path)
    #expect(try again.journal.read(from: 1, byteLimit: .max) == written)
    again.journal.close()
    var exported: [String] = []
    try JournalTool.export(scratch.path) { exported.append($0) }
    #expect(exported[2].contains(#""region":{"time_zone":"Europe/Berlin"}"#), "\(exported[2])")
    #expect(!exported[1].contains("region"))
  }
}
