import Foundation
import IdentifiedCollections
import SchemaBrowser
import TestFeatures
import Testing
import Wire

@Suite struct NavigationTests {
  @Test func eachPartOfTheRootHasATab() throws {
    let browser = try DrivenBrowser()
    #expect(browser.state.tabs.map(\.title) == ["Orders", "Prices", "Chef", "State"])
  }

  @Test func aCollectionIsATableWithTheUsefulColumnsFirst() throws {
    let browser = try DrivenBrowser()
    #expect(browser.headings == ["Id", "Dish", "Stage", "Table", "Note", "Placed", "Cooking", "Extras"])
    #expect(browser.rows[0][0..<5] == ["1", "fish soup", "on the stove (minutes 7)", "4", "no onions"])
    #expect(browser.rows[0][6...] == ["2 min 5 s", "bread, butter"])
    #expect(browser.rows[1][2] == "waiting" && browser.rows[1][4] == "–")
  }

  @Test func aRowOpensAndUpGoesBackToIt() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowSelected("[2]"), .rowOpened("[2]"))
    #expect(browser.state.page?.path == "orders[2]")
    #expect(browser.rows.contains(["Dish", "pancakes"]) && browser.rows.contains(["Note", "–"]))
    // The element is in the part that is here already.
    #expect(browser.state.scopes == ["alert", "orders"])
    try browser.act(.upTapped)
    #expect(browser.state.page?.path == "orders" && browser.state.selectedRow == "[2]")
  }

  @Test func aLeafOpensAsATextToRead() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowOpened("[1]"), .rowOpened("note"))
    #expect(browser.state.overlay == .reading(title: "orders[1].note", lines: ["no onions"]))
  }

  /// Each line was once as long as the text, which another client may have written.
  @Test func aLongTextIsReadInLinesOfALimitedLength() throws {
    var browser = try DrivenBrowser()
    let long = String(repeating: "é", count: 2500)
    try browser.change { $0.orders[id: 1]?.note = "\(long)\n\nend\n" }
    try browser.act(.rowOpened("[1]"), .rowOpened("note"))
    guard case .reading(_, let lines)? = browser.state.overlay else {
      Issue.record("the text is open")
      return
    }
    #expect(lines.map(\.count) == [1000, 1000, 500, 0, 3, 0])
    #expect(lines.joined() == long + "end")
  }

  @Test func aPathIsCompletedAndOpened() throws {
    var browser = try DrivenBrowser()
    try browser.act(.pathTapped, .pathChanged("che"), .pathCompleted)
    #expect(browser.state.overlay.map { "\($0)" }?.contains("chef") == true)
    try browser.act(.pathEntered)
    try browser.go("chef")
    #expect(browser.state.page?.path == "chef" && browser.state.tab.id == "chef")
    #expect(browser.rows.first == ["Name", "Ada"])
    try browser.go("orders[12]")
    #expect(browser.state.page?.path == "orders[12]")
    // Only the element is asked for, until the user goes up.
    #expect(browser.state.scopes.contains("orders[12]") && !browser.state.scopes.contains("orders"))
    try browser.act(.upTapped)
    #expect(browser.state.scopes.contains("orders") && browser.rows.count == 3)
  }

  @Test func aPathThatDoesNotExistIsExplained() throws {
    var browser = try DrivenBrowser()
    try browser.go("ordres")
    guard case .path(let entry)? = browser.state.overlay else {
      Issue.record("the path is still being written")
      return
    }
    #expect(entry.error?.contains("orders") == true)
  }

  @Test func theLeavesOfTheRootAreOneTabAndItsPartsOpenTheirs() throws {
    var browser = try DrivenBrowser()
    try browser.act(.tabOpened(3))
    #expect(browser.state.scopes.contains("isOpen") && !browser.state.scopes.contains("orders"))
    #expect(browser.rows.contains(["Is open", "no"]) && browser.rows.contains(["Longest wait", "0 s"]))
    #expect(browser.rows.first?.first == "Orders")
    try browser.act(.rowOpened("orders"))
    #expect(browser.state.tab.id == "orders")
  }

  @Test func dictionariesAreTablesByTheirKeys() throws {
    var browser = try DrivenBrowser()
    try browser.act(.tabOpened(1))
    #expect(browser.headings == ["Key", "Value"] && browser.rows.contains(["fish soup", "9.5"]))
  }

  @Test func aTableIsSortedByEachColumnInTurn() throws {
    var browser = try DrivenBrowser()
    try browser.act(.sortTapped, .sortTapped)
    #expect(browser.rows.map { $0[1] } == ["Apple pie", "fish soup", "pancakes"])
    try browser.act(.sortReversed)
    #expect(browser.rows.map { $0[1] } == ["pancakes", "fish soup", "Apple pie"])
    // A new element takes its place.
    try browser.change { $0.orders.append(DrivenBrowser.order(99)) }
    #expect(browser.rows.map { $0[1] } == ["tea", "pancakes", "fish soup", "Apple pie"])
  }

  @Test func keysThatLookLikeNumbersAreWords() throws {
    var diner = sampleDiner()
    diner.prices = ["nan": 1, "10": 1, "b": 1, "inf": 1, "2": 1]
    var browser = try DrivenBrowser(diner)
    try browser.act(.tabOpened(1), .sortTapped)
    #expect(browser.rows.map { $0[0] } == ["2", "10", "b", "inf", "nan"])
  }

  @Test func durationsAndListsAreSortedByTheirSizes() throws {
    var diner = sampleDiner()
    diner.orders[id: 2]?.cooking = .seconds(-5)
    diner.orders[id: 12]?.cooking = .seconds(-90)
    diner.orders[id: 12]?.extras = ["cream"]
    var browser = try DrivenBrowser(diner)
    for _ in 0..<7 { try browser.act(.sortTapped) }
    #expect(browser.rows.map { $0[6] } == ["-1 min 30 s", "-5 s", "2 min 5 s"])
    try browser.act(.sortTapped)
    #expect(browser.rows.map { $0[7] } == ["none", "cream", "bread, butter"])
  }

  @Test func aFilterShowsTheRowsWithItsWords() throws {
    var browser = try DrivenBrowser()
    try browser.act(.filterTapped, .filterChanged("waiting -pan"))
    #expect(browser.rows.map { $0[1] } == ["Apple pie"])
    try browser.act(.filterEnded(isKept: true), .escapeTapped)
    #expect(browser.rows.count == 3)
    try browser.act(.filterTapped, .filterChanged("x"), .filterEnded(isKept: false))
    #expect(browser.rows.count == 3)
  }

  @Test func theSelectionStaysOnItsElement() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowSelected("[2]"))
    try browser.change { $0.orders.insert(DrivenBrowser.order(99), at: 0) }
    #expect(browser.state.selectedRow == "[2]")
    try browser.change { _ = $0.orders.remove(id: 2) }
    // The table reports where its cursor is now.
    #expect(browser.state.selectedRow == nil)
    try browser.act(.rowSelected("[12]"))
    #expect(browser.state.selectedRow == "[12]")
  }

  @Test func aPartThatDisappearsIsNamed() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowOpened("[2]"))
    try browser.change { _ = $0.orders.remove(id: 2) }
    #expect(browser.rows == [["absent: there is no orders[2] now"]])
    try browser.act(.upTapped)
    #expect(browser.rows.count == 2)
  }

  @Test func onlyTheOpenScreenIsAskedFor() throws {
    var browser = try DrivenBrowser()
    #expect(browser.state.scopes == ["alert", "orders"])
    try browser.act(.tabOpened(1))
    #expect(browser.state.scopes == ["alert", "prices"])
  }

  @Test func aPartThatThisUserMayNotReadIsNotAskedForAgain() throws {
    var browser = try DrivenBrowser()
    browser.take(.refused(path: "orders"))
    #expect(browser.state.scopes == ["alert"])
    #expect(browser.state.notice?.text == "this user may not read orders")
    browser.take(.released(path: "orders"))
    #expect(browser.rows == [["absent: this user may not read orders"]])
  }

  @Test func thePastIsShownInsteadOfThePresent() throws {
    var browser = try DrivenBrowser()
    var old = sampleDiner()
    old.orders = []
    let value = try #require(try part(old, at: ""))
    try browser.choose("open button")
    browser.take(.pastShown(PastState(schema: dinerSchema, value: value, revision: 3, time: 0)))
    #expect(browser.rows.isEmpty && browser.state.scopes == ["alert"])
    #expect(browser.state.choices.isEmpty)
    try browser.act(.repeatTapped)
    #expect(browser.sent == ["openButtonTapped"])
    try browser.act(.escapeTapped)
    #expect(browser.state.intent == .showPast(nil))
    browser.take(.pastShown(nil))
    try browser.supply()
    #expect(browser.rows.count == 3)
  }

  /// A user sees on which node of a cluster the terminal is, and since when the state may be stale.
  @Test func thePageOfTheHubHasItsPartInTheCluster() throws {
    var browser = try DrivenBrowser()
    browser.take(.connected(describedDiner(mayReadHub: true)))
    var status = ClusterStatus(node: "b")
    (status.leader, status.term) = ("a", 3)
    var (figures, metrics) = (HubFigures(), HubMetrics())
    metrics.cluster = status
    figures.metrics = metrics
    browser.take(.figuresChanged(figures))
    browser.take(.tabOpened(try #require(browser.state.tabs.firstIndex { $0.id == "hub" })))
    #expect(browser.rows.contains(["Cluster", "node b follows a in term 3"]))
    #expect(!browser.rows.contains { $0[0] == "Stale since" })
    (status.condition, status.staleSince) = (ClusterStatus.Condition.waiting.rawValue, 1_800_000_000_000)
    figures.metrics?.cluster = status
    browser.take(.figuresChanged(figures))
    #expect(browser.rows.contains(["Cluster", "node b: actions wait for etcd or a node that leads"]))
    #expect(browser.rows.contains { $0[0] == "Stale since" && !$0[1].isEmpty })
    #expect(!browser.rows.contains { $0[0] == "Clock" })
    status.clockDifferences = ["c": 10_000]
    figures.metrics?.cluster = status
    browser.take(.figuresChanged(figures))
    #expect(browser.rows.contains(["Clock", "that of c is 10.0 s ahead of this node's"]))
  }

  @Test func columnsAreScrolledWithinTheTable() throws {
    var browser = try DrivenBrowser()
    for _ in 0..<20 { try browser.act(.columnsScrolled(1)) }
    // One is left, beside the one that names the element.
    #expect(browser.state.page?.hiddenColumns == 6)
    for _ in 0..<20 { try browser.act(.columnsScrolled(-1)) }
    #expect(browser.state.page?.hiddenColumns == 0)
  }
}

extension DrivenBrowser {
  static func order(_ id: Int) -> DinerOrder.State { DinerOrder.State(id: id, dish: "tea", table: 1) }
}
