import SchemaBrowser
import TestFeatures
import Testing
import Wire

@Suite struct ReadableValueTests {
  @Test(
    arguments: [
      ("onTheStove", "on the stove"), ("imageURL", "image URL"), ("id", "id"), ("HTTPServer", "HTTP server"),
      ("snake_case", "snake case"), ("", ""), ("x", "x"),
    ])
  func namesAreShownAsWords(name: String, words: String) {
    #expect(Wording.words(name) == words)
  }

  @Test(
    arguments: [
      (Duration.zero, "0 s"), (.milliseconds(250), "250 ms"), (.seconds(2.5), "2.5 s"), (.seconds(125), "2 min 5 s"),
      (.seconds(7_200), "2 h"), (.seconds(90_061), "1 d 1 h"), (.seconds(-90), "-1 min 30 s"),
    ])
  func durationsHaveTheirLargestUnits(duration: Duration, text: String) throws {
    let schema = Schema(state: Duration.self, action: Never.self)
    let value = try CBORValue(decoding: duration.encoded().span.bytes)
    #expect(ReadableValue(schema).text(value, schema.state) == text)
  }

  @Test func textsCannotControlTheTerminal() throws {
    let schema = Schema(state: String.self, action: Never.self)
    let text = ReadableValue(schema).text(.text("a\u{1b}[2Jb\nc\td"), schema.state)
    #expect(text == "a\u{FFFD}[2Jb c d")
    let long = ReadableValue(schema).text(.text(String(repeating: "x", count: 5000)), schema.state)
    #expect(long.count == ReadableValue.limit + 1)
    // One character of many scalars.
    let marks = ReadableValue(schema).text(.text("e" + String(repeating: "\u{301}", count: 5000)), schema.state)
    #expect(marks.unicodeScalars.count == ReadableValue.limit + 1)
    #expect(ReadableValue(schema).text(.text("a\r\nb\rc\u{7}"), schema.state) == "a b c\u{FFFD}")
  }

  @Test func aValueOfAnotherFormIsNoTrap() {
    let schema = Schema(state: Diner.State.self, action: Diner.Action.self)
    let readable = ReadableValue(schema)
    for value in [CBORValue.unsigned(7), .text("x"), .array([]), .map([]), .simple(22), .array([.unsigned(99)])] {
      _ = readable.text(value, schema.state)
      for definition in schema.definitions.indices { _ = readable.text(value, .definition(definition)) }
    }
  }

  @Test func theBestMatchComesFirst() {
    let names = ["chefChanged", "orders[].stageChanged", "orderAdded", "crowdArrived"]
    #expect(FuzzyMatch.sorted(names, by: "ord") { $0 }.prefix(2) == ["orderAdded", "orders[].stageChanged"])
    #expect(FuzzyMatch.sorted(names, by: "oa") { $0 }.first == "orderAdded")
    #expect(FuzzyMatch.sorted(names, by: "zz") { $0 }.isEmpty)
    #expect(FuzzyMatch.sorted(names, by: " ") { $0 } == names)
  }
}
