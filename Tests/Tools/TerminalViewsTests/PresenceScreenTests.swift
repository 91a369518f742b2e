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

  private func terminal(_ attendees: [Attendee], rows: Int = 12, columns: Int = 60) -> TestTerminal {
    let terminal = TestTerminal(rows: rows, columns: columns)
    terminal.showAttendees(attendees)
    terminal.press("4")
    return terminal
  }

  @Test func everyoneHasALineAndTheOwnOneIsMarked() {
    let terminal = terminal([attendee(1), attendee(2, "水", user: 0), attendee(3, "")])
    #expect(
      terminal.lines[2...6] == [
        "3 attached",
        "",
        "› storeterm 0.1.0  process 4001  user 4000001",
        "  水               process 4002  user root, you",
        "  ?                process 4003  user 4000001",
      ])
  }

  @Test func aLongNameLeavesRoomForTheNumbers() {
    let terminal = terminal([attendee(1, String(repeating: "n", count: 100))], columns: 50)
    #expect(terminal.lines[4] == "› nnnnnnnnnnnnnnnnnnn…  process 4001  user 4000001")
  }

  @Test func enterShowsAllAboutAClient() {
    var client = attendee(1, user: 0)
    (client.parts, client.scopes) = ([AttachedPart(root: 0, path: "counter"), AttachedPart(root: 2, path: "")], 5)
    let terminal = terminal([client, attendee(2)], rows: 20, columns: 80)
    terminal.press(.enter)
    let text = terminal.lines.joined(separator: "\n")
    for part in ["┌ Client", "storeterm 0.1.0", "4001", "root (0)", "counter", "the metrics", "and 3 more"] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(terminal.press("q") == nil && !terminal.lines.contains { $0.contains("┌ Client") })
  }

  /// The search looks in all that a line shows.
  @Test func aClientIsFoundByItsProcessAndItsUser() {
    let terminal = terminal([attendee(1), attendee(2, user: 0), attendee(3)])
    for key in ["/", "4", "0", "0", "3", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.chosen?.contains("4003") == true && terminal.highlighted == ["4003"])
    for key in ["/", "r", "o", "o", "t", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.chosen?.contains("4002") == true)
  }

  @Test func theViewStaysWhereItIsWhenOthersComeAndGo() {
    let all = (1...30).map { attendee($0) }
    let terminal = terminal(all)
    for _ in 1...20 { terminal.press(.down) }
    #expect(terminal.chosen?.contains("process 4021") == true)
    terminal.showAttendees(Array(all.dropFirst(15)))
    #expect(terminal.chosen?.contains("process 4021") == true)
    #expect(terminal.lines[2] == "15 attached")
  }
}
