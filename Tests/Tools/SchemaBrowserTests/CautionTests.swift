import ComposableArchitecture
import Foundation
import IdentifiedCollections
import SchemaBrowser
import TestFeatures
import Testing
import Wire

/// A terminal sends nothing that its user did not mean.
@Suite struct CautionTests {
  @Test func withoutACursorNothingIsDoneToARow() throws {
    var configuration = BrowserConfiguration()
    configuration.keys["x"] = "orders[].served"
    var browser = try DrivenBrowser(sampleDiner(), configuration)
    #expect(browser.state.page?.selected == "[1]")
    try browser.change { _ = $0.orders.remove(id: 1) }
    #expect(browser.state.selectedRow == nil && browser.state.element == nil)
    try browser.act(.boundKeyTapped("x"))
    #expect(browser.sent.isEmpty && browser.state.notice?.isBad == true)
    try browser.act(.rowSelected("[12]"), .boundKeyTapped("x"))
    #expect(browser.sent == ["orders[12].served"])
  }

  @Test func anotherFeatureGetsNoneOfTheLastActions() throws {
    var browser = try DrivenBrowser()
    try browser.choose("open button")
    browser.take(.connected(HubDescription("otherhub", relabelled("number"))))
    browser.take(.timePassed(now: .seconds(300), wallTime: 0))
    try browser.act(.repeatTapped, .recentTapped, .recentChosen(0))
    #expect(browser.sent == ["openButtonTapped"] && browser.state.recent.isEmpty)
  }

  /// The first line goes away with the second key.
  @Test func eachKeyThatDoesNotCountIsToldSo() throws {
    var browser = try DrivenBrowser()
    try browser.choose("open button")
    browser.take(.linkChanged(.away))
    browser.take(.linkChanged(.live))
    let before = browser.state.noticeCount
    try browser.act(.repeatTapped, .repeatTapped)
    #expect(browser.sent == ["openButtonTapped"] && browser.state.notice?.isBad == true)
    #expect(browser.state.noticeCount == before + 2)
  }

  @Test func refusedPartsAreAskedForOnceMoreAfterALoss() throws {
    var browser = try DrivenBrowser()
    browser.take(.refused(path: "orders"))
    #expect(browser.state.scopes == ["alert"])
    browser.take(.linkChanged(.away))
    browser.take(.linkChanged(.live))
    #expect(browser.state.scopes == ["alert", "orders"])
  }

  @Test func aPromptNeedsActionsOfTheTypeOfItsButtons() {
    #expect(describedDiner().prompts.map(\.path) == ["alert"])
    let other = dinerSchema.changingCases { item in
      if item.name == "presented" { item.payload[0].type = .named("Int") }
    }
    #expect(HubDescription("dinerhub", other).prompts.isEmpty)
  }

  @Test(
    arguments: [
      ("orderID", "orders"), ("orderId", "orders"), ("ordersID", "orders"), ("ordinalID", nil), ("ordersOfDayID", nil),
      ("id", nil), ("", nil), ("orderid", nil), ("table", nil),
    ])
  func onlyAValueThatIsNamedForTheElementsIsAnID(label: String, collection: String?) {
    let hub = HubDescription("dinerhub", relabelled(label))
    #expect(hub.actions.first { $0.name == "cancelButtonTapped" }?.collection == collection)
  }

  @Test func twoValuesThatFitAreAskedFor() {
    let schema = dinerSchema.changingCases { item in
      if item.name == "cancelButtonTapped" { item.payload.append(item.payload[0]) }
    }
    let entry = HubDescription("dinerhub", schema).actions.first { $0.name == "cancelButtonTapped" }
    #expect(entry?.collection == nil && entry?.payload.count == 2)
  }

  @Test func aKeyThatWasMeantForAClosedFormSendsNothing() throws {
    var browser = try DrivenBrowser()
    try browser.choose("note changed")
    try browser.act(.formSubmitted, .repeatTapped)
    #expect(browser.state.overlay == nil && browser.sent.count == 1)
    browser.take(.timePassed(now: .seconds(300), wallTime: 0))
    try browser.act(.repeatTapped)
    #expect(browser.sent.count == 2)
  }

