import ComposableArchitecture
import IdentifiedCollections
import SchemaBrowser
import TestFeatures
import Testing
import Wire

/// Features with more parts than a hub lets a client subscribe to.
@Suite struct LimitTests {
  @Replicated
  struct Wide: Equatable, Sendable {
    var count = 7
    var a = [Row()], b = [Row()], c = [Row()], d = [Row()], e = [Row()], f = [Row()], g = [Row()], h = [Row()]
    var i = [Row()], j = [Row()], k = [Row()], l = [Row()]
  }

  @Replicated
  struct Row: Equatable, Sendable { var name = "row" }

  @Replicated
  struct Root: Equatable, Sendable { var wide = Wide() }

  /// The rows of those for which there was no room were once awaited for ever.
  @Test func collectionsWithoutRoomForAPreviewAreOpened() {
    var browser = WindowedBrowser(Root(), of: Bool.self, limit: 64)
    #expect(browser.form.contains(["Count", "7"]) && browser.form.contains(["J", "1 item"]), "\(browser.form)")
    #expect(browser.form.contains(["L", "opens its own screen"]))
    browser.act(.rowOpened("l"))
    #expect(browser.table?.count == 1)
  }

  /// The page once had no room beside the places of alerts.
  @Test func aPageIsLoadedBesideManyPlacesOfAlerts() {
    let prompt = SchemaType.named("Optional", [.named("AlertState", [.definition(2)])])
    var schema = Schema(state: Root.self, action: Bool.self)
    schema.state = .definition(0)
    schema.action = .definition(1)
    let names = (0..<60).map { "alert\($0)" }
    schema.definitions = [
      .init(
        name: "State",
        content: .fields(
          [.init(key: 100, name: "rows", type: .named("Array", [.named("Int")]), hasDefault: false)]
            + names.enumerated().map { .init(key: UInt64($0), name: $1, type: prompt, hasDefault: true) })),
      .init(
        name: "Action",
        content: .cases(
          names.enumerated().map {
            .init(key: UInt64($0), name: $1, payload: [.init(label: "", type: .definition(2))])
          })),
      .init(name: "Answer", content: .cases([.init(key: 0, name: "yes", payload: [])])),
    ]
    var state = Browser.State()
    _ = Browser().reduce(into: &state, action: .connected(HubDescription("alerts", schema)))
    #expect(state.hub?.prompts.count == 60 && state.tab.path == "rows")
    #expect(state.scopes.contains("rows") && state.scopes.count == 48)
  }
}
