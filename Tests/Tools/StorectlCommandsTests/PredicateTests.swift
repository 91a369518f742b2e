import ComposableArchitecture
import Foundation
import Testing
import Wire

@testable import StorectlCommands

@Suite struct PredicateTests {
  @Replicated struct Measures {
    var count = Int64(9_007_199_254_740_993)
    var large = UInt64.max
    var debt = Int64(-9_007_199_254_740_993)
    var limit: UInt64? = 18_446_744_073_709_551_614
    var delay = Duration.milliseconds(10_500)
    var since = Date(timeIntervalSinceReferenceDate: 0.25)
    var rate = 0.1
    var share: Float = 0.1
    var name = "10"
    var isOn: Bool? = false
    var note: String? = nil
    var items = [1, 2, 3]
    var ages = ["a": 1, "caf\u{e9}": 2]
    var tags: Set<String>? = ["a", "b"]
  }

  private func holds(_ text: String, _ state: Measures = Measures()) throws -> Bool {
    let schema = Schema(state: Measures.self, action: Bool.self)
    return try Predicate(text, in: schema).holds(try CBORValue(decoding: state.encoded().span.bytes), schema)
  }

  @Test(arguments: [
    // As floating-point numbers, these would be equal.
    "count == 9007199254740993", "count != 9007199254740992", "count > 9007199254740992", "count < 9007199254740994",
    "count < 9007199254740993.5", "count >= 9007199254740993.0", "count < 1e16", "count > -1", "debt < 0",
    "debt < -9007199254740992", "debt > -9007199254740994",
    "large == 18446744073709551615", "large > 18446744073709551614", "limit < 18446744073709551615",
    "limit == 18446744073709551614", "large > 9",
    // As texts, 10.5s would be less than 9s.
    "delay > \"9s\"", "delay > 9s", "delay < 10.6s", "delay == 10.500s", "delay >= 10.5",
    "since > 2000-12-31T23:59:59.9Z", "since < 2001-01-01T00:00:00.5Z", "since == 2001-01-01T00:00:00.250Z",
    "since < 2002-01-01", "since > 1999-01-01",
    "rate == 0.1", "rate == 1e-1", "rate < 0.2", "rate > 0", "share == 0.1",
    "name == 10", "name == \"10\"", "name < 9", "name ~ 0", "isOn == false", "!isOn", "items.count == 3",
    "items.count < 10", "limit != null", "tags.count == 2", "limit != nil", "note == nil", "note != \"nil\"",
  ])
  func valuesAreComparedByTheirType(text: String) throws {
    #expect(try holds(text))
  }

  @Test(arguments: [
    "count == 9007199254740992", "count > 9007199254740993", "debt < -9007199254740993", "count == null",
    "delay < 9s", "since < 2001-01-01T00:00:00.1Z", "isOn", "name == 11", "limit == null", "limit == nil",
    "note != nil",
    "name == nil",
  ])
  func whatDiffersDoesNotHold(text: String) throws {
    #expect(try !holds(text))
  }

  @Test(arguments: [
    "count < word", "debt != count", "count == true", "isOn == yes", "items == 3", "items.count > many", "delay < soon",
    "since < yesterday morning", "rate == fast", "limit == \"\"",
    // Only collections have a number of elements.
    "name.count == 2", "count.count > 5",
  ])
  func aValueOfAnotherTypeIsRefused(text: String) {
    let error = #expect(throws: ToolFailure.self) { try holds(text) }
    #expect(error?.status == .unknownName, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("count > 1e999", "count", "1e999", 9), ("  count  <=  -1e400 ", "count", "-1e400", 14),
    ("rate == 1e309", "rate", "1e309", 9), ("ages[a] != 1e999", "ages[a]", "1e999", 12),
    ("delay > 1e999s", "delay", "1e999s", 9), ("limit < \"1e999\"", "limit", "\"1e999\"", 9),
    ("large < 1e99999999999", "large", "1e99999999999", 9),
  ])
  func aNumberThatIsNotFiniteIsRefused(text: String, path: String, number: String, place: Int) {
    let error = #expect(throws: ToolFailure.self) { try holds(text) }
    let reason = """
      '\(path)' cannot be compared with \(number) (character \(place) of '\(text)'): the number is not finite, and no \
      value reaches it
      """
    #expect(error == ToolFailure(.unknownName, reason))
  }

  /// Words for what is not finite are values of floating-point types only.
  @Test func infinitiesAndNaNHaveNamesForFloats() throws {
    #expect(try holds("rate < Infinity") && holds("rate > \"-Infinity\"") && !holds("rate == NaN"))
    for text in ["count > NaN", "count > Infinity", "count < -Infinity", "rate < nan", "rate < inf"] {
      let error = #expect(throws: ToolFailure.self, "\(text)") { try holds(text) }
      #expect(error?.status == .unknownName, "\(String(describing: error))")
    }
    // A text may have any digits.
    #expect(try !holds("name == 1e999") && !holds("name ~ 1e999"))
  }

  @Test(arguments: ["", " ", "== 3", "!"]) func aPredicateWithoutAPathIsRefused(text: String) {
    let error = #expect(throws: ToolFailure.self) { try holds(text) }
    #expect(error?.status == .usage && error?.reason.hasPrefix("a predicate ") == true, "\(String(describing: error))")
  }

  @Replicated struct Earlier { var count = 0 }

  /// An upgrade added the field, or gave it another type.
  @Test func whatOneSchemaOfAJournalHasCanBeAskedOfTheOthers() throws {
    let earlier = Schema(state: Earlier.self, action: Bool.self)
    let schemas = [earlier, Schema(state: Measures.self, action: Bool.self)]
    let state = try CBORValue(decoding: Earlier(count: 5).encoded().span.bytes)
    func holds(_ text: String) throws -> Bool { try Predicate(text, in: earlier, of: schemas).holds(state, earlier) }
    #expect(try holds("count == 5") && holds("name == null") && holds("!isOn") && holds("items.count == null"))
    #expect(try !holds("name == 10") && !holds("isOn"))
    let error = #expect(throws: ToolFailure.self) { try holds("nmae == 10") }
    #expect(error == ToolFailure(.unknownName, "PredicateTests.Measures has no field 'nmae'; did you mean 'name'?"))
  }

  @Test func aMissingPartIsNull() throws {
    var state = Measures()
    state.limit = nil
    #expect(try holds("limit == null", state) && holds("!limit", state))
    #expect(try !holds("limit < 5", state) && !holds("limit >= 5", state))
  }

  @Test func pathsLeadIntoArraysAndDictionaries() throws {
    for text in [
      "items[2] == 3", "!items[3]", "items.count == 3", "tags.count == 2", "ages[\"a\"] == 1", "ages[a] == 1",
      "!ages[b]",
      "ages.count > 1", "ages[\"cafe\u{301}\"] == 2",
    ] {
      #expect(try holds(text), "\(text)")
    }
    for text in ["items[x] == 1", "items[0].count == 1", "count.count == 1", "items[-1] == 1"] {
      #expect(throws: ToolFailure.self, "\(text)") { try holds(text) }
    }
  }

  @Test func textsAreComparedByTheirBytes() throws {
    let decomposed = Measures(name: "cafe\u{301}")
    #expect(try holds("name == cafe\u{301}", decomposed) && !holds("name == caf\u{e9}", decomposed))
    #expect(try holds("name ~ caf\u{e9}", decomposed))
  }
}
