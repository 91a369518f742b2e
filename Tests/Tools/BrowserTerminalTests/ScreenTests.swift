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

  @Test func aNarrowTableLeavesOutColumns() throws {
    let terminal = try BrowserTester(rows: 12, columns: 40)
    let whole = """
      ─┤1 Orders├ 2 Prices  3 Chef  4 State ──
      orders  2
        Id  Dish       Stage    Table        ›
      ›  1  fish soup  waiting      4
         2  pancakes   waiting      2







      """
    #expect(terminal.text == whole)
    terminal.press("right", "right", "right")
    let scrolled = """
      ─┤1 Orders├ 2 Prices  3 Chef  4 State ──
      orders  2
      ‹ Dish       Note       Placed         ›
      › fish soup  no onions  2027-01-15 08:0…
        pancakes   –          2027-01-15 08:0…







      """
    #expect(terminal.text == scrolled)
    terminal.press("enter")
    let element = """
      ─┤1 Orders├ 2 Prices  3 Chef  4 State ──
      orders[1]
        Name     Value
      › Id       1
        Dish     fish soup
        Table    4
        Note     no onions
        Stage    waiting
        Placed   2027-01-15 08:00:00
        Cooking  0 s
        Extras   none

      """
    #expect(terminal.text == element)
  }

  @Test func theSmallestScreenKeepsTheTitles() throws {
    let terminal = try BrowserTester(rows: 6, columns: 20)
    let whole = """
      ─┤1 Orders├ 2  3  4
      orders  2
        Id Dish          ›
      ›  1 fish soup
         2 pancakes

      """
    #expect(terminal.text == whole)
    terminal.press("right")
    let scrolled = """
      ─┤1 Orders├ 2  3  4
      orders  2
      ‹ Dish      Stage  ›
      › fish soup waiting
        pancakes  waiting

      """
    #expect(terminal.text == scrolled)
    terminal.press("enter")
    let element = """
      ─┤1 Orders├ 2  3  4
      orders[1]
        Name  Value
      › Id    1
        Dish  fish soup
        Table 4
      """
    #expect(terminal.text == element)
  }

  @Test(arguments: [(6, false), (12, true)])
  func theHelpOfAFieldLeavesRoomForTheFields(rows: Int, isShown: Bool) throws {
    let terminal = try BrowserTester(rows: rows, columns: 20, help: "a number")
    terminal.press("enter")
    let fields = terminal.lines[3...5].map { $0.split(separator: " ").joined(separator: " ") }
    #expect(fields == ["› Id 1", "Dish fish soup", "Table 4"])
    #expect(terminal.lines.contains("a number") == isShown)
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

  /// Enter once chose the next case, so that a form seemed to have no way to be sent.
  @Test func enterSendsFromEveryField() throws {
    let terminal = try BrowserTester()
    terminal.press(":")
    terminal.type("stage changed")
    terminal.press("enter", "left")
    #expect(terminal.lines.contains { $0.contains("‹ ready ›") })
    terminal.press("enter")
    #expect(terminal.store.recent.map(\.text) == ["orders[1].stageChanged.ready"])
  }

  /// Its only column was once the time.
  @Test func theSmallestScreenShowsTheActions() throws {
    let terminal = try BrowserTester(rows: 6, columns: 20, hasJournal: true)
    terminal.store.send(
      .activityChanged([ActivityLine(id: "1/0", time: "12:00:00", who: "ada", what: "served", revision: 1)]))
    terminal.press("5")
    #expect(terminal.lines.contains { $0.contains("served") }, "\(terminal.lines)")
  }

  /// The frame once took the rows of the actions, so that there was none to choose.
  @Test(arguments: [3, 4, 5, 6, 8]) func theSmallestScreenShowsAnActionToChoose(rows: Int) throws {
    let terminal = try BrowserTester(rows: rows, columns: 20)
    terminal.press(":")
    var seen: Set<String> = []
    for _ in 0..<4 {
      guard let chosen = terminal.lines.first(where: { $0.contains("›") }) else {
        return #expect(Bool(false), "\(terminal.text)")
      }
      seen.insert(chosen)
      terminal.press("down")
    }
    #expect(seen.count == 4, "\(seen)")
    terminal.type("order added")
    #expect(terminal.lines.contains { $0.contains("order added") }, "\(terminal.text)")
    #expect(terminal.lines.contains { $0.contains("› orderAdded") }, "\(terminal.text)")
    terminal.press("enter")
    #expect(terminal.store.overlay.map { if case .form = $0 { true } else { false } } == true)
  }

  /// What was typed for the second value was once added to the first.
  @Test func enterGoesToTheValueThatIsMissing() throws {
    let terminal = try BrowserTester()
    terminal.press(":")
    terminal.type("order added")
    terminal.press("enter")
    terminal.type("tea")
    terminal.press("enter")
    #expect(terminal.lines.contains { $0.contains("a value is needed") })
    terminal.type("7")
    terminal.press("enter")
    #expect(terminal.store.recent.map(\.text) == [#"orderAdded "tea" 7 null"#])
  }

  @Test func theActivityFollowsItsEnd() throws {
    let terminal = try BrowserTester(rows: 8, columns: 60, hasJournal: true)
    func log(_ count: Int) {
      let lines = (1...count).map {
        ActivityLine(id: "\($0)/0", time: "12:00", who: "ada", what: "action \($0)", revision: UInt64($0))
      }
      terminal.store.send(.activityChanged(lines))
    }
    func cursor() -> String { terminal.lines.first { $0.hasPrefix("›") } ?? "" }
    log(30)
    terminal.press("5")
    #expect(cursor().contains("action 30"), "\(terminal.lines)")
    log(31)
    #expect(cursor().contains("action 31"))
    terminal.press("up")
    log(33)
    #expect(cursor().contains("action 30"))
    terminal.press("end")
    log(34)
    #expect(cursor().contains("action 34"))
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
  /// False while the hub does not answer.
  var isHubAnswering = true { didSet { supply() } }

  /// - Parameters:
  ///   - orders: The number of further orders.
  ///   - windowLimit: The number of elements that the windows of the client may have.
  ///   - help: The documentation comment of each field.
  ///   - hasJournal: True to show the logged actions.
  init(
    rows: Int = 24, columns: Int = 100, orders: Int = 0, windowLimit: Int = 0, help: String = "",
    hasJournal: Bool = false
  ) throws {
    store = Store(initialState: Browser.State()) {
      Browser()
    } withDependencies: {
      $0.browserHub = BrowserHub { _ in }
    }
    tester = TerminalTester(BrowserView(store: store), rows: rows, columns: columns)
    diner.add("fish soup", 4, "no onions")
    diner.add("pancakes", 2, nil)
    for number in 0..<orders { diner.add("dish \(number + 3)", number % 20, nil) }
    var documentation = SchemaDocumentation()
    for (index, definition) in Self.schema.definitions.enumerated() {
      guard case .fields(let fields) = definition.content else { continue }
      documentation.add("", members: Dictionary(uniqueKeysWithValues: fields.map { ($0.key, help) }), of: index)
    }
    store.send(
      .connected(
        HubDescription(
          "dinerhub", Self.schema, documentation: documentation, hasJournal: hasJournal, windowLimit: windowLimit)))
    store.send(.linkChanged(.live))
    supply()
    store.send(.timePassed(now: .seconds(1), wallTime: 1_800_000_000_000))
  }

  var lines: [String] { tester.lines }
  var text: String { lines.joined(separator: "\n") }

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
    guard isHubAnswering else { return }
    // A part that arrives may change what is asked for.
    while true {
      let state = store.withState { $0 }
      for path in state.parts.keys where !state.scopes.contains(path) { store.send(.released(path: path)) }
      let changed = state.scopes.filter { path in part(at: path).map { $0 != state.parts[path] } ?? false }
      guard !changed.isEmpty else { return }
      for path in changed { if let part = part(at: path) { store.send(.received(path: path, part)) } }
    }
  }

  private func part(at path: String) -> ReceivedPart? {
    guard var steps = (try? Self.schema.part(named: path, allowsWindow: true))?.steps else { return nil }
    var (state, window): (Diner.State, ReceivedPart.Window?) = (diner, nil)
    if case .window(let start, let count)? = steps.last {
      steps.removeLast()
      let range = min(start, diner.orders.count)..<min(start + count, diner.orders.count)
      state.orders = IdentifiedArray(uniqueElements: diner.orders[range])
      window = .init(count: diner.orders.count, start: range.lowerBound)
    }
    let values = SchemaValues(Self.schema)
    let bytes = state.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let value = try? values.value(of: Self.schema.state, from: &decoder) else { return nil }
    return ReceivedPart(
      value: values.part(at: steps, of: value, as: Self.schema.state)?.value, window: window, revision: 1)
  }
}
