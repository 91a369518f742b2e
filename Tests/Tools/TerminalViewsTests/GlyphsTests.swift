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
      #expect(pieces(text, Glyphs.Form()) == [drawn])
      #expect(pieces(text, Glyphs.Form(isUnicode: false)) == [drawn])
      #expect(TextWidth.columns(of: text) == drawn.count)
      var grid = TextGrid(rows: 1, columns: 40)
      grid.text(0, 0, text, .plain)
      #expect(grid.lines == [drawn])
    }
    #expect(Glyphs.pieces("a\nb", columns: 2, Glyphs.Form()).map(\.text) == ["a "])
  }

  /// ncurses counts a column for a character that the C library does not know, whatever the terminal draws.
  @Test func unknownCharactersAreReplacedByOneOfTheirWidth() {
    #expect(TextWidth.width(of: "\u{378}") == nil)
    #expect(pieces("a\u{378}b", Glyphs.Form()) == ["a\u{FFFD}b"])
    #expect(pieces("a\u{378}b", Glyphs.Form(isUnicode: false)) == ["a?b"])
    #expect(TextWidth.columns(of: "a\u{378}b") == 3)
    for number in stride(from: UInt32(0x20), to: 0x11_0000, by: 5) {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let widths = Glyphs.glyph(Character(scalar)).unicodeScalars.map { TextWidth.width(of: $0) }
      let isFaithful = widths.reduce(0) { $0 + ($1 ?? 100) } == TextWidth.columns(of: Character(scalar))
      if !isFaithful { Issue.record("U+\(String(number, radix: 16)) has another width than its glyph") }
    }
  }

  /// A joined emoji is drawn as far as the terminal joins its parts; each form has the same width.
  @Test func joinedEmojiAreDrawnAsTheTerminalCan() {
    let (none, joining, toning) = (
      Glyphs.Form(), Glyphs.Form(joinsEmoji: true), Glyphs.Form(joinsEmoji: true, hasSkinTones: true)
    )
    for (text, forms) in [
      ("👩‍💻", ["👩", "👩‍💻", "👩‍💻"]), ("👍🏽", ["👍", "👍", "👍🏽"]), ("👩🏽‍💻", ["👩", "👩‍💻", "👩🏽‍💻"]),
      // A cell holds five scalars.
      ("👨‍👩‍👧‍👦", ["👨", "👨‍👩‍👧", "👨‍👩‍👧"]),
      // No emoji of two columns by themselves.
      ("🇩🇪", ["🇩🇪", "🇩🇪", "🇩🇪"]), ("1️⃣", ["1\u{20E3}", "1\u{20E3}", "1\u{20E3}"]),
      ("e\u{301}", ["e\u{301}", "e\u{301}", "e\u{301}"]),
    ] {
      #expect([none, joining, toning].map { pieces(text, $0) } == forms.map { [$0] }, "\(text)")
    }
    #expect(pieces("👩‍💻", Glyphs.Form(isUnicode: false, joinsEmoji: true)) == ["??"])
    #expect(
      Glyphs.pieces("a👩‍💻b👩‍💻", columns: 5, joining) == [
        Glyphs.Piece(column: 0, text: "a"), Glyphs.Piece(column: 1, text: "👩‍💻", isJoined: true),
        Glyphs.Piece(column: 3, text: "b"),
      ])
  }

  private func pieces(_ text: String, _ form: Glyphs.Form) -> [String] {
    Glyphs.pieces(text, columns: 40, form).map(\.text)
  }
}
