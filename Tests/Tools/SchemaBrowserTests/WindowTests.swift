import ComposableArchitecture
import Features
import IdentifiedCollections
import RandomNumbers
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// Tables of collections of which the client has only a window.
@Suite struct WindowTests {
  private static var orders: WindowedBrowser<Diner.State> {
    WindowedBrowser(largeDiner(2000), of: Diner.Action.self)
  }

  @Test func onlyTheElementsAroundTheShownOnesAreAskedFor() {
    var browser = Self.orders
    #expect(browser.asked == ["alert", "orders[0..<256]"] && browser.table?.count == 2000)
    #expect(browser.cells(3).contains("dish 4") && browser.table?.isPartial == true)
    browser.act(.rowsShown(20..<60))
    #expect(browser.asked.count == 2)
    browser.act(.rowsShown(1500..<1540))
    #expect(browser.asked.last == "orders[1392..<1648]" && browser.cells(1500).contains("dish 1501"))
    browser.act(.rowsShown(1501..<1541))
    #expect(browser.asked.count == 3)
    browser.act(.rowsShown(1960..<2000))
    #expect(browser.asked.last == "orders[1852..<2108]" && browser.cells(1999).contains("dish 2000"))
    browser.act(.rowsShown(1960..<2000))
    #expect(browser.asked.count == 4)
  }

  @Test func rowsThatAreNotHereAreMarkedUntilTheyArrive() {
    var browser = Self.orders
    // The hub has not answered yet.
    browser.take(.rowsShown(230..<270))
    #expect(browser.cells(240).contains("dish 241") && browser.cells(256).allSatisfy { $0 == "…" })
    browser.take(.released(path: "orders[0..<256]"))
    #expect(browser.cells(240).contains("dish 241") && browser.table?.count == 2000)
    browser.take(.rowSelected(CollectionWindow.placeholder(256)))
    #expect(browser.state.selectedRow == nil && browser.state.element == nil)
    browser.supply()
    #expect(browser.cells(256).contains("dish 257") && browser.state.selectedRow == "[257]")
    #expect(browser.state.parts.keys.sorted() == ["alert", "orders[122..<378]"])
  }

  @Test func aRowThatWasSelectedByItsPositionIsNamedWhenAllArrive() {
    var browser = Self.orders
    browser.take(.rowSelected(CollectionWindow.placeholder(1500)))
    browser.take(.searchTapped)
    #expect(browser.state.element == nil)
    browser.supply()
    #expect(browser.state.selectedRow == "[1501]")
  }

  @Test func theCursorStaysOnItsElementWhereverOthersMoveIt() {
    var browser = Self.orders
    browser.act(.rowsShown(980..<1020), .rowSelected("[1000]"))
    browser.change { diner in
      for number in 0..<10 { diner.orders.insert(order(-1 - number), at: 0) }
    }
    #expect(browser.table?.offset(of: "[1000]", near: 0) == 1009 && browser.state.selectedRow == "[1000]")
    // More than the window has: it moves after the element.
    browser.change { diner in
      for number in 10..<700 { diner.orders.insert(order(-1 - number), at: 0) }
    }
    #expect(browser.state.selectedRow == "[1000]" && browser.table?.offset(of: "[1000]", near: 0) == 1699)
    browser.change { $0.orders.removeFirst(700) }
    #expect(browser.state.selectedRow == "[1000]" && browser.table?.offset(of: "[1000]", near: 0) == 999)
  }

  @Test func aRemovedElementIsNotSoughtElsewhere() {
    var browser = Self.orders
    browser.act(.rowsShown(980..<1020), .rowSelected("[1000]"))
    let count = browser.asked.count
    browser.change { _ = $0.orders.remove(id: 1000) }
    #expect(browser.state.selectedRow == nil && browser.asked.count == count)
  }

  @Test func aListThatBecameShorterIsShownToItsEnd() {
    var browser = Self.orders
    browser.act(.rowsShown(1960..<2000))
    browser.change { $0.orders.removeLast(1500) }
    #expect(browser.table?.count == 500 && browser.cells(499).contains("dish 500"))
    browser.change { $0.orders.removeAll() }
    #expect(browser.table?.count == 0)
  }

  @Test func anElementIsAPartOfItsOwn() {
    var browser = Self.orders
    browser.act(.rowSelected("[200]"), .rowOpened("[200]"))
    #expect(browser.state.page?.path == "orders[200]")
    // The table stays here for the way back.
    #expect(Set(browser.state.scopes) == ["alert", "orders[0..<256]", "orders[200]"])
    browser.change { $0.orders[id: 200]?.dish = "soup" }
    #expect(browser.form.contains(["Dish", "soup"]))
    browser.change { diner in
      for number in 0..<300 { diner.orders.insert(order(-1 - number), at: 0) }
    }
    #expect(browser.form.contains(["Dish", "soup"]))
    browser.act(.upTapped)
    #expect(browser.table?.count == 2300)
  }

