import Glibc
import Terminal
import TerminalUI
import Testing

@Suite(.timeLimit(.minutes(30))) struct TextLineTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func line(_ text: String = "", _ keys: Key...) -> TextLine {
    var line = TextLine(text)
    for key in keys { line.pressed(key) }
    return line
  }

  private func drawn(_ line: TextLine, column: Int = 0, columns: Int) -> (line: String, cursor: String) {
    var grid = TextGrid(rows: 1, columns: columns)
    line.draw(0, column, on: &grid)
    let cursor = grid.styledLines[0].matches(of: /<reversed>(.*?)<\/>/).map { String($0.1) }
    return (grid.lines[0], cursor.joined())
  }

  @Test func charactersAreTakenWhereTheCursorIs() {
    #expect(line("bred", .left, "a").text == "bread")
    #expect(line("read", .home, "b").text == "bread")
    #expect(line("brea", .home, .end, "d").text == "bread")
    #expect(line("bred", .home, .right, .right, .right, "a").text == "bread")
    #expect(line("b", .left, .left, .right, .right, .right, "r").text == "br")
  }

  @Test func whatComesAsTwoKeysIsOneCharacter() {
    // "é" with a combining accent, and the two halves of a flag, as a terminal sends them.
    #expect(line("", "e", "\u{301}", "x", .left, .left, .delete).text == "x")
    #expect(line("caf", "e", "\u{301}", .backspace).text == "caf")
    #expect(line("", "\u{1F1E9}", "\u{1F1EA}", .backspace).text == "")
    #expect(line("水曜", .backspace, .left, "火").text == "火水")
  }

  @Test func piecesAreTakenAway() {
    #expect(line("bread", .backspace, .backspace).text == "bre")
    #expect(line("bread", .home, .delete).text == "read")
    #expect(line("", .backspace, .delete).text == "")
    #expect(line("bread and milk", .control("w")).text == "bread and ")
    #expect(line("bread and  ", .control("w")).text == "bread ")
    #expect(line("bread", .left, .left, .control("u")).text == "ad")
    #expect(line("bread", .left, .left, .control("k")).text == "bre")
    #expect(line("bread", .up, .enter, .other, .tab).text == "bread")
  }

  @Test func aLineEndsSomewhere() {
    let full = String(repeating: "é", count: TextLine.limit / 2)
    #expect(line(full, "x").text == full)
    #expect(line(full, .backspace, "x").text.utf8.count == TextLine.limit - 1)
  }

  /// Editing and drawing once cost O(n) for each key: pasting a megabyte took minutes.
  @Test func aLongPasteCostsNoMoreThanItsKeys() {
    var line = TextLine()
    for _ in 0..<1_000_000 { line.pressed("x") }
    #expect(line.text.utf8.count == TextLine.limit)
    for _ in 0..<TextLine.limit { line.pressed(.left) }
    for _ in 0..<TextLine.limit { line.pressed(.right) }
    #expect(drawn(line, columns: 5) == ("xxxx", " "))
    // Only the visible part of the line is drawn.
    var canvas = CountingCanvas()
    line.draw(0, 0, on: &canvas)
    line.pressed(.home)
    line.draw(0, 0, on: &canvas)
    #expect(canvas.characterCount <= 2 * canvas.size.columns + 2)
  }

  @Test func aLongTextIsFittedByItsBeginning() {
    let (long, invisible) = (String(repeating: "x", count: 1 << 20), String(repeating: "\u{200B}", count: 1 << 20))
    for _ in 0..<1000 {
      #expect(TextWidth.fit(long, columns: 5) == "xxxx…")
      #expect(TextWidth.columns(of: TextWidth.fit(invisible, columns: 5)) == 1)
    }
    #expect(TextWidth.fit("水曜日", columns: 6) == "水曜日" && TextWidth.fit("水曜日", columns: 5) == "水曜…")
    #expect(TextWidth.fit("abc", columns: 0) == "" && TextWidth.fit("", columns: 0) == "")
  }

  @Test func spacesAloneAreNothing() {
    #expect(TextLine("").isBlank && TextLine(" \u{a0}").isBlank && !TextLine(" x").isBlank)
  }

  @Test func theCursorStandsOnACharacterOrBehindTheLast() {
    #expect(drawn(line("水e"), columns: 10) == ("水e", " "))
    #expect(drawn(line("水e", .left), columns: 10) == ("水e", "e"))
    #expect(drawn(line("水e", .left, .left), columns: 10) == ("水e", "水"))
  }

  @Test func ofALongLineThePartAtTheCursorIsShown() {
    #expect(drawn(line("abcdefgh"), columns: 5) == ("efgh", " "))
    #expect(drawn(line("abcdefgh", .left, .left), columns: 5) == ("cdefg", "g"))
    #expect(drawn(line("abcdefgh", .home), columns: 5) == ("abcde", "a"))
    // A wide character that does not fit completely is omitted.
    #expect(drawn(line("水火木"), columns: 6) == ("火木", " "))
    #expect(drawn(line("水火木"), column: 2, columns: 6) == ("  木", " "))
    #expect(drawn(line("水"), columns: 1) == ("", " "))
  }
}

/// A canvas that counts the drawn characters.
private struct CountingCanvas: Canvas {
  let size = CanvasSize(rows: 1, columns: 80)
  var characterCount = 0

  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) { characterCount += text.count }
}
