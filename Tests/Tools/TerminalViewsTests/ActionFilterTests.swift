import Testing
import TurnLog

@Suite struct ActionFilterTests {
  @Test(
    arguments: [
      ("", [], []), ("  ", [], []), ("Todos add", ["todos", "add"], []), ("-timerTicked", [], ["timerticked"]),
      ("a -b c", ["a", "c"], ["b"]), ("\"call the\" -\"storectl send\"", ["call the"], ["storectl send"]),
      // As it stands while the rest is being typed.
      ("a -", ["a"], []), ("a -\"", ["a"], []), ("\"call t", ["call t"], []), ("\"\"", [], []), ("\"-1\"", ["-1"], []),
      ("todos[-1]", ["todos[-1]"], []),
    ] as [(String, [String], [String])])
  func aTextIsReadAsWords(text: String, words: [String], excluded: [String]) {
    let filter = ActionFilter(text)
    #expect(filter.words == words && filter.excludedWords == excluded)
    #expect(filter.isEmpty == (words.isEmpty && excluded.isEmpty))
  }

  @Test func allWordsMustOccurAndNoneOfTheExcludedOnes() {
    let texts = ["root storectl send", "todos.addButtonTapped \"Bread\""]
    for text in ["", "bread", "SEND bread", "-timerTicked", "add -counter", "\"storectl send\""] {
      #expect(ActionFilter(text).matches(texts), "\(text)")
    }
    for text in ["milk", "bread milk", "-bread", "bread -send", "\"send todos\""] {
      #expect(!ActionFilter(text).matches(texts), "\(text)")
    }
  }
}
