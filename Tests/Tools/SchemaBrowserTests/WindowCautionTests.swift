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
}
