import Features
import Glibc
import Terminal
import TerminalViews
import Testing

@Suite struct CounterScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func screen(_ counter: Counter.State, rows: Int = 12, columns: Int = 65) -> [String] {
    var terminal = TestTerminal(rows: rows, columns: columns)
    terminal.state?.counter = counter
    return terminal.lines
  }

  @Test func aLiveCounter() {
    var counter = Counter.State(count: 28)
    counter.numberFact = "28 is perfect: it is the sum of its proper divisors."
    counter.isTimerOn = true
    #expect(
      screen(counter) == [
        "StoreHub  /run/hub.sock  live",
        "─┤1 counter├ 2 todos  3 favourites " + String(repeating: "─", count: 30),
        "",
        "                               28",
        "                  the timer counts every second",
        "",
        "      28 is perfect: it is the sum of its proper divisors.",
        "", "", "",
        String(repeating: "─", count: 65),
        "+ up  - down  f fact  t timer  u undo  tab next  ? help  q quit",
      ])
  }

  @Test func anAlertLiesOverTheCounter() {
    var counter = Counter.State(count: 1)
    counter.factAlert = FactAlert(title: "no facts today")
    let lines = screen(counter)
    #expect(lines.contains { $0.contains("┌ No fact") })
    #expect(lines.contains { $0.contains("│ no facts today       │") })
    #expect(lines.contains { $0.contains("press esc to dismiss") })
  }

  @Test func whereThereIsNoRoomForAFrameTheAlertIsPlain() {
    var counter = Counter.State(count: 1)
    counter.factAlert = FactAlert(title: "no facts today")
    #expect(screen(counter, rows: 5, columns: 20)[2...3] == ["no facts today", "press esc to dismiss"])
    counter.factAlert = FactAlert(title: "there are no facts today, nor were there any yesterday")
    #expect(screen(counter, rows: 5, columns: 20)[2...3] == ["there are no facts …", "press esc to dismiss"])
  }

  @Test func nothingJumpsWhenAPartChanges() {
    var counter = Counter.State(count: 7)
    func row(of text: String) -> Int? { screen(counter).firstIndex { $0.contains(text) } }
    let before = row(of: " 7")
    counter.isTimerOn = true
    counter.isLoadingFact = true
    #expect(row(of: " 7") == before)
    let fact = row(of: "loading a fact")
    counter.isLoadingFact = false
    counter.isTimerOn = false
    counter.numberFact = "seven"
    #expect(row(of: "seven") == fact)
  }

  @Test(
    arguments: [
      ("+", .incrementButtonTapped), (.up, .incrementButtonTapped), ("-", .decrementButtonTapped),
      (.down, .decrementButtonTapped), ("f", .numberFactButtonTapped), ("t", .toggleTimerButtonTapped),
      ("d", .factAlertDismissed), (.escape, .factAlertDismissed), ("x", nil),
    ] as [(Key, Counter.Action?)])
  func keysMeanWhatTheFooterSays(key: Key, action: Counter.Action?) {
    var terminal = TestTerminal()
    terminal.state?.counter.factAlert = FactAlert(title: "no facts today")
    #expect(terminal.press(key) == action.map { .send(.counter($0)) })
  }

  @Test func withoutAnAlertThereIsNothingToDismiss() {
    var terminal = TestTerminal(rows: 12, columns: 100)
    #expect(terminal.press("d") == nil && terminal.press(.escape) == nil)
    #expect(!terminal.lines[11].contains("d dismiss"))
    terminal.change { $0.counter.factAlert = FactAlert(title: "no facts today") }
    #expect(terminal.lines[11].contains("d dismiss"))
    #expect(terminal.press("d") == .send(.counter(.factAlertDismissed)))
  }

  /// Another user may send a text of any length, in one word, and every frame draws it. In quadratic time, this would
  /// take hours.
  @Test func aVeryLongWordIsDrawnInNoTime() {
    let word = String(repeating: "abcdefghij", count: 100_000)
    let start = ContinuousClock.now
    #expect(TextWidth.wrap(word, columns: 60).count == 16_667)
    var terminal = TestTerminal()
    terminal.change { $0.counter.numberFact = word }
    for _ in 0..<100 { #expect(terminal.lines.contains { $0.hasSuffix("…") }) }
    terminal.change { $0.counter.factAlert = FactAlert(title: word) }
    #expect(terminal.lines.contains { $0.contains("│ abcdefghij") })
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func textIsBrokenAtSpacesAndWideCharactersCountTwice() {
    #expect(TextWidth.wrap("one two three", columns: 7) == ["one two", "three"])
    #expect(TextWidth.wrap("abcdefgh", columns: 3) == ["abc", "def", "gh"])
    #expect(TextWidth.wrap("", columns: 3) == [""])
    #expect(TextWidth.wrap("one two three four", columns: 7, lines: 2) == ["one two", "three …"])
    #expect(TextWidth.wrap("one two", columns: 7, lines: 1) == ["one two"])
    #expect(TextWidth.wrap("one two", columns: 7, lines: 0) == [])
    #expect(TextWidth.wrap("a abcdefgh i", columns: 3) == ["a", "abc", "def", "gh", "i"])
    #expect(TextWidth.wrap("a水b", columns: 1) == ["a", "b"])
    #expect(TextWidth.wrap("abc" + String(repeating: "\u{301}", count: 1000), columns: 3, lines: 1) == ["ab…"])
    #expect(TextWidth.columns(of: "水e\u{301}") == 3)
    // Joined emoji, a skin tone, a flag, a conjunct of two letters, a directional mark.
    #expect(["👨‍👩‍👧", "👍🏽", "🇩🇪", "क्ष", "\u{202E}", "❤️"].map { TextWidth.columns(of: $0) } == [2, 2, 2, 2, 0, 1])
    #expect(TextWidth.prefix(of: "水水", columns: 3) == "水")
    #expect(TextWidth.fit("水水", columns: 4) == "水水")
    #expect(TextWidth.fit("水水水", columns: 4) == "水…")
    #expect(TextWidth.fit("ab", columns: 0) == "")
  }
}
