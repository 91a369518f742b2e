import Glibc
import Testing

@testable import Terminal

@Suite struct GlyphsTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  /// A line break would move the cursor to the next row, and other control characters would be drawn as two.
  @Test func noControlCharacterReachesTheTerminal() {
    for (text, drawn) in [
      ("one\ntwo\r\nthree\tfour", "one two three four"), ("\u{1b}[31mred\u{7}\u{0}\u{7f}", "[31mred"),
      ("a\u{85}b\u{2028}c", "a b c"),
    ] {
      #expect(Glyphs.text(text, columns: 40, isUnicode: true) == drawn)
      #expect(Glyphs.text(text, columns: 40, isUnicode: false) == drawn)
      #expect(TextWidth.columns(of: text) == drawn.count)
      var grid = TextGrid(rows: 1, columns: 40)
      grid.text(0, 0, text, .plain)
      #expect(grid.lines == [drawn])
    }
    #expect(Glyphs.text("a\nb", columns: 2, isUnicode: true) == "a ")
  }
}
