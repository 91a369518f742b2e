import ComposableArchitecture
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// What a user may not do is not offered, if the hub says so.
@Suite struct RightsTests {
  private func browser(read: [String]? = nil, act: [String]? = nil, mayReadHub: Bool = true) throws -> DrivenBrowser {
    let rights = ClientRights(
      readablePaths: try read?.map { try dinerSchema.path(named: $0) },
      actionPrefixes: try act?.map { try #require(dinerSchema.actionPrefix(of: try dinerSchema.actionPath(named: $0))) }
    )
    var browser = try DrivenBrowser()
    browser.take(.connected(HubDescription("dinerhub", dinerSchema, mayReadHub: mayReadHub, rights: rights)))
    try browser.supply()
    return browser
  }

  private func names(_ browser: DrivenBrowser) -> Set<String> { Set(browser.state.choices.map(\.entry.name)) }

  @Test func onlyReadablePartsHaveTabs() throws {
    let browser = try browser(read: ["prices", "chef.name", "chef.stars", "isOpen"])
    #expect(browser.state.tabs.map(\.title) == ["Prices", "chef.name", "chef.stars", "State", "Clients", "Hub"])
    #expect(try self.browser(read: ["orders"]).state.tabs.map(\.title) == ["Orders", "Clients", "Hub"])
    #expect(try self.browser(read: []).state.tabs.map(\.title) == ["Clients", "Hub"])
    let all = try self.browser(read: [""]).state.tabs
    #expect(try self.browser().state.tabs == all)
  }

  /// A hub closes the connection of a client that asks for what it may not read.
  @Test func nothingElseIsAskedFor() throws {
    var browser = try browser(read: ["chef.name", "isOpen"])
    try browser.act(.tabOpened(try #require(browser.state.tabs.firstIndex { $0.id == "state" })))
    #expect(browser.state.scopes == ["isOpen"])
    #expect(browser.rows == [["Is open", "no"]])
    #expect(try self.browser(read: [], mayReadHub: false).rows == [["absent: this user may not read the whole state"]])
    try browser.go("chef.name")
    #expect(browser.state.scopes == ["chef.name"])
    #expect(browser.rows == [["Ada"]])
    try browser.go("orders[1]")
    #expect(browser.state.scopes.isEmpty)
    #expect(browser.rows == [["absent: this user may not read orders[1]"]])
    try browser.go("orders")
    #expect(browser.state.scopes.isEmpty)
    #expect(browser.rows == [["absent: this user may not read orders"]])
  }

  @Test func aPathLeadsToTheTabOfItsPart() throws {
    var browser = try browser(read: ["chef.name", "orders"])
    try browser.go("chef.name")
    #expect(browser.state.tab.title == "chef.name" && browser.rows == [["Ada"]])
    try browser.go("orders[2]")
    #expect(browser.state.tab.title == "Orders" && browser.state.page?.path == "orders[2]")
    try browser.act(.pathTapped, .pathChanged("prices"), .pathEntered)
    guard case .path(let entry)? = browser.state.overlay else {
      Issue.record("the path stays to be corrected")
      return
    }
    #expect(entry.error == "this user may not read prices")
  }

  @Test func onlyPermittedActionsAreOffered() throws {
    var browser = try browser(act: ["openButtonTapped", "orders"])
    try browser.go("orders")
    let ofOrders = ["orders[].noteChanged", "orders[].stageChanged", "orders[].extraAdded", "orders[].served"]
    #expect(names(browser) == Set(ofOrders + ["openButtonTapped"]))
    #expect(try names(self.browser(act: [])).isEmpty)
    // The hub decides about the rest: a right may be for one element.
    var ofOne = try self.browser(act: ["orders[12].served"])
    try ofOne.go("orders")
    #expect(names(ofOne).contains("orders[].served"))
    #expect(!names(ofOne).contains("openButtonTapped"))
  }

  @Test func otherRightsOfTheNextConnectionAreTaken() throws {
    var browser = try browser(read: ["orders"], act: [])
    #expect(browser.state.tabs.first?.title == "Orders" && names(browser).isEmpty)
    browser.take(.linkChanged(.away))
    browser.take(.connected(describedDiner()))
    browser.take(.linkChanged(.live))
    #expect(browser.state.tabs.map(\.title).contains("Prices"))
    #expect(names(browser).contains("openButtonTapped"))
  }
}
