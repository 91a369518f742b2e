import ComposableArchitecture
import FoundationEssentials
import IdentifiedCollections
import JSONParser
import JSONText
import ReplicatedArchitecture
import SchemaNames
import TestSupport
import Testing
import Wire

@Replicated
private struct Forms: Equatable {
  var optional: Int??
  var byNumber: [Int: String] = [:]
  var byName: [String: Int] = [:]
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var duration = Duration.zero
  var position = Position.nowhere
  var range = 0..<1
  var wide: UInt128 = 0
  var number: Int64 = 0
  var double = 0.0
}

@Suite(.timeLimit(.minutes(30)), .computing) struct SchemaJSONTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  /// Returns the JSON of a state, after checking that it gives the same state.
  @discardableResult
  private func json<State: Replicated>(_ state: State, _ what: Comment? = nil) throws -> JSONValue {
    let schema = Schema(state: State.self, action: Bool.self)
    let bytes = state.encoded()
    let json = SchemaJSON(schema).json(of: try CBORValue(decoding: bytes.span.bytes), as: schema.state)
    let read = try JSONValue(parsing: "\(json)")
    // A reader may write 1e7 for 10000000.0; the value is the same.
    #expect(try SchemaJSON(schema).value(of: read, as: schema.state).encoded() == bytes, what)
    #expect(try SchemaJSON(schema).value(of: json, as: schema.state).encoded() == bytes, what)
    return json
  }

  @Test func everyValueIsTheSameAfterItWasJSON() throws {
    print("seed of the JSON values: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    for round in 0..<150 {
      try json(shaper.world(), "seed \(Self.seed), round \(round)")
      try json(shaper.oldState(), "seed \(Self.seed), round \(round)")
    }
  }

  @Test func theFormsAreThoseOfTheTable() throws {
    var forms = Forms()
    forms.byNumber = [2: "b", 1: "a"]
    forms.byName = ["b": 2, "a": 1]
    forms.position = .at(x: 1, y: 0.5)
    forms.duration = .milliseconds(-1500)
    forms.wide = 1 << 100
    #expect(
      "\(try json(forms))"
        == """
        {"optional":null,"byNumber":[[1,"a"],[2,"b"]],"byName":{"a":1,"b":2},"date":"2001-01-01T00:00:00Z",\
        "duration":"-1.5s","position":{"at":{"x":1,"y":0.5}},"range":[0,1],"wide":"1267650600228229401496703205376",\
        "number":0,"double":0.0}
        """)
    forms.optional = .some(nil)
    #expect(try json(forms)["optional"] == ["some": .null])
    forms.optional = 3
    #expect(try json(forms)["optional"] == ["some": .number("3")])
    for (number, text) in [
      ((1 << 53) - 1, "9007199254740991"), (1 << 53, #""9007199254740992""#), (1 - (1 << 53), "-9007199254740991"),
      (-(1 << 53), #""-9007199254740992""#), (.min, #""-9223372036854775808""#),
    ] as [(Int64, String)] {
      forms.number = number
      #expect(try json(forms)["number"]?.description == text)
    }
    for (number, text) in [
      (Double.nan, #""NaN""#), (-.infinity, #""-Infinity""#), (-0.0, "-0.0"), (1e300, "1e+300"),
      (.leastNonzeroMagnitude, "5e-324"),
      (Double(bitPattern: 0x7ff8_0000_0000_0001), #""NaN(7ff8000000000001)""#),
    ] {
      forms.double = number
      let value = try CBORValue(decoding: forms.double.encoded().span.bytes)
      let schema = Schema(state: Double.self, action: Bool.self)
      let json = SchemaJSON(schema).json(of: value, as: schema.state)
      #expect(json.description == text)
      #expect(try SchemaJSON(schema).value(of: json, as: schema.state) == value)
    }
  }

  @Test func datesKeepAllTheirDigits() throws {
    var generator = SplitMix(seed: Self.seed)
    var dates: [Double] = [
      0, -0.0, 0.1, -0.1, -1, 785_432_100.125, -63_113_904_000, 252_423_993_599.5, 1e12, 1e300, 1e-9,
      9.223372036854774e18, -9.223372036854774e18, 9.223372036854775e18, -0x1p63, 0x1p63, .infinity, -.infinity, .nan,
    ]
    for _ in 0..<2000 {
      dates.append(.random(in: -1e11...1e11, using: &generator))
      dates.append(.random(in: -1...1, using: &generator))
    }
    for date in dates { try json(Date(timeIntervalSinceReferenceDate: date), "\(date)") }
    #expect(try json(Date(timeIntervalSinceReferenceDate: 785_432_100.125)) == "2025-11-21T15:35:00.125Z")
    #expect(try json(Date(timeIntervalSinceReferenceDate: -0.5)) == "2000-12-31T23:59:59.5Z")
  }

  @Test func alertsAndStylesHaveNames() throws {
    let alert = AlertState<Bool> {
      TextState("Delete ") + TextState("all").bold()
    } actions: {
      ButtonState(role: .destructive, action: true) { TextState("Delete") }
    } message: {
      TextState("Sure?")
    }
    #expect(
      "\(try json(alert))"
        == """
        {"title":[{"text":"Delete "},{"text":"all","bold":true}],"message":"Sure?","buttons":[{"role":"destructive",\
        "action":true,"label":"Delete"}]}
        """)
  }

  @Test func mistakesAreNamedWithTheirPlace() throws {
    let schema = Schema(state: World.self, action: Bool.self)
    func reason(_ text: String) throws -> String? {
      let json = try JSONValue(parsing: text)
      return #expect(throws: SchemaValueError.self) { try SchemaJSON(schema).value(of: json, as: schema.state) }?
        .description
    }
    #expect(try reason("3") == "expected an object with the fields of World, not the number 3")
    #expect(try reason(#"{"itms": []}"#) == "World has no field 'itms'; did you mean 'items'?")
    #expect(try reason(#"{"items": [{}]}"#) == "items[0]: the field 'id' of Item is missing")
    #expect(try reason(#"{"items": [{"id": 1}, {"id": 1}]}"#) == "items[1]: this element has the id of an earlier one")
    #expect(
      try reason(#"{"everything": {"int8": 300}}"#)
        == "everything.int8: the number 300 does not fit Int8")
    #expect(
      try reason(#"{"everything": {"set": ["a", "a"]}}"#) == "everything.set: a member of the set stands there twice")
    #expect(
      try reason(#"{"place": {"name": "x", "position": {"at": {"x": 1, "z": 2}}}}"#)
        == "place.position.at: there is no value 'z'; did you mean 'x' or 'y'?")
    #expect(
      try reason(#"{"everything": {"uuid": "1234"}}"#)
        == #"everything.uuid: expected a value of type UUID, not the string "1234""#)
  }

  @Test func numbersOutOfRangeAreRefused() throws {
    func reason<State: Replicated>(_ json: JSONValue, _: State.Type) -> String? {
      let schema = Schema(state: State.self, action: Bool.self)
      return #expect(throws: SchemaValueError.self) { try SchemaJSON(schema).value(of: json, as: schema.state) }?
        .description
    }
    #expect(reason(.number("1e39"), Float.self) == "the number 1e39 does not fit Float")
    #expect(reason("-1e39", Float.self) == #"the string "-1e39" does not fit Float"#)
    #expect(reason(.number("1e999"), Double.self) == "the number 1e999 does not fit Double")
    #expect(reason("1e999", Double.self) == #"the string "1e999" does not fit Double"#)
    #expect(reason(.number("1e999"), Date.self) == "expected a value of type Date, not the number 1e999")
    for day in ["2026-02-31", "2026-02-29", "2026-04-31", "2026-01-00"] {
      #expect(reason(.string("\(day)T00:00:00Z"), Date.self)?.contains(day) == true)
    }
    try json(Float.greatestFiniteMagnitude)
    try json(Float.infinity)
    // A leap second.
    let schema = Schema(state: Date.self, action: Bool.self)
    #expect(
      try SchemaJSON(schema).value(of: "2016-12-31T23:59:60Z", as: schema.state)
        == SchemaJSON(schema).value(of: "2017-01-01T00:00:00Z", as: schema.state))
  }

  @Test func textIsReadAsJSONOrRefused() throws {
    #expect(
      try JSONValue(parsing: #" {"a" : [1, 2.50, -0.0, true, null, "x\u00e9\ud83c\udfb2\u0000y"]} "#)["a"]
        == .array([.number("1"), .number("2.50"), .number("-0.0"), .bool(true), .null, .string("xé🎲\0y")]))
    // No digit is lost, also of those that look like numbers in texts before them.
    let digits = "1234567890.123456789"
    let text = #"{"1.5 \"2.5":[1,"-3.5",{"b":[\#(digits),7],"a":-1E-7}]}"#
    #expect(try JSONValue(parsing: text).description == text)
    #expect(try JSONValue(parsing: "-9223372036854775808") == .number("-9223372036854775808"))
    for text in [
      "", "{", "[1,]", "{a: 1}", "nul", "01", "1 2", "'a'", "\"a", "[1] x", "NaN", "99999999999999999999", "1e999",
      #"{"a": 1, "a": 2}"#,
    ] {
      #expect(throws: JSONError.self, "\(text)") { try JSONValue(parsing: text) }
    }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try JSONValue(parsing: deep) }
  }

  @Test func textForTerminalsIsEscaped() {
    let text: JSONValue = "a\u{1b}[2J\u{9b}\u{202e}\u{2028}\"\\é"
    #expect(text.description == #""a\u001b[2J\u009b\u202e\u2028\"\\é""#)
  }
}
