import IdentifiedCollections
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// What tables with windows do when a hub, or the user, does what is seldom done.
@Suite struct WindowCautionTests {
  private static var orders: WindowedBrowser<Diner.State> {
    WindowedBrowser(largeDiner(2000), of: Diner.Action.self)
  }

  @Test func aNumberOfElementsThatNoHubHasIsHarmless() throws {
    var browser = Self.orders
    browser.act(.rowsShown(20..<60), .rowSelected("[40]"))
    // Without the selected element, it is sought as many positions further.
    let few = try #require(try part(largeDiner(20), at: "orders"))
    let hostile = ReceivedPart(value: few, window: .init(count: .max, start: 0), revision: 2)
    browser.take(.received(path: "orders[0..<256]", hostile))
    let count = try #require(browser.table?.count)
    browser.take(.rowsShown(count - 40..<count))
    let path = try #require(browser.state.scopes.last)
    let other = ReceivedPart(value: few, window: .init(count: .max, start: .max), revision: 3)
    browser.take(.received(path: path, other))
    browser.take(.rowsShown(count - 41..<count - 1))
    // It has more elements than there is room for at its position.
    #expect(browser.table?.offset(of: "[5]", near: 0) == nil)
    #expect(browser.table?.name(at: count - 1) == "…\(count - 1)" && browser.state.selectedRow == nil)
  }

  @Test func anIndexThatNoArrayHasIsAbsent() {
    var diner = largeDiner(3)
    diner.chef = Diner.Chef(name: "Ada")
    diner.chef?.specialities = ["soup", "pie"]
    var browser = WindowedBrowser(diner, of: Diner.Action.self)
    for index in [2, Int.max] {
      browser.act(.pathTapped, .pathChanged("chef.specialities[\(index)]"), .pathEntered)
      guard case .absent = browser.state.content else {
        Issue.record("there is no element \(index): \(browser.state.content)")
        continue
      }
    }
    browser.act(.pathTapped, .pathChanged("chef.specialities[1]"), .pathEntered)
    guard case .text(let lines) = browser.state.content else {
      Issue.record("the element is shown")
      return
    }
    #expect(lines == ["pie"])
  }

  @Test func whatIsSoughtInACollectionThatBecameShortIsNotFound() throws {
    let value = try #require(try part(largeDiner(10), at: "orders"))
    let type = try dinerSchema.part(named: "orders").type
    let orders = try #require(WholeCollection(value, type, in: dinerSchema))
    #expect(orders.index(of: "[5000]", hint: 1999) == nil && orders.index(of: "[5]", hint: 1999) == 4)
  }

  @Test func theRowsOnTheScreenAreAskedForAfterThePast() throws {
    var browser = Self.orders
    let value = try #require(try part(largeDiner(2000), at: ""))
    browser.act(.pastShown(PastState(schema: dinerSchema, value: value, revision: 3, time: 0)))
    // The table says it once, and not again when the same rows are those of the present.
    browser.act(.rowsShown(1500..<1540), .rowSelected("[1520]"), .pastShown(nil))
    #expect(browser.state.selectedRow == "[1520]" && browser.cells(1520).contains("dish 1521"))
  }

  @Test func theRowsOnTheScreenAreAskedForWhenAHubComesBackWithWindows() {
    var browser = WindowedBrowser(largeDiner(2000), of: Diner.Action.self, limit: 0)
    browser.act(.rowsShown(1500..<1540), .rowSelected("[1520]"), .linkChanged(.away))
    browser.act(.connected(HubDescription("dinerhub", dinerSchema, windowLimit: 4096)), .linkChanged(.live))
    #expect(browser.asked.last == "orders[1392..<1648]" && browser.state.selectedRow == "[1520]")
  }

  @Test(arguments: [Browser.Action.sortTapped, .filterTapped])
  func theSelectionStaysAtItsElementWhenOnlyAWindowIsNeeded(action: Browser.Action) {
    var browser = Self.orders
    browser.act(action)
    if case .filterTapped = action {
      browser.act(.filterChanged("1999"), .filterEnded(isKept: true), .rowSelected("[1999]"), .escapeTapped)
    } else {
      browser.act(.sortReversed, .rowSelected("[1999]"))
      while browser.state.page?.order.sort != nil { browser.act(.sortTapped) }
    }
    #expect(browser.table?.isPartial == true && browser.state.selectedRow == "[1999]")
  }

  /// A window that moves over an empty collection has the value that it had: nothing would tell that it has arrived.
  @Test func aWindowOfNoElementsStaysUntilThereAreSome() {
    var browser = Self.orders
    browser.act(.rowsShown(1500..<1540))
    browser.change { $0.orders.removeAll() }
    let count = browser.asked.count
    browser.act(.rowsShown(0..<0))
    #expect(browser.asked.count == count && browser.table?.count == 0)
    browser.change { $0.orders.append(order(1)) }
    #expect(browser.asked.last == "orders[0..<256]" && browser.cells(0).contains("dish 1"))
  }

  @Test func elementsDoNotWaitForAWindowThatIsNotWantedAnyMore() {
    var browser = Self.orders
    browser.take(.rowsShown(1500..<1540))
    browser.take(.released(path: "orders[0..<256]"))
    #expect(browser.state.parts["orders[0..<256]"] != nil)
    // Another tab opens before the hub has answered.
    let tab = browser.state.tabs.firstIndex { $0.path == "prices" }
    browser.take(.tabOpened(tab ?? 0))
    browser.take(.released(path: "orders[1392..<1648]"))
    #expect(!browser.state.parts.keys.contains { $0.hasPrefix("orders[") })
  }
}