  @Test(arguments: [Browser.Action.sortTapped, .filterTapped, .searchTapped])
  func whatNeedsAllElementsLoadsThem(action: Browser.Action) {
    var browser = Self.orders
    browser.take(action)
    if case .filterTapped = action { browser.take(.filterChanged("1999")) }
    #expect(browser.state.scopes == ["alert", "orders", "orders[0..<256]"])
    browser.take(.loaded(byteCount: 1))
    #expect(browser.state.loading?.total == 2000 && browser.cells(3).contains("dish 4"))
    browser.supply()
    #expect(browser.state.scopes == ["alert", "orders"] && browser.state.loading == nil)
    #expect(browser.table?.isPartial == false && browser.table?.total == 2000)
    if case .filterTapped = action { browser.act(.filterEnded(isKept: true)) }
    if case .sortTapped = action {
      browser.act(.sortReversed)
      #expect(browser.table?.name(at: 0) == "[2000]")
      browser.act(.sortReversed)
      // After the last column, no sorting.
      while browser.state.page?.order.sort != nil { browser.act(.sortTapped) }
    } else {
      browser.act(.escapeTapped)
    }
    #expect(browser.state.scopes == ["alert", "orders[0..<256]"] && browser.table?.isPartial == true)
  }

  @Test(arguments: [Browser.Action.sortTapped, .filterTapped, .searchTapped])
  func tooManyElementsAreNotLoaded(action: Browser.Action) {
    var browser = Self.orders
    let count = ElementOrder.limit + 1
    let window = browser.state.parts["orders[0..<256]"]
    let part = ReceivedPart(value: window?.value, window: .init(count: count, start: 0), revision: 2)
    browser.take(.received(path: "orders[0..<256]", part))
    browser.take(action)
    #expect(browser.state.scopes == ["alert", "orders[0..<256]"] && browser.state.overlay == nil)
    #expect(browser.state.notice?.text.hasPrefix("100001 elements are too many to sort, filter or search") == true)
    #expect(browser.state.notice?.isBad == true && browser.state.page?.isSearched == false)
  }

  @Test func aShortCollectionIsWholeInItsWindow() {
    var browser = WindowedBrowser(largeDiner(12), of: Diner.Action.self)
    browser.act(.sortTapped, .sortReversed)
    #expect(browser.state.scopes == ["alert", "orders[0..<256]"] && browser.table?.name(at: 0) == "[12]")
  }

  @Test func aConfiguredSortingWaitsForTheNumberOfElements() throws {
    var configuration = BrowserConfiguration()
    try configuration.read("[table orders]\nsort = id descending\n")
    let browser = WindowedBrowser(largeDiner(300), of: Diner.Action.self, configuration)
    #expect(browser.asked == ["alert", "orders[0..<256]", "orders"] && browser.table?.name(at: 0) == "[300]")
  }

  @Test(arguments: [0, 10])
  func aHubWithoutWindowsSendsTheWhole(limit: Int) {
    let browser = WindowedBrowser(largeDiner(300), of: Diner.Action.self, limit: limit)
    #expect(browser.state.scopes == ["alert", "orders"] && browser.cells(299).contains("dish 300"))
  }

  @Test func aHubThatComesBackWithoutWindowsSendsTheWhole() {
    var browser = Self.orders
    browser.act(.rowsShown(980..<1020), .rowSelected("[1000]"), .linkChanged(.away))
    #expect(browser.cells(999).contains("dish 1000"))
    browser.take(.connected(HubDescription("dinerhub", dinerSchema, windowLimit: 0)))
    browser.act(.linkChanged(.live))
    #expect(browser.state.scopes == ["alert", "orders"] && browser.state.selectedRow == "[1000]")
  }

  @Test func aRefusedWindowShowsTheReason() {
    var browser = Self.orders
    browser.take(.refused(path: "orders[0..<256]", reason: "too many windows"))
    browser.take(.released(path: "orders[0..<256]"))
    guard case .absent(let reason) = browser.state.content else {
      Issue.record("the reason is shown")
      return
    }
    #expect(reason == "too many windows" && browser.state.scopes == ["alert"])
  }

  /// It was once shown as refused until the hub had been away.
  @Test func aPartWithoutRoomIsWantedUntilItArrivesOrIsNoLongerShown() {
    var browser = Self.orders
    let (window, scopes) = ("orders[0..<256]", browser.state.scopes)
    let elements = browser.state.parts[window]
    #expect(scopes.contains(window) && elements != nil)
    browser.take(.foundNoRoom(path: window, reason: "too many windows"))
    guard case .absent(let reason) = browser.state.content else {
      Issue.record("the reason is shown")
      return
    }
    #expect(reason == "too many windows" && browser.state.notice?.text == reason)
    #expect(browser.state.scopes == scopes && browser.state.parts[window] == nil)
    // The hub says it each time that it is asked.
    browser.take(.said(Notice("read")))
    browser.take(.foundNoRoom(path: window, reason: "too many windows"))
    #expect(browser.state.notice?.text == "read")
    browser.take(.received(path: window, elements!))
    #expect(browser.table?.count == 2000 && browser.state.partsWithoutRoom.isEmpty)
    browser.take(.foundNoRoom(path: window, reason: "too many windows"))
    browser.take(.released(path: window))
    #expect(browser.state.partsWithoutRoom.isEmpty)
    guard case .loading = browser.state.content else {
      Issue.record("no reason is shown for what was not requested")
      return
    }
  }

