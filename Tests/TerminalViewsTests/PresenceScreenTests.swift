import Glibc
import Terminal
import TerminalViews
import Testing
import Wire

@Suite struct PresenceScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  /// Creates a client of a user that no machine has.
  private func attendee(_ id: UInt64, _ name: String = "storeterm 0.1.0", user: UInt32 = 4_000_001) -> Attendee {
    Attendee(id: id, name: name, process: 4000 + Int32(id), user: user)
  }

  @Test func everyoneHasALine() {
    var grid = TextGrid(rows: 5, columns: 60)
    PresenceScreen(attendees: [attendee(1), attendee(2, "水"), attendee(3, "")]).draw(in: 0..<5, on: &grid)
    #expect(
      grid.lines == [
        "3 attached",
        "› storeterm 0.1.0  process 4001  user 4000001",
        "  水               process 4002  user 4000001",
        "  ?                process 4003  user 4000001",
        "",
      ])
  }

  @Test func aLongNameLeavesRoomForTheNumbers() {
    var grid = TextGrid(rows: 1, columns: 50)
    PresenceScreen(attendees: [attendee(1, String(repeating: "n", count: 100))]).draw(in: 0..<1, on: &grid)
    #expect(grid.lines[0] == "› nnnnnnnnnnnnnnnnnnn…  process 4001  user 4000001")
  }

  /// A user is named as in the list of actions.
  @Test func usersHaveTheirNames() {
    var grid = TextGrid(rows: 1, columns: 60)
    PresenceScreen(attendees: [attendee(1, user: 0)]).draw(in: 0..<1, on: &grid)
    #expect(grid.lines[0] == "› storeterm 0.1.0  process 4001  user root")
  }

  @Test func theViewStaysWhereItIsWhenOthersComeAndGo() {
    var terminal = TestTerminal()
    terminal.content.attendees = (1...30).map { attendee($0) }
    terminal.press("4")
    for _ in 1...20 { terminal.press(.down) }
    func shown() -> String? { terminal.lines.first { $0.hasPrefix("›") } }
    #expect(shown()?.contains("process 4021") == true)
    terminal.content.attendees?.removeFirst(15)
    terminal.screens.follow(terminal.content)
    #expect(shown()?.contains("process 4021") == true)
    #expect(terminal.lines[2] == "15 attached")
  }
}
