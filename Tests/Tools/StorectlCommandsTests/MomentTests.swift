import Glibc
import Testing

@testable import StorectlCommands

@Suite struct MomentTests {
  /// 2026-11-21 22:51:30 UTC.
  private let now: Int64 = 1_795_301_490_000

  @Test(
    arguments: [
      ("17", .revision(17)), ("now", .time(.max)), ("10m", .time(1_795_301_490_000 - 600_000)),
      ("1.5s", .time(1_795_301_490_000 - 1500)), ("250ms", .time(1_795_301_490_000 - 250)),
      ("2d", .time(1_795_301_490_000 - 172_800_000)), ("2026-11-21T22:51:30Z", .time(1_795_301_490_000)),
      ("2026-11-21T22:51:30.5Z", .time(1_795_301_490_500)), ("2026-11-21 22:51Z", .time(1_795_301_460_000)),
      ("292278994-08-17T07:12:55.5Z", .time(9_223_372_036_854_775_500)), ("2026-11-21Z", .time(1_795_219_200_000)),
      ("22:51:30Z", .time(1_795_301_490_000)), ("2024-02-29Z", .time(1_709_164_800_000)),
    ] as [(String, Moment)])
  func whatPeopleWrite(text: String, moment: Moment) throws {
    #expect(try Moment(text, now: now) == moment)
  }

  @Test(
    arguments: [
      "", "soon", "-5", "1x", "25:00", "12:60", "12", "2026-13-01", "2026-11-41", "2026-11", "2026-11-21T", "12:30:",
      "12:30.5", "T12:30T", "1e99d", "Z", "2026-11-21 10:00 11:00",
      "14:30:00.1e400", "14:30:00.1e30", "14:30:00.5e0", "14:30:00.-5", "2147483647-01-01",
      "292278994-08-17T07:12:55.900Z", "99999999999-01-01", "2026-02-31", "2026-04-31Z", "2025-02-29", "2026-01-00",
    ].filter { UInt64($0) == nil })
  func whatIsNoMoment(text: String) {
    #expect(throws: ToolFailure.self) { try Moment(text) }
  }

  @Test func timesForProgramsAreInUTC() {
    #expect(Moment.json(now + 5) == "2026-11-21T22:51:30.005Z")
  }

  @Test func daysHaveNames() throws {
    // 2026-11-26 is a Thursday.
    let noon = try time("2026-11-26T12:00")
    func at(_ text: String) throws -> Moment { try Moment(text, now: noon) }
    func time(_ text: String) throws -> Int64 {
      guard case .time(let time) = try Moment(text, now: 1_795_694_400_000) else { return 0 }
      return time
    }
    for (word, day) in [
      ("today", "2026-11-26"), ("yesterday", "2026-11-25"), ("Yesterday 14:30", "2026-11-25T14:30"),
      ("monday", "2026-11-23"), ("mon 9:15", "2026-11-23T09:15"), ("thursday", "2026-11-19"),
      ("friday", "2026-11-20"),
    ] {
      #expect(try at(word) == .time(try time(day)), "\(word)")
    }
    for word in ["tomorrow", "day", "mo", "yesterday 25:00", "todays"] {
      #expect(throws: ToolFailure.self, "\(word)") { try at(word) }
    }
    #expect(Moment.hasDate("yesterday 14:30") && !Moment.hasDate("14:30"))
  }
}
