import CustomDump
import Testing

@Suite struct StringTests {
  @Test func linesAreDumpedAsLines() {
    #expect(
      dumped("Hello,\nWorld!") == #"""
        """
        Hello,
        World!
        """
        """#)
    #expect(dumped("Hello,\nWorld!"[...]) == dumped("Hello,\nWorld!"))
  }

  @Test func aFieldsLinesAreIndented() {
    #expect(
      dumped(Note(title: "T", body: "One\n\nTwo"))
        == [
          "Note(",
          "  title: \"T\",",
          "  body: \"\"\"",
          "    One",
          "    ",
          "    Two",
          "    \"\"\"",
          ")",
        ].joined(separator: "\n"))
  }

  @Test func theDelimiterIsNotInTheText() {
    #expect(dumped("a\n\"\"\"") == "#\"\"\"\na\n\"\"\"\n\"\"\"#")
    #expect(dumped("a\n\"\"\"#") == "##\"\"\"\na\n\"\"\"#\n\"\"\"##")
  }

  @Test func carriageReturnsShow() {
    #expect(dumped("a\r\nb") == "\"\"\"\na\\r\nb\n\"\"\"")
  }

  @Test func linesAreComparedOneByOne() {
    #expect(
      diff("Hello,\nWorld!\nBye", "Hello,\nBlob!\nBye") == #"""
          """
          Hello,
        - World!
        + Blob!
          Bye
          """
        """#)
  }

  @Test func aFieldsLinesAreComparedToo() {
    #expect(
      diff(Note(title: "T", body: "One\n\nTwo"), Note(title: "T", body: "One\n\nThree\nFour"))
        == [
          "  Note(",
          "    title: \"T\",",
          "    body: \"\"\"",
          "      One",
          "      ",
          "-     Two",
          "+     Three",
          "+     Four",
          "      \"\"\"",
          "  )",
        ].joined(separator: "\n"))
  }

  @Test func anUnchangedTextIsShortened() {
    #expect(
      diff(Note(title: "A", body: "One\nTwo"), Note(title: "B", body: "One\nTwo")) == """
          Note(
        -   title: "A",
        +   title: "B",
            body: "…"
          )
        """)
  }

  @Test func oneLineAgainstSeveral() {
    #expect(
      diff("a", "a\nb") == #"""
          """
          a
        + b
          """
        """#)
    #expect(diff("a\n", "") == "  \"\"\"\n- a\n- \n  \"\"\"")
  }
}