  @Test func thePastIsAWhole() throws {
    var browser = Self.orders
    browser.act(.rowsShown(980..<1020), .rowSelected("[1000]"))
    let value = try #require(try part(largeDiner(1100), at: ""))
    browser.act(.pastShown(PastState(schema: dinerSchema, value: value, revision: 3, time: 0)))
    #expect(browser.table?.count == 1100 && browser.table?.isPartial == false && browser.state.scopes == ["alert"])
    #expect(browser.state.selectedRow == "[1000]" && browser.table?.row(at: 1099).cells[1].text == "dish 1100")
    browser.act(.pastShown(nil))
    #expect(browser.table?.count == 2000 && browser.state.selectedRow == "[1000]")
  }

  @Test func aHubOfAnotherFeatureBeginsAtTheStart() {
    var browser = Self.orders
    browser.act(.rowsShown(980..<1020), .rowSelected("[1000]"))
    browser.take(
      .connected(HubDescription("otherhub", Schema(state: Diner.State.self, action: Bool.self), windowLimit: 300)))
    #expect(browser.state.parts.isEmpty && browser.state.scopes.last == "orders[0..<256]")
  }

  @Test func aStructShowsItsLargeCollectionsByTheirNumbers() {
    var app = AppFeature.State()
    for number in 0..<2000 { app.todos.todos.append(Todo.State(id: number, text: "todo \(number)")) }
    var browser = WindowedBrowser(app, of: AppFeature.Action.self)
    browser.act(.pathTapped, .pathChanged("todos"), .pathEntered)
    #expect(browser.state.scopes.contains("todos.todos[0..<6]") && !browser.state.scopes.contains("todos"))
    #expect(browser.form.contains(["Todos", "2000 items"]))
    browser.act(.rowOpened("todos"))
    #expect(browser.table?.count == 2000 && browser.cells(200).contains("todo 200"))
    browser.act(.rowOpened("[100]"))
    #expect(browser.form.contains(["Text", "todo 100"]))
    browser.act(.upTapped, .upTapped)
    #expect(browser.form.contains(["Todos", "2000 items"]))
  }

  @Test func windowsStayWithinWhatTheHubPermits() {
    var browser = WindowedBrowser(largeDiner(2000), of: Diner.Action.self, limit: 100)
    #expect(browser.state.scopes == ["alert", "orders[0..<100]"])
    browser.act(.rowsShown(1000..<1040))
    #expect(browser.cells(1020).contains("dish 1021"))
    browser.act(.rowsShown(1000..<1300))
    let shown = (1000..<1300).filter { browser.cells($0).contains("dish \($0 + 1)") }
    #expect(shown == Array(1100..<1200))
  }

  /// Whatever others do, a table shows the elements of the hub, and the cursor is on the selected one while it exists.
  @Test func randomChangesAreShown() {
    let seed = UInt64.random(in: 0 ... .max)
    print("WindowTests: seed \(seed)")
    var random = SplitMix(seed: seed)
    var browser = WindowedBrowser(largeDiner(600), of: Diner.Action.self)
    var next = 10_000
    for _ in 0..<100 {
      let count = browser.root.orders.count
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        let row = Int.random(in: 0..<max(count - 40, 1), using: &random)
        browser.act(.rowsShown(row..<min(row + 40, count)))
        if count > 0 { browser.act(.rowSelected(browser.table?.name(at: min(row + 20, count - 1)))) }
      case 2, 3:
        let (place, number) = (Int.random(in: 0...count, using: &random), Int.random(in: 0..<400, using: &random))
        browser.change { diner in
          for _ in 0..<number {
            diner.orders.insert(order(next), at: place)
            next += 1
          }
        }
      case 4, 5:
        let place = Int.random(in: 0..<max(count, 1), using: &random)
        browser.change { $0.orders.removeSubrange(place..<min(place + Int.random(in: 0..<400, using: &random), count)) }
      case 6: browser.act(.sortTapped, .sortReversed, .escapeTapped)
      default:
        browser.change { diner in
          if !diner.orders.isEmpty { diner.orders[Int.random(in: 0..<count, using: &random)].dish = "changed" }
        }
      }
      #expect(browser.table?.total == browser.root.orders.count, "seed \(seed)")
      guard let table = browser.table, table.count == browser.root.orders.count, table.sort == nil else { continue }
      for row in 0..<table.count where table.isHere(at: row) {
        #expect(table.name(at: row) == "[\(browser.root.orders[row].id)]", "seed \(seed)")
      }
    }
  }
}
