import Features
import Glibc
import Terminal
import TerminalViews
import Testing

@Suite struct CounterScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func screen(_ counter: Counter.State, rows: Int = 12, columns: Int = 65) -> [String] {
    let terminal = TestTerminal(rows: rows, columns: columns)
    terminal.change { $0.counter = counter }
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
        "", "", "",
        "                               28",
        "                  the timer counts every second",
        "",
        "      28 is perfect: it is the sum of its proper divisors.",
        "",
        String(repeating: "─", count: 65),
        "+ up  - down  f fact  t timer  u undo  tab next  ? help  q quit",
      ])
  }

  @Test func anAlertLiesOverTheCounter() {
    var counter = Counter.State(count: 1)
    counter.factAlert = FactAlert(title: "no facts today")
    let lines = screen(counter)
    #expect(lines.contains { $0.contains("┌ No fact") })
    #expect(lines.contains { $0.contains("│ no facts today │") })
    #expect(lines.contains { $0.contains("[ Dismiss ]") })
  }

  @Test func whereThereIsNoRoomForAFrameTheAlertIsPlain() {
    var counter = Counter.State(count: 1)
    counter.factAlert = FactAlert(title: "there are no facts today, nor were there any yesterday")
    #expect(screen(counter, rows: 5, columns: 20)[1...3] == ["No fact", "there are no facts …", "    [ Dismiss ]"])
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
      ("+", .incrementButtonTapped), ("=", .incrementButtonTapped), (.up, .incrementButtonTapped),
      ("-", .decrementButtonTapped), (.down, .decrementButtonTapped), ("f", .numberFactButtonTapped),
      ("t", .toggleTimerButtonTapped), ("d", nil), (.escape, nil), ("x", nil),
    ] as [(Key, Counter.Action?)])
  func keysMeanWhatTheFooterSays(key: Key, action: Counter.Action?) {
    #expect(TestTerminal().press(key) == action.map { .send(.counter($0)) })
  }

  /// A key for the number must not be taken for an answer.
  @Test(arguments: [("d", true), (.escape, true), (.enter, true), ("+", false), (.up, false)] as [(Key, Bool)])
  func anAlertIsDismissedFirst(key: Key, isDismissed: Bool) {
    let terminal = TestTerminal(rows: 12, columns: 80)
    terminal.change { $0.counter.factAlert = FactAlert(title: "no facts today") }
    #expect(terminal.lines[11] == "enter dismiss   esc dismiss   tab next   ? help   q quit")
    #expect(terminal.press(key) == (isDismissed ? .send(.counter(.factAlertDismissed)) : nil))
    // It covers its own screen only.
    terminal.press(.tab)
    #expect(terminal.open == "2 todos" && !terminal.lines.contains { $0.contains("no facts today") })
  }

  /// Another user may send a text of any length, in one word, and every frame draws it. In quadratic time, this would
  /// take hours.
  @Test func aVeryLongWordIsDrawnInNoTime() {
    let word = String(repeating: "abcdefghij", count: 100_000)
    let start = processorTime()
    #expect(TextWidth.wrap(word, columns: 60).count == 16_667)
    let terminal = TestTerminal()
    terminal.change { $0.counter.numberFact = word }
    for _ in 0..<100 {
      terminal.press(.other)
      #expect(terminal.lines.contains { $0.hasSuffix("…") })
    }
    terminal.change { $0.counter.factAlert = FactAlert(title: word) }
    #expect(terminal.lines.contains { $0.contains("│ abcdefghij") })
    #expect(processorTime() - start < .seconds(120))
  }

  /// The processor time of this thread: pauses do not count.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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
