import Glibc
import IdentifiedCollections
import RandomNumbers
import SchemaBrowser
import TerminalUI
import TestFeatures
import Testing

/// Screens of large tables, of which the client has a window.
@Suite @MainActor struct WindowScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func tester() throws -> BrowserTester { try BrowserTester(rows: 12, orders: 998, windowLimit: 4096) }

  private func cursorLine(_ terminal: BrowserTester) -> String { terminal.lines.first { $0.hasPrefix("›") } ?? "" }

  @Test func rowsOnTheirWayAreMarkedAndThenShown() throws {
    let terminal = try tester()
    #expect(terminal.lines[1] == "orders  1000" && cursorLine(terminal).contains("fish soup"))
    terminal.isHubAnswering = false
    terminal.press("end")
    #expect(cursorLine(terminal).contains("…") && terminal.lines[1] == "orders  1000")
    // Keys do not wait.
    terminal.press("up")
    #expect(cursorLine(terminal).contains("…"))
    terminal.isHubAnswering = true
    #expect(cursorLine(terminal).contains("dish 999") && !terminal.lines.contains { $0.contains("…") })
    terminal.press("down", "enter")
    #expect(terminal.lines[1] == "orders[1000]")
    terminal.press("backspace")
    #expect(cursorLine(terminal).contains("dish 1000"))
  }

  @Test func theCursorStaysOnItsElement() throws {
    let terminal = try tester()
    terminal.press("end", "pageup")
    let line = cursorLine(terminal)
    #expect(line.contains("dish "))
    terminal.change { $0.orders.removeFirst(500) }
    #expect(cursorLine(terminal) == line && terminal.lines[1] == "orders  500")
    terminal.change { diner in
      for id in 2000..<2600 { diner.orders.insert(.init(id: id, dish: "new", table: 1), at: 0) }
    }
    #expect(cursorLine(terminal) == line && terminal.lines[1] == "orders  1100")
  }

  @Test func aSearchWaitsForAllRows() throws {
    let terminal = try tester()
    terminal.isHubAnswering = false
    terminal.press("/")
    terminal.type("dish 777")
    terminal.press("enter")
    #expect(terminal.lines[1].hasPrefix("orders  loading") && terminal.lines[1].hasSuffix("of 1000"))
    #expect(cursorLine(terminal).contains("fish soup"))
    terminal.isHubAnswering = true
    #expect(cursorLine(terminal).contains("dish 777") && terminal.lines[1] == "orders  1000")
    terminal.press("n")
    #expect(cursorLine(terminal).contains("dish 777"))
  }

  @Test func anotherKeyEndsASearchThatWaits() throws {
    let terminal = try tester()
    terminal.isHubAnswering = false
    terminal.press("/")
    terminal.type("dish 777")
    terminal.press("enter", "down")
    terminal.isHubAnswering = true
    #expect(cursorLine(terminal).contains("pancakes"))
  }

  @Test(arguments: [0, 4096])
  func aTableOfWhichMostRowsAreRemovedIsShownToItsEnd(windowLimit: Int) throws {
    let terminal = try BrowserTester(rows: 12, orders: 298, windowLimit: windowLimit)
    terminal.press("end")
    terminal.change { $0.orders.removeLast(290) }
    #expect(terminal.lines[1] == "orders  10" && cursorLine(terminal).contains("dish 10"))
  }

  /// Whatever arrives when, the screen fits, and the cursor is at a row that is there.
  @Test(arguments: [(12, 40), (6, 20)])
  func randomKeysMeetASlowHub(rows: Int, columns: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("WindowScreenTests: seed \(seed)")
    var random = SplitMix(seed: seed)
    let terminal = try BrowserTester(rows: rows, columns: columns, orders: 400, windowLimit: 300)
    let names = [
      "down", "up", "pagedown", "pageup", "home", "end", "right", "left", "enter", "backspace", "esc", "s", "S", "/",
      "n", "3", "f",
    ]
    for step in 0..<150 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: terminal.isHubAnswering.toggle()
      case 1:
        terminal.change { diner in
          for id in 0..<Int.random(in: 1...300, using: &random) {
            diner.orders.insert(.init(id: 1000 * (step + 1) + id, dish: "new", table: 1), at: 0)
          }
        }
      case 2: terminal.change { $0.orders.removeFirst(min(Int.random(in: 1...300, using: &random), $0.orders.count)) }
      default: terminal.press(names.randomElement(using: &random) ?? "down")
      }
      let lines = terminal.lines
      #expect(lines.count <= rows && lines.allSatisfy { TextWidth.columns(of: $0) <= columns }, "seed \(seed)")
    }
    terminal.isHubAnswering = true
    terminal.press("esc", "esc", "esc", "1", "backspace", "home")
    #expect(terminal.store.parts.count < 8, "seed \(seed)")
  }
}
