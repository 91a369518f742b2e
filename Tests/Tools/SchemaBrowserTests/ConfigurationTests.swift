import SchemaBrowser
import TestFeatures
import Testing

@Suite struct BrowserConfigurationTests {
  private let text = """
    ; how the kitchen sees it
    [screen]
    title = Kitchen
    tabs = orders, state
    [tab-titles]
    orders = Dishes
    [table orders]
    columns = id, dish, stage
    title.dish = Plate
    sort = dish descending
    [format]
    durations = seconds
    decimals = 1
    [keys]
    x = orders[].served
    [actions]
    hidden = hubStarted, crowdArrived
    """

  @Test func tabsColumnsTitlesSortingFormatsAndKeysAreConfigured() throws {
    var configuration = BrowserConfiguration()
    try configuration.read(text)
    let browser = try DrivenBrowser(sampleDiner(), configuration)
    #expect(browser.state.tabs.map(\.title) == ["Dishes", "State"])
    #expect(browser.headings == ["Id", "Plate", "Stage"])
    #expect(browser.rows.map { $0[1] } == ["pancakes", "fish soup", "Apple pie"])
    #expect(configuration.keys == ["x": "orders[].served"])
    #expect(configuration.format.durations == .seconds && configuration.format.decimals == 1)
  }

  @Test func thePrintedConfigurationIsTheSame() throws {
    var configuration = BrowserConfiguration()
    try configuration.read(text)
    var again = BrowserConfiguration()
    try again.read(configuration.text(for: describedDiner()))
    #expect(again == configuration)
    var empty = BrowserConfiguration()
    try empty.read(BrowserConfiguration().text(for: describedDiner()))
    #expect(empty == BrowserConfiguration())
  }

  @Test(
    arguments: [
      ("[screen]\ntabz = a", "line 2: there is no setting 'tabz' here, only title, tabs"),
      ("[scren]\ntitle = a", "line 2: there is no section [scren]"),
      ("title = a", "line 1: a setting must stand below"),
      ("[keys]\nq = a", "line 2: the key 'q' has a meaning of its own"),
      ("[keys]\nqq = a", "line 2: a key is one character"),
      ("[format]\ndates = soon", "line 2: expected one of local, utc, relative, not 'soon'"),
      ("[table a]\nsort = b c", "line 2: sort needs the name of a column"), ("[x\n", "line 1: "),
    ])
  func aMistakeIsNamedWithItsLine(text: String, reason: String) {
    var configuration = BrowserConfiguration()
    let error = #expect(throws: BrowserConfigurationError.self) { try configuration.read(text) }
    #expect(error?.description.hasPrefix(reason) == true, "\(error?.description ?? "")")
  }

  @Test func aFileForAnotherVersionStillShowsSomething() throws {
    var configuration = BrowserConfiguration()
    configuration.tabs = ["gone"]
    configuration.tables["orders"] = .init(columns: ["gone"])
    let browser = try DrivenBrowser(sampleDiner(), configuration)
    #expect(browser.state.tabs.count == 4 && browser.headings.count == 8)
  }
}
