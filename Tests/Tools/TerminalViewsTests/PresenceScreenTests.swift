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

  @Test func theOwnLineIsMarked() {
    var grid = TextGrid(rows: 2, columns: 70)
    PresenceScreen(attendees: [attendee(1, user: 0), attendee(2, user: 0)], ownProcess: 4002).draw(in: 0..<2, on: &grid)
    #expect(
      grid.lines == [
        "› storeterm 0.1.0  process 4001  user root", "  storeterm 0.1.0  process 4002  user root, you",
      ])
  }

  @Test func enterShowsAllAboutAClient() {
    var terminal = TestTerminal(rows: 20, columns: 80)
    var client = attendee(1, user: 0)
    (client.parts, client.scopes) = ([AttachedPart(root: 0, path: "counter"), AttachedPart(root: 2, path: "")], 5)
    terminal.content.attendees = [client, attendee(2)]
    terminal.press("4")
    terminal.press(.enter)
    let text = terminal.lines.joined(separator: "\n")
    for part in ["┌ Client", "storeterm 0.1.0", "4001", "root (0)", "counter", "the metrics", "and 3 more"] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(terminal.press("q") == nil && !terminal.lines.contains { $0.contains("┌ Client") })
  }

  /// The search looks in all that a line shows.
  @Test func aClientIsFoundByItsProcessAndItsUser() {
    var terminal = TestTerminal()
    terminal.content.attendees = [attendee(1), attendee(2, user: 0), attendee(3)]
    terminal.press("4")
    for key in ["/", "4", "0", "0", "3", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.lines.contains { $0.hasPrefix("› ") && $0.contains("4003") } && terminal.highlighted == ["4003"])
    for key in ["/", "r", "o", "o", "t", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.lines.contains { $0.hasPrefix("› ") && $0.contains("4002") })
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
