import BrowserTerminal
import ComposableArchitecture
import Glibc
import RandomNumbers
import SchemaBrowser
import SchemaNames
import TerminalUI
import TestFeatures
import Testing
import Wire

/// What the shared state presents appears as a sheet, whose keys send its actions.
@Suite @MainActor struct PresentationTests {
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test func theSheetShowsTheFieldsAndOffersTheActions() throws {
    let desk = try DeskTester()
    let scopes = desk.store.withState(\.scopes)
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    let sheet = """
      ┌ Edit item ───────────────────────────────────────────────────────┐
      │ Id     7                                                         │
      │ Name   cup                                                       │
      │ Sizes  2 items                                                   │
      │ Label  –                                                         │
      │                                                                  │
      │ › nameChanged(…)                                                 │
      │   saveButtonTapped                                               │
      │   dismiss                                                        │
      └──────────────────────────────────────────────────────────────────┘
      """
    #expect(desk.sheet == sheet, "\(desk.lines)")
    #expect(desk.store.withState(\.scopes) == scopes)
    desk.change { $0.shop.editItem?.name = "mug" }
    #expect(desk.lines.contains { $0.contains("Name   mug") })
    desk.wait()
    desk.press("down", "enter")
    #expect(desk.sent == ["shop.editItem.presented.saveButtonTapped"])
  }

  @Test func anActionWithValuesOpensAForm() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    desk.wait()
    desk.press("enter")
    #expect(desk.lines.contains { $0.contains("Name changed") } && desk.sheet == nil)
    desk.tester.type("mug")
    desk.press("enter")
    #expect(desk.sent == [#"shop.editItem.presented.nameChanged "mug""#])
    desk.store.send(.answered(number: 1, nil))
    #expect(desk.sheet != nil)
  }

  @Test func escDismissesForAllAndWhatOthersDismissGoesAway() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    desk.wait()
    desk.press("esc")
    #expect(desk.sent == ["shop.editItem.dismiss"] && desk.sheet != nil)
    desk.change { $0.shop.editItem = nil }
    #expect(desk.sheet == nil && desk.lines.contains { $0.contains("Name") })
  }

  /// The hand may be typing for the page below.
  @Test func aSheetThatHasJustAppearedTakesNoKey() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    for key in ["down", "enter", "o", "h", "esc"] {
      desk.press(key)
      #expect(desk.sent.isEmpty && desk.sheet != nil && desk.store.page?.path == "shop", "\(key)")
    }
    #expect(desk.store.notice?.text == "the screen has just changed; press the key again")
    desk.wait()
    // Another item at the same place is another sheet.
    desk.change { $0.shop.editItem = EditItem.State(id: 8) }
    desk.press("down", "enter", "esc")
    #expect(desk.sent.isEmpty)
    desk.wait()
    desk.change { $0.shop.editItem?.name = "mug" }
    desk.press("up", "enter")
    #expect(desk.store.overlay != nil)
  }

  @Test func aFormIsForWhatWasPresented() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    desk.wait()
    desk.press("enter")
    desk.tester.type("mug")
    desk.change { $0.shop.editItem = EditItem.State(id: 8) }
    desk.press("enter")
    #expect(desk.sent.isEmpty && desk.lines.contains { $0.contains("Edit item was dismissed meanwhile") })
    #expect(desk.lines.contains { $0.contains("mug") })
  }

  @Test func aHiddenSheetStaysHiddenUntilAnotherIsPresented() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    desk.wait()
    desk.press("h")
    #expect(desk.sheet == nil && desk.sent.isEmpty)
    desk.press("tab", "shift-tab")
    desk.change { $0.shop.editItem?.name = "mug" }
    #expect(desk.sheet == nil)
    desk.change { $0.shop.editItem = nil }
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    #expect(desk.sheet != nil)
  }

  @Test func anEnumIsNamedByItsDestinationAndAnAlertInItIsADialog() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.destination = .printLabel(PrintLabel.State()) }
    #expect(desk.lines.contains { $0.contains("┌ Print label ─") }, "\(desk.lines)")
    #expect(desk.lines.contains { $0.contains("› printButtonTapped") })
    desk.wait()
    desk.press("enter", "down", "enter")
    #expect(desk.sent == ["shop.destination.dismiss", "shop.destination.presented.printLabel.printButtonTapped"])
    desk.change {
      $0.shop.destination = .question(
        AlertState {
          TextState("Close the shop?")
        } actions: {
          ButtonState(action: .closeConfirmed) { TextState("Close") }
        })
    }
    #expect(desk.lines.contains { $0.contains("Close the shop?") } && desk.lines.contains { $0.contains("[ Close ]") })
    #expect(!desk.lines.contains { $0.contains("dismiss") })
  }

  @Test func theInnermostSheetIsOnTop() throws {
    let desk = try DeskTester()
    desk.change { state in
      state.shop.editItem = EditItem.State(id: 7)
      state.shop.editItem?.label = PrintLabel.State()
    }
    #expect(desk.lines.contains { $0.contains("┌ Label ─") } && desk.lines.contains { $0.contains("Copies  1") })
    desk.change { $0.shop.editItem?.label = nil }
    #expect(desk.lines.contains { $0.contains("┌ Edit item ─") })
  }

  @Test func theTabsKeepTheirKeysAndThePartIsOpenedByItsKey() throws {
    let desk = try DeskTester()
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    desk.press("tab")
    #expect(desk.sheet == nil && desk.store.tab.title == "State")
    desk.press("1")
    #expect(desk.sheet != nil)
    desk.wait()
    desk.press("o")
    #expect(desk.sheet == nil && desk.lines[1] == "shop.editItem", "\(desk.lines)")
    // On its own page, what dismisses it comes first.
    desk.press(":")
    #expect(desk.lines.contains { $0.contains("› shop.editItem.dismiss") }, "\(desk.lines)")
    desk.press("esc", "backspace")
    #expect(desk.sheet != nil && desk.lines[1] == "shop")
  }

  @Test func whatThisUserMayNotDoIsNotOffered() throws {
    let desk = try DeskTester(act: ["shop.editItem.presented.saveButtonTapped"])
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    #expect(desk.lines.contains { $0.contains("› saveButtonTapped") })
    #expect(!desk.lines.contains { $0.contains("nameChanged") } && !desk.lines.contains { $0.contains("  dismiss") })
    desk.wait()
    desk.press("esc")
    #expect(desk.sheet == nil && desk.sent.isEmpty)
    #expect(desk.store.notice?.text == "hidden here; this user may not dismiss it for all")
  }

  /// What is dismissed by a key had been on the screen for a while.
  @Test(arguments: [(24, 90), (6, 20), (1, 3)])
  func randomKeysSendNothingWhenASheetHasJustAppeared(rows: Int, columns: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("PresentationTests: seed \(seed)")
    var random = SplitMix(seed: seed)
    let desk = try DeskTester(rows: rows, columns: columns)
    let keys = ["up", "down", "enter", "esc", "o", "h", "tab", "1", "2", "backspace", ":", "p", "?", "x", "."]
    for step in 0..<200 {
      desk.change { state in
        state.shop.editItem = Bool.random(using: &random) ? EditItem.State(id: step % 3) : nil
        state.shop.destination = Bool.random(using: &random) ? .printLabel(PrintLabel.State()) : nil
      }
      let isCovered = desk.store.overlay != nil
      let (before, presented) = (desk.sent.count, desk.store.withState { $0.visiblePresentation?.id })
      desk.press(keys.randomElement(using: &random) ?? "up")
      let isNew = presented != nil && presented != desk.shownBefore && !isCovered
      if isNew { #expect(desk.sent.count == before, "seed \(seed), step \(step)") }
      desk.shownBefore = desk.store.withState { $0.visiblePresentation?.id }
      if Bool.random(using: &random) { desk.wait() }
      let fits = desk.lines.allSatisfy { TextWidth.columns(of: $0) <= columns }
      #expect(desk.lines.count <= rows && fits, "seed \(seed), step \(step)")
    }
  }

  @Test func aSmallScreenShowsTheActions() throws {
    let desk = try DeskTester(rows: 6, columns: 20)
    desk.change { $0.shop.editItem = EditItem.State(id: 7) }
    for text in ["┌ Edit item", "› nameChanged", "saveButton", "dismiss"] {
      #expect(desk.lines.contains { $0.contains(text) }, "\(text): \(desk.lines)")
    }
  }
}

