import Features
import Glibc
import ReplicaCore
import Terminal
import TerminalViews
import Testing

@Suite struct CounterScreenTests {
  /// wcwidth(3) asks the locale how wide a character is.
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func screen(
    _ counter: Counter.State?, _ connection: ConnectionState, rows: Int = 12, columns: Int = 60
  ) -> [String] {
    var grid = TextGrid(rows: rows, columns: columns)
    CounterScreen(counter: counter, connection: connection, path: "/run/hub.sock", now: .seconds(100)).draw(on: &grid)
    return grid.lines
  }

  @Test func aLiveCounter() {
    var counter = Counter.State(count: 28)
    counter.numberFact = "28 is perfect: it is the sum of its proper divisors."
    counter.isTimerOn = true
    let rule = String(repeating: "─", count: 60)
    #expect(
      screen(counter, .live) == [
        "StoreHub  /run/hub.sock  live",
        rule,
        "",
        "                             28",
        "               the timer counts every second",
        "",
        "    28 is perfect: it is the sum of its proper divisors.",
        "", "", "",
        rule,
        "+ up   - down   f fact   t timer   d dismiss   q quit",
      ])
  }

  @Test func anAlertLiesOverTheCounter() {
    var counter = Counter.State(count: 1)
    counter.factAlert = FactAlert(title: "no facts today")
    let lines = screen(counter, .live)
    #expect(lines.contains { $0.contains("┌ No fact") })
    #expect(lines.contains { $0.contains("│ no facts today   │") })
    #expect(lines.contains { $0.contains("d dismisses this") })
  }

  @Test func aHubThatIsAwayIsNamedWithTheAgeOfWhatIsShown() {
    let connection = ConnectionState.stale(since: .seconds(88), attempt: 3, reason: "gone")
    let lines = screen(Counter.State(count: 5), connection, columns: 80)
    #expect(lines[0] == "StoreHub  /run/hub.sock  hub away, this is 12 s old; reconnecting, attempt 3")
    #expect(lines.contains { $0.contains("5") })
  }

  @Test func withoutAStateItSaysWhatItWaitsFor() {
    let lines = screen(nil, .connecting(attempt: 4, failure: "cannot connect: nobody there"))
    #expect(lines[0].contains("no hub yet, attempt 4"))
    #expect(lines.contains { $0.contains("waiting for the hub") })
    #expect(lines.contains { $0.contains("nobody there") })
  }

  @Test func nothingJumpsWhenAPartChanges() {
    var counter = Counter.State(count: 7)
    func row(of text: String) -> Int? { screen(counter, .live).firstIndex { $0.contains(text) } }
    let before = row(of: "7")
    counter.isTimerOn = true
    counter.isLoadingFact = true
    #expect(row(of: " 7") == before)
    let fact = row(of: "looking for a fact")
    counter.isLoadingFact = false
    counter.isTimerOn = false
    counter.numberFact = "seven"
    #expect(row(of: "seven") == fact)
  }

  @Test(arguments: [(1, 1), (2, 5), (3, 10), (5, 20), (10, 40), (24, 80), (60, 200)])
  func everySizeIsDrawn(rows: Int, columns: Int) {
    var counter = Counter.State(count: .min)
    counter.numberFact = String(repeating: "wörter 水 ", count: 30)
    counter.factAlert = FactAlert(title: String(repeating: "x", count: 300))
    for connection in [ConnectionState.live, .refused(reason: String(repeating: "y", count: 300))] {
      let lines = screen(counter, connection, rows: rows, columns: columns)
      #expect(lines.count == rows)
    }
  }

  @Test func keysMeanWhatTheFooterSays() {
    #expect(CounterScreen.intent(of: .character("+")) == .send(.incrementButtonTapped))
    #expect(CounterScreen.intent(of: .up) == .send(.incrementButtonTapped))
    #expect(CounterScreen.intent(of: .character("-")) == .send(.decrementButtonTapped))
    #expect(CounterScreen.intent(of: .character("f")) == .send(.numberFactButtonTapped))
    #expect(CounterScreen.intent(of: .character("t")) == .send(.toggleTimerButtonTapped))
    #expect(CounterScreen.intent(of: .character("d")) == .send(.factAlertDismissed))
    #expect(CounterScreen.intent(of: .character("q")) == .quit)
    #expect(CounterScreen.intent(of: .control("c")) == .quit)
    #expect(CounterScreen.intent(of: .character("x")) == nil)
  }

  @Test func textIsBrokenAtSpacesAndWideCharactersCountTwice() {
    #expect(TextWidth.wrap("one two three", columns: 7) == ["one two", "three"])
    #expect(TextWidth.wrap("abcdefgh", columns: 3) == ["abc", "def", "gh"])
    #expect(TextWidth.wrap("", columns: 3) == [""])
    #expect(TextWidth.columns(of: "水e\u{301}") == 3)
    #expect(TextWidth.prefix(of: "水水", columns: 3) == "水")
  }
}