  /// What was typed next was once taken for keys of the page.
  @Test func aFormIsFilledInWhileTheHubIsAway() throws {
    var browser = try DrivenBrowser()
    browser.take(.linkChanged(.away))
    try browser.choose("note changed")
    try browser.act(.formChanged(place: [0], .text("hot")), .formSubmitted)
    guard case .form(let form)? = browser.state.overlay else {
      Issue.record("the form stays")
      return
    }
    #expect(browser.sent.isEmpty && form.error?.reason == "the hub is away")
    browser.take(.linkChanged(.live))
    try browser.act(.formSubmitted)
    #expect(browser.sent == [#"orders[1].noteChanged "hot""#])
  }

  @Test func thePaletteStaysOpenWhileTheHubIsAway() throws {
    var browser = try DrivenBrowser()
    browser.take(.linkChanged(.away))
    try browser.choose("open button")
    #expect(browser.sent.isEmpty && browser.state.overlay != nil && browser.state.notice?.text == "the hub is away")
    browser.take(.linkChanged(.live))
    try browser.act(.paletteEntered)
    #expect(browser.sent == ["openButtonTapped"])
  }

  /// What was typed was once on the screen, but not in the form.
  @Test func whatIsTypedWhileAFormIsOnItsWayIsKept() throws {
    var browser = try DrivenBrowser()
    try browser.choose("note changed")
    browser.take(.formSubmitted)
    let number = try #require(browser.state.pending.keys.first)
    browser.take(.formChanged(place: [0], .text("hot")))
    browser.take(.answered(number: number, Refusal("no")))
    try browser.act(.formSubmitted)
    #expect(browser.sent == [#"orders[1].noteChanged "hot""#])
  }

  @Test func aPromptThatWasCoveredGetsNoKeyAtOnce() throws {
    var browser = try DrivenBrowser()
    try browser.act(.pathTapped)
    try browser.change { _ = Diner().reduce(into: &$0, action: .cancelButtonTapped(orderID: 2)) }
    browser.take(.timePassed(now: .seconds(300), wallTime: 0))
    try browser.act(.overlayClosed, .promptAnswered(0))
    #expect(browser.sent.isEmpty && browser.state.prompt != nil)
    browser.take(.timePassed(now: .seconds(301), wallTime: 0))
    try browser.act(.promptAnswered(0))
    #expect(browser.sent == ["alert.presented.cancelConfirmed 2"])
  }

  @Test func theReturnToThePresentIsQuiet() throws {
    var browser = try DrivenBrowser()
    try browser.choose("open button")
    browser.take(.pastShown(nil))
    try browser.act(.repeatTapped)
    #expect(browser.sent.count == 1)
  }

  @Test func aFormForManyNestedFieldsIsBounded() {
    var schema = dinerSchema
    let wide = SchemaType.definition(schema.definitions.count)
    schema.definitions.append(
      Schema.Definition(
        name: "Wide",
        content: .fields((0..<50).map { .init(key: $0, name: "field\($0)", type: wide, hasDefault: false) })))
    #expect(FieldNode("", wide, in: schema).lines(at: []).count <= FieldNode.countLimit)
  }

  /// The diner with another label for the id of the order to cancel.
  private func relabelled(_ label: String) -> Schema {
    dinerSchema.changingCases { item in
      if item.name == "cancelButtonTapped" { item.payload[0].label = label }
    }
  }
}

extension Schema {
  /// A schema with other cases.
  fileprivate func changingCases(_ body: (inout Case) -> Void) -> Schema {
    var schema = self
    for index in schema.definitions.indices {
      guard case .cases(var cases) = schema.definitions[index].content else { continue }
      for index in cases.indices { body(&cases[index]) }
      schema.definitions[index].content = .cases(cases)
    }
    return schema
  }
}