/// A browser on a screen in memory, for the desk.
@MainActor private final class DeskTester {
  private static let schema = Schema(state: Desk.State.self, action: Desk.Action.self)

  let store = Store(initialState: Browser.State()) {
    Browser()
  } withDependencies: {
    $0.browserHub = BrowserHub { _ in }
  }
  let tester: TerminalTester
  private var desk = Desk.State()
  private var now = Duration.seconds(1)
  /// What was presented after the last key.
  var shownBefore: Presentation.ID?

  /// - Parameter act: The actions that the user may send; nil for all.
  init(rows: Int = 24, columns: Int = 90, act: [String]? = nil) throws {
    tester = TerminalTester(BrowserView(store: store), rows: rows, columns: columns)
    let schema = Self.schema
    let prefixes = try act?.map { try #require(schema.actionPrefix(of: try schema.actionPath(named: $0))) }
    let rights = act == nil ? nil : ClientRights(readablePaths: nil, actionPrefixes: prefixes)
    store.send(.connected(HubDescription("deskhub", schema, rights: rights)))
    store.send(.linkChanged(.live))
    supply()
    wait()
  }

  var lines: [String] { tester.lines }
  /// The actions that were sent, the latest first.
  var sent: [String] { store.recent.map(\.text) }
  /// The lines of the sheet in the middle of the screen; nil if there is none.
  var sheet: String? {
    guard let top = lines.first(where: { $0.contains("┌ Edit item") }), let start = top.firstIndex(of: "┌") else {
      return nil
    }
    let column = top.distance(from: top.startIndex, to: start)
    let rows = lines.map { $0.dropFirst(column) }.filter { row in ["┌", "│", "└"].contains { row.hasPrefix($0) } }
    return rows.joined(separator: "\n")
  }

  /// Lets so much time pass that keys count.
  func wait() {
    now += .seconds(1)
    store.send(.timePassed(now: now, wallTime: 0))
  }

  func press(_ names: String...) {
    for name in names {
      tester.press(name)
      supply()
    }
  }

  func change(_ body: (inout Desk.State) -> Void) {
    body(&desk)
    supply()
  }

  private func supply() {
    let values = SchemaValues(Self.schema)
    let bytes = desk.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let value = try? values.value(of: Self.schema.state, from: &decoder) else { return }
    let (scopes, parts) = store.withState { ($0.scopes, $0.parts) }
    for path in parts.keys where !scopes.contains(path) { store.send(.released(path: path)) }
    for path in scopes {
      guard let steps = (try? Self.schema.part(named: path))?.steps else { continue }
      let part = ReceivedPart(value: values.part(at: steps, of: value, as: Self.schema.state)?.value, revision: 1)
      if parts[path] != part { store.send(.received(path: path, part)) }
    }
  }
}
