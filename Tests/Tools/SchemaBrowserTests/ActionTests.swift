import ComposableArchitecture
import ComposableTesting
import Foundation
import IdentifiedCollections
import SchemaBrowser
import TestFeatures
import Testing
import Wire

@Suite struct BrowserActionTests {
  @Test func theActionsOfTheSelectedRowComeFirstWithItsID() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowSelected("[2]"))
    #expect(
      browser.state.choices.prefix(5).map(\.name) == [
        "orders[2].noteChanged", "orders[2].stageChanged", "orders[2].extraAdded", "orders[2].served",
        "cancelButtonTapped",
      ])
    #expect(browser.state.choices[4].element == "[2]")
    #expect(browser.state.choices.last?.name == "hubStarted")
  }

  @Test func anActionWithoutValuesIsSentFromThePalette() throws {
    var browser = try DrivenBrowser()
    try browser.act(.rowSelected("[2]"))
    try browser.choose("served")
    #expect(browser.sent == ["orders[2].served"])
    #expect(browser.state.notice == Notice("done: orders[2].served"))
  }

  @Test func aFormAsksForTheValuesOfAnAction() throws {
    var browser = try DrivenBrowser()
    try browser.choose("order added")
    #expect(browser.form?.draft.lines.map(\.label) == ["Dish", "Table", "Note"])
    try browser.act(
      .formChanged(place: browser.place("Dish"), .text("tea")), .formChanged(place: browser.place("Table"), .text("x")),
      .formSubmitted)
    #expect(browser.form?.error?.reason == "expected a value of type Int, not the string \"x\"")
    #expect(browser.form?.error?.place == browser.place("Table") && browser.sent.isEmpty)
    try browser.act(.formChanged(place: browser.place("Table"), .text("7")), .formSubmitted)
    #expect(browser.sent == [#"orderAdded "tea" 7 null"#])
    #expect(browser.state.overlay == nil)
  }

  @Test func anEnumIsChosenWithItsValues() throws {
    var browser = try DrivenBrowser()
    try browser.choose("stage changed")
    let choice = try #require(browser.form?.draft.lines.first)
    try browser.act(.formChanged(place: choice.place, .chosen(1)))
    try browser.act(.formChanged(place: browser.place("Minutes"), .text("9")), .formSubmitted)
    #expect(browser.sent == ["orders[1].stageChanged.onTheStove 9"])
  }

  @Test func anOptionalStructIsBegunAndLeftOut() throws {
    var browser = try DrivenBrowser()
    try browser.choose("chef changed")
    try browser.act(.formSubmitted)
    try browser.choose("chef changed")
    let optional = try #require(browser.form?.draft.lines.first)
    try browser.act(.formChanged(place: optional.place, .isOn(true)))
    try browser.act(
      .formChanged(place: browser.place("Name"), .text("Bo")), .formChanged(place: browser.place("Stars"), .text("2")),
      .formSubmitted)
    #expect(browser.sent.first == "chefChanged null")
    #expect(browser.sent.last?.contains(#""name":"Bo","stars":2"#) == true)
  }

  @Test func anIDIsCompletedByThoseThatExist() throws {
    var browser = try DrivenBrowser()
    browser.take(.tabOpened(1))
    try browser.act(.pathTapped, .overlayClosed)
    try browser.choose("cancel button")
    #expect(browser.form?.draft.lines.map(\.label) == ["Order ID"])
    // The orders are not on this screen.
    try browser.act(.formCompleted(place: browser.place("Order ID")))
    #expect(browser.state.notice?.text == "nothing completes this")
  }

  @Test func theLastActionsAreRepeatedWithOneKey() throws {
    var browser = try DrivenBrowser()
    try browser.choose("open button")
    try browser.choose("served")
    try browser.act(.repeatTapped, .recentTapped, .recentChosen(1))
    #expect(browser.sent == ["openButtonTapped", "orders[1].served", "orders[1].served", "openButtonTapped"])
    #expect(browser.state.recent.map(\.text) == ["openButtonTapped", "orders[1].served"])
  }

  @Test func aRefusalIsShownInTheFormThatWasSent() throws {
    var browser = try DrivenBrowser()
    try browser.choose("note changed")
    browser.take(.formSubmitted)
    let number = try #require(browser.state.pending.keys.first)
    browser.take(.answered(number: number, Refusal("not today", isForLackOfRights: true)))
    #expect(browser.form?.error?.reason == "not today" && browser.form?.pending == nil)
    // What this user may not do is not offered again.
    try browser.act(.overlayClosed)
    #expect(!browser.state.choices.contains { $0.entry.name == "orders[].noteChanged" })
  }

  @Test func anAlertOfTheSharedStateIsADialogWhoseButtonsSendTheirActions() throws {
    var browser = try DrivenBrowser()
    try browser.change { state in
      _ = Diner().reduce(into: &state, action: .cancelButtonTapped(orderID: 2))
    }
    let prompt = try #require(browser.state.prompt)
    #expect(prompt.title == "Cancel pancakes?" && prompt.message == "Table 2 will not get it.")
    #expect(prompt.buttons.map(\.label) == ["Cancel it", "Keep it"])
    #expect(prompt.buttons.map(\.isDestructive) == [true, false])
    // A key that was on its way to the screen below does nothing.
    try browser.act(.promptAnswered(0))
    #expect(browser.sent.isEmpty && browser.state.notice?.isBad == true)
    browser.take(.timePassed(now: .seconds(300), wallTime: 0))
    try browser.act(.promptAnswered(0))
    #expect(browser.sent == ["alert.presented.cancelConfirmed 2"])
    try browser.act(.promptAnswered(1), .promptAnswered(nil))
    #expect(browser.sent.dropFirst() == ["alert.dismiss", "alert.dismiss"])
  }

  @Test func nothingIsSentWhileTheHubIsAwayOrJustBack() throws {
    var configuration = BrowserConfiguration()
    configuration.keys["x"] = "orders[].served"
    var browser = try DrivenBrowser(sampleDiner(), configuration)
    browser.take(.linkChanged(.away))
    try browser.act(.boundKeyTapped("x"))
    #expect(browser.sent.isEmpty && browser.state.notice?.text == "the hub is away")
    browser.take(.linkChanged(.live))
    try browser.act(.boundKeyTapped("x"))
    #expect(browser.sent.isEmpty)
    browser.take(.timePassed(now: .seconds(300), wallTime: 0))
    try browser.act(.boundKeyTapped("x"))
    #expect(browser.sent == ["orders[1].served"])
  }

  @Test func anElementThatWasRemovedMeanwhileIsNotSentFor() throws {
    var browser = try DrivenBrowser()
    try browser.choose("note changed")
    try browser.change { _ = $0.orders.remove(id: 1) }
    try browser.act(.formSubmitted)
    #expect(browser.form?.error?.reason == "orders[1] was removed meanwhile" && browser.sent.isEmpty)
  }

  @Test func hiddenActionsAreNotOffered() throws {
    var configuration = BrowserConfiguration()
    configuration.hiddenActions = ["orders", "hubStarted"]
    let browser = try DrivenBrowser(sampleDiner(), configuration)
    #expect(browser.state.choices.map(\.entry.name).allSatisfy { !$0.hasPrefix("orders[") && $0 != "hubStarted" })
    #expect(browser.state.choices.contains { $0.entry.name == "orderAdded" })
  }

  @Test @MainActor func anActionGoesToTheHubAndItsOutcomeComesBack() async {
    let store = TestStore(initialState: Browser.State()) {
      Browser()
    } withDependencies: {
      $0.browserHub = BrowserHub { action in
        if action != .unsigned(4) { throw RefusedForTest() }
      }
    }
    store.exhaustivity = .off
    await store.send(.connected(describedDiner()))
    await store.send(.linkChanged(.live))
    for choice in [4, 8] {
      await store.send(.timePassed(now: .seconds(choice), wallTime: 0))
      let name = choice == 4 ? "openButtonTapped" : "hubStarted"
      guard let choice = store.state.choices.first(where: { $0.name == name }) else {
        Issue.record("\(name) is offered")
        return
      }
      await store.send(.actionChosen(choice))
      await store.receive(\.answered)
    }
    #expect(store.state.pending.isEmpty && store.state.notice == Notice("hubStarted: refused", isBad: true))
    #expect(store.state.recent.map(\.text) == ["hubStarted", "openButtonTapped"])
  }
}

private struct RefusedForTest: Error, CustomStringConvertible {
  let description = "refused"
}
