import BrowserTerminal
import ComposableArchitecture
import Glibc
import IdentifiedCollections
import RandomNumbers
import SchemaBrowser
import SchemaNames
import TerminalUI
import TestFeatures
import Testing
import Wire

/// The screens of a browser, as text.
@Suite @MainActor struct BrowserScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test func aTableShowsWhatFits() throws {
    let terminal = try BrowserTester()
    #expect(terminal.lines[0].contains("1 Orders") && terminal.lines[0].contains("4 State"))
    #expect(terminal.lines[1] == "orders  2")
    #expect(terminal.lines[2].contains("Dish") && terminal.lines[2].contains("Stage"))
    #expect(terminal.lines[3].contains("fish soup") && terminal.lines[3].hasPrefix("›"))
    #expect(terminal.lines[4].contains("pancakes"))
  }

  @Test func enterOpensAPartAndBackspaceGoesUp() throws {
    let terminal = try BrowserTester()
    terminal.press("down", "enter")
    #expect(terminal.lines[1] == "orders[2]")
    #expect(terminal.lines.contains { $0.contains("Dish") && $0.contains("pancakes") })
    terminal.press("backspace")
    #expect(terminal.lines[1] == "orders  2" && terminal.lines[4].hasPrefix("›"))
  }

  @Test func theActionsAreSearchedAndTheirFormIsFilledIn() throws {
    let terminal = try BrowserTester()
    terminal.press(":")
    terminal.type("order added")
    #expect(terminal.lines.contains { $0.contains("orderAdded(dish, table, note)") })
    terminal.press("enter")
    #expect(
      terminal.lines.contains { $0.contains("Order added") } && terminal.lines.contains { $0.contains("[ Send ]") })
    terminal.type("tea")
    terminal.press("down")
    terminal.type("x")
    terminal.press("enter")
    #expect(terminal.lines.contains { $0.contains("expected a value of type Int") })
    terminal.press("backspace")
    terminal.type("7")
    terminal.press("enter")
    #expect(terminal.store.recent.map(\.text) == [#"orderAdded "tea" 7 null"#])
  }

  @Test func anAlertOfTheStateLiesOverTheScreen() throws {
    let terminal = try BrowserTester()
    terminal.change { _ = Diner().reduce(into: &$0, action: .cancelButtonTapped(orderID: 2)) }
    #expect(terminal.lines.contains { $0.contains("Cancel pancakes?") })
    #expect(terminal.lines.contains { $0.contains("Cancel it") && $0.contains("Keep it") })
    terminal.store.send(.timePassed(now: .seconds(100), wallTime: 0))
    terminal.press("left", "enter")
    #expect(terminal.store.recent.map(\.text) == ["alert.presented.cancelConfirmed 2"])
  }

  @Test func aPathIsCompletedByTab() throws {
    let terminal = try BrowserTester()
    terminal.press("p", "ctrl-u")
    terminal.type("pri")
    terminal.press("tab", "enter")
    #expect(terminal.store.overlay == nil || terminal.lines.contains { $0.contains("prices[") })
  }

  @Test func whatIsWrittenIsNotLost() throws {
    let terminal = try BrowserTester()
    terminal.press(":")
    for character in "change" {
      terminal.type(String(character))
      // Others change the state meanwhile.
      terminal.change { $0.servedCount += 1 }
      terminal.change { $0.orders[id: 1]?.table += 1 }
    }
    guard case .palette(let palette)? = terminal.store.overlay else {
      Issue.record("the list of actions is open")
      return
    }
    #expect(palette.query == "change")
  }

  /// No key traps, garbles the screen or closes what is being written by itself.
  @Test(arguments: [(30, 100), (12, 40), (6, 20), (1, 3)])
  func randomKeysDoNotGarbleTheScreen(rows: Int, columns: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("BrowserScreenTests: seed \(seed)")
    var random = SplitMix(seed: seed)
    let terminal = try BrowserTester(rows: rows, columns: columns)
    let names = [
      "up", "down", "left", "right", "enter", "esc", "backspace", "tab", "shift-tab", "pagedown", "pageup", "home",
      "end",
      ":", ".", "R", "p", "g", "f", "s", "S", "/", "n", "?", "[", "]", "e", "i", "d", "1", "2", "3", "4", "a", "x", "é",
      "7",
      "space", "ctrl-s", "ctrl-n", "delete", "-",
    ]
    for step in 0..<400 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0: terminal.press(.paste("a\nb\u{1b}[2J世界", omittedByteCount: 0))
      case 1:
        terminal.press(
          .click(row: .random(in: 0..<rows, using: &random), column: .random(in: 0..<columns, using: &random)))
      case 2: terminal.change { $0.add("dish \(step)", step, step % 2 == 0 ? "note" : nil) }
      case 3: terminal.change { if !$0.orders.isEmpty { $0.orders.remove(at: 0) } }
      case 4: terminal.store.send(.timePassed(now: .seconds(step), wallTime: Int64(step) * 1000))
      default: terminal.press(names.randomElement(using: &random) ?? "up")
      }
      let lines = terminal.lines
      #expect(lines.count <= rows && lines.allSatisfy { TextWidth.columns(of: $0) <= columns }, "seed \(seed)")
    }
  }
}

/// A browser on a screen in memory, with a hub that accepts every action.
@MainActor final class BrowserTester {
  private static let schema = Schema(state: Diner.State.self, action: Diner.Action.self)

  let store: StoreOf<Browser>
  private let tester: TerminalTester
  private var diner = Diner.State()

  init(rows: Int = 24, columns: Int = 100) throws {
    store = Store(initialState: Browser.State()) {
      Browser()
    } withDependencies: {
      $0.browserHub = BrowserHub { _ in }
    }
    tester = TerminalTester(BrowserView(store: store), rows: rows, columns: columns)
    diner.add("fish soup", 4, "no onions")
    diner.add("pancakes", 2, nil)
    store.send(.connected(HubDescription("dinerhub", Self.schema)))
    store.send(.linkChanged(.live))
    supply()
    store.send(.timePassed(now: .seconds(1), wallTime: 1_800_000_000_000))
  }

  var lines: [String] { tester.lines }

  /// Presses keys by their names.
  func press(_ names: String...) {
    for name in names {
      tester.press(name)
      supply()
    }
  }

  func press(_ key: Key) {
    tester.press(key)
    supply()
  }

  func type(_ text: String) { tester.type(text) }

  func change(_ body: (inout Diner.State) -> Void) {
    body(&diner)
    supply()
  }

  private func supply() {
    let state = store.withState { $0 }
    for path in state.parts.keys where !state.scopes.contains(path) { store.send(.released(path: path)) }
    let values = SchemaValues(Self.schema)
    let bytes = diner.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let value = try? values.value(of: Self.schema.state, from: &decoder) else { return }
    for path in state.scopes {
      guard let steps = (try? Self.schema.part(named: path))?.steps else { continue }
      let part = ReceivedPart(value: values.part(at: steps, of: value, as: Self.schema.state)?.value, revision: 1)
      if state.parts[path] != part { store.send(.received(path: path, part)) }
    }
  }
}
