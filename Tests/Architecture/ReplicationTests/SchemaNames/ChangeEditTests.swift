import ComposableArchitecture
import IdentifiedCollections
import JSONParser
import JSONText
import ReplicatedArchitecture
import SchemaNames
import TestSupport
import Testing
import Wire

@Replicated
private struct Row: Equatable, Identifiable {
  let id: Int
  var title = ""
  var tags: Set<String> = []
  var note: String?
  var position = Position.nowhere
}

@Replicated
private struct Board: Equatable {
  var rows: IdentifiedArrayOf<Row> = []
  var words: [String] = []
  var ages: [String: Int] = [:]
  var votes: SharedCounter = 0
  var best: Row?
  var path = StackState<Row>()
  var `strange name` = 0.0
}

@Replicated
private struct Desk: Equatable {
  var count = 0
  var plan = Board()
}

/// Changes of a shared model as tools read and write them, by its schema.
@Suite(.timeLimit(.minutes(30))) struct ChangeEditTests {
  private let schema = Self.schema()

  /// The schema of a board, with an action that changes its fields.
  private static func schema(
    of state: any Replicated.Type = Board.self, keys: (UInt64) -> UInt64 = { $0 }, without missing: String? = nil
  ) -> Schema {
    var schema = Schema(state: state, action: Bool.self)
    for (index, definition) in schema.definitions.enumerated() {
      guard case .fields(var fields) = definition.content else { continue }
      for offset in fields.indices {
        fields[offset].key = keys(fields[offset].key)
      }
      let kept = fields.filter { $0.name != missing }.sorted { $0.key < $1.key }
      schema.definitions[index].content = .fields(kept)
      schema.definitions[index].id = definition.id.map(keys)
    }
    guard let plan = schema.definitions.first(where: { $0.name == "Board" }), case .fields(let fields) = plan.content
    else { preconditionFailure("a board is a struct") }
    let cases = fields.map { field in
      Schema.Case(
        key: field.key, name: field.name,
        payload: [Schema.Payload(label: "", type: .named("Change", [field.type]))])
    }
    schema.definitions.append(Schema.Definition(name: "SharedChange<Board>", content: .cases(cases)))
    schema.action = .definition(schema.definitions.count - 1)
    return schema
  }

  private func action(_ name: String, _ edits: String) throws -> CBORValue {
    try schema.action(try schema.actionPath(named: name), [try JSONValue(parsing: edits)])
  }

  @Test(arguments: [
    ("rows", #"[{"at":"[3].title","set":"x"}]"#, #"{3: [3, {1: "x"}]}"#, #"set rows[3].title = "x""#),
    (
      "rows", #"[{"at":"[3].title","set":"x"},{"at":"[3].note","set":null},{"at":"[4].tags","insert":["a","b"]}]"#,
      #"{3: [3, {1: "x", 3: null}, 4, {2: {1: ["a", "b"]}}]}"#,
      #"set rows[3].title = "x"; set rows[3].note = null; insert "a", "b" into rows[4].tags"#
    ),
    ("rows", #"[{"at":"[3].note?","set":"x"}]"#, #"{3: [3, {3: {0: "x"}}]}"#, #"set rows[3].note? = "x""#),
    ("rows", #"[{"at":"[3].note","set":"x"}]"#, #"{3: [3, {3: ["x"]}]}"#, #"set rows[3].note = "x""#),
    (
      "rows", #"[{"at":"[3].position.at.y","set":2.0}]"#, "{3: [3, {4: {1: {1: 2.0}}}]}",
      "set rows[3].position.at.y = 2.0"
    ),
    ("rows", #"[{"remove":[4,5]}]"#, "{0: [4, 5]}", "remove rows[4], rows[5]"),
    (
      "rows", #"[{"move":5,"to":"start"},{"insert":{"id":7},"after":5}]"#,
      "{1: [[0, 0], 5], 2: [[4294967296, [5]], {0: 7}]}",
      #"move rows[5] to the start; insert rows[7] after [5]: {"id":7}"#
    ),
    (
      "rows", #"[{"insert":{"id":7},"to":"end","offset":3},{"insert":{"id":8},"to":"end"}]"#,
      "{2: [[3, 1], {0: 7}, [4, 1], {0: 8}]}",
      #"insert rows[7] at the end: {"id":7}; insert rows[8] at the end: {"id":8}"#
    ),
    ("rows", #"[{"set":[]}]"#, "[]", "set rows = []"),
    ("rows", "[]", "{}", "change nothing in rows"),
    ("words", #"[{"append":["a","b"]}]"#, #"{2: ["a", "b"]}"#, #"append "a", "b" to words"#),
    ("words", #"[{"set":["a"]}]"#, #"["a"]"#, #"set words = ["a"]"#),
    (
      "ages", #"[{"remove":["c"]},{"insert":{"a":1}},{"at":"[\"b\"]","set":2}]"#,
      #"{0: ["c"], 1: {"a": 1}, 2: {"b": 2}}"#,
      #"remove ages["c"]; insert ages["a"] = 1; set ages["b"] = 2"#
    ),
    ("ages", #"[{"set":{"a":1}}]"#, #"[{"a": 1}]"#, #"set ages = {"a":1}"#),
    ("votes", #"[{"add":-2}]"#, "{0: -2}", "add -2 to votes"),
    ("votes", #"[{"set":9}]"#, "9", "set votes = 9"),
    ("best", #"[{"at":"title","set":"x"}]"#, #"{0: {1: "x"}}"#, #"set best.title = "x""#),
    ("best", #"[{"set":null}]"#, "null", "set best = null"),
    (
      "path", #"[{"insert":[2,{"id":1}],"to":"end","offset":0},{"at":"[#1].title","set":"x"}]"#,
      #"{2: [[0, 1], [2, {0: 1}]], 3: [1, {1: "x"}]}"#,
      #"insert path[#2] at the end: {"id":1}; set path[#1].title = "x""#
    ),
    ("`strange name`", #"[{"set":"NaN"}]"#, "NaN", #"set `strange name` = "NaN""#),
  ])
  func aChangeIsAListOfEdits(part: String, edits: String, bytes: String, text: String) throws {
    let action = try action(part, edits)
    let parts = try #require(schema.parts(ofAction: action))
    #expect(parts.values[0].value.description == bytes)
    #expect("\(SchemaJSON(schema).json(of: parts.values[0].value, as: parts.values[0].payload.type))" == edits)
    #expect(schema.text(ofAction: action) == text)
    let encoded = action.encoded()
    var decoder = CBORDecoder(encoded.span.bytes)
    #expect(try SchemaValues(asReadByHubs: schema).value(of: schema.action, from: &decoder) == action)
  }

  @Test func everyChangeIsTheSameAfterItWasEdits() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the changes as edits: \(seed)")
    var shaper = Shaper(seed: seed)
    let schema = Schema(state: Plan.self, action: SharedChange<Plan>.self)
    let other = shaper.shuffled(schema)
    let there = try SchemaMapping(from: schema, to: other, .action)
    let back = try SchemaMapping(from: other, to: schema, .action)
    var count = 0
    for round in 0..<200 {
      await Task.yield()
      let base = shaper.plan()
      for change in SharedChange.changes(from: base, to: shaper.changed(base)) {
        let (bytes, what) = (change.encoded(), Comment("seed \(seed), round \(round)"))
        try schema.check(bytes, schema.action)
        var decoder = CBORDecoder(bytes.span.bytes)
        let value = try SchemaValues(asReadByHubs: schema).value(of: schema.action, from: &decoder)
        #expect(value.encoded() == bytes, what)
        var any = CBORDecoder(bytes.span.bytes)
        #expect(try SchemaValues(schema).value(of: schema.action, from: &any) == value, what)
        let json = SchemaJSON(schema).json(of: value, as: schema.action)
        let read = try SchemaJSON(schema).value(of: try JSONValue(parsing: "\(json)"), as: schema.action)
        #expect(read.encoded() == bytes, what)
        let values = try #require(schema.parts(ofAction: value)).values
        guard case .array = SchemaJSON(schema).json(of: values[0].value, as: values[0].payload.type) else {
          Issue.record("\(json) has no edits, seed \(seed), round \(round)")
          continue
        }
        #expect(schema.changeText(of: values, name: "x") != nil, what)
        let mapped = try there.value(bytes)
        try other.check(mapped, other.action)
        #expect(try back.value(mapped) == bytes, what)
        count += 1
      }
    }
    #expect(count > 200)
  }

  @Test(
    arguments: [
      ("a0", nil), ("a10080", nil), ("a10040", "expected"), ("a1038203a10161", "the bytes end"),
      ("a10381", "the bytes end"),
      ("a10405", "change of an identified array has no case 4"), ("a1038103", "an array of pairs"),
      ("a1028205a10007", "expected"), ("a102828200 02a10007", "anchor of an element has no case 2"),
      ("a102848200 01a10007 820001a10008", "not in ascending order"), ("a1028282000181 07", "expected"),
      ("a10081 6161", "expected"), ("a10382 6161 a0", "expected"), ("a10382 03 a1014161", "expected"),
      ("a10382 03 a102a1018261626161", "not in ascending order"),
      ("a10382 03 a102a1028161 61", "change of a set has no case 2"),
      ("a10382 03 a103a101f6", "the delta was not taken"), ("a10382 03 a104a105a0", "the delta was not taken"),
      ("a10382 03 a104a101a10261 61", "the delta was not taken"), ("80", nil), ("81a10007", nil), ("8105", "expected"),
      ("00", "expected"), ("a0a0", "bytes follow"), ("a1038203a10900", nil),
    ] as [(String, String?)])
  func hostileBytesAreRefusedWithTheirOffset(digits: String, reason: String?) throws {
    let bytes = try #require([UInt8](hexadecimal: digits.filter { $0 != " " }))
    guard case .definition(let plan) = schema.state, case .fields(let fields) = schema.definitions[plan].content else {
      return
    }
    let type = SchemaType.named("Change", [fields[0].type])
    func problem(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return "\(error)" }
      return nil
    }
    let checked = problem { try schema.check(bytes, type) }
    let read = problem {
      var decoder = CBORDecoder(bytes.span.bytes)
      _ = try SchemaValues(asReadByHubs: schema).value(of: type, from: &decoder)
      try decoder.finish()
    }
    guard let reason else {
      #expect(checked == nil && read == nil)
      return
    }
    #expect(checked?.hasPrefix("byte ") == true && checked?.contains(reason) == true, "\(checked ?? "accepted")")
    // A reader takes any item where a value without parts belongs.
    if reason != "expected" { #expect(read?.contains(reason) == true, "\(read ?? "accepted")") }
  }

  @Test func aKeyThatCannotBeFoundAgainIsRefused() throws {
    var schema = schema
    guard case .definition(let plan) = schema.state else { return }
    schema.definitions[plan].content = .fields([
      Schema.Field(key: 0, name: "set", type: .named("Set", [.named("Double")]), hasDefault: true)
    ])
    let bytes: [UInt8] = [0xa1, 1, 0x81, 0xf9, 0x7e, 0]
    var decoder = CBORDecoder(bytes.span.bytes)
    #expect(throws: WireError(.typeMismatch(expected: "a key that is equal to itself"), at: 3)) {
      try SchemaValues(asReadByHubs: schema)
        .value(of: .named("Change", [.named("Set", [.named("Double")])]), from: &decoder)
    }
  }

  @Test(arguments: [
    ("rows", #"[{"at":"[3].titel","set":"x"}]"#, "[0].at: Row has no field 'titel'; did you mean '[3].title'?"),
    ("rows", #"[{"at":"[3].title","set":3}]"#, "[0].set: expected a value of type String, not the number 3"),
    ("rows", #"[{"at":"[3].title"}]"#, "[0]: an edit has one of set, add, append, remove, insert, move"),
    ("rows", #"[{"set":[],"remove":[3]}]"#, "[0]: an edit has one of set, add, append, remove, insert, move"),
    ("rows", #"[{"ad":"","set":[]}]"#, "[0]: an edit has no 'ad'; did you mean"),
    ("rows", #"[{"at":"[3].title","set":"x"},{"at":"[3].title","set":"y"}]"#, "[1]: this part is edited twice"),
    ("rows", #"[{"set":[]},{"at":"[3].title","set":"y"}]"#, "[1]: this part is edited twice"),
    (
      "rows", #"[{"at":"[3].position.at.x","set":1},{"at":"[3].position","set":"nowhere"}]"#, "[1]: this part is edited"
    ),
    ("rows", #"[{"append":[]}]"#, "it takes set, insert, remove, move"),
    (
      "rows", #"[{"insert":{"id":1},"to":"end","offset":3},{"insert":{"id":2},"offset":3}]"#, "[1]: the offset 3 is not"
    ),
    ("rows", #"[{"insert":{"id":1},"to":"top"}]"#, #"expected "start" or "end""#),
    ("rows", #"[{"remove":[1],"to":"end"}]"#, "[0].to: only an element with an id"),
    ("rows", #"{"set":[]}"#, "expected the edits of a change"),
    ("rows", #"[3]"#, "[0]: expected an edit"),
    ("rows", #"[{"at":"count","set":3}]"#, "can only be set as a whole"),
    ("rows", #"[{"at":"[3].tags","remove":["a","a"]}]"#, "stands there twice"),
    ("words", #"[{"at":"[0]","set":"a"}]"#, "can only be set as a whole"),
    ("votes", #"[{"add":1.5}]"#, "[0].add: expected a value of type Int128"),
    ("votes", #"[{"add":1},{"add":1}]"#, "edited twice"),
    ("`strange name`", #"[{"add":1}]"#, "it takes set"),
    ("best", "[]", "this is no change of a Optional<Row>"),
  ])
  func mistakesInEditsAreNamed(part: String, edits: String, reason: String) throws {
    let error = #expect(throws: SchemaValueError.self) { try action(part, edits) }
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
  }

  @Test func aChangeWithoutSuchEditsIsShownByItsBytes() throws {
    for digits in ["a10080", "a1038203a0", "a1038203a102a0"] {
      let bytes = try #require([UInt8](hexadecimal: digits))
      let value = try CBORValue(decoding: bytes.span.bytes)
      let type = SchemaType.named("Change", [.named("IdentifiedArray", [.named("Int"), .definition(1)])])
      let json = SchemaJSON(schema).json(of: value, as: type)
      #expect(json == ["cbor": .string(digits)])
      #expect(try SchemaJSON(schema).value(of: json, as: type).encoded() == bytes)
    }
  }

  @Test(arguments: ["plan", "model"]) func aPartIsFoundAlsoInALargerFeature(name: String) throws {
    #expect(try schema.sharedParts.map { try schema.name(of: $0.path) }.count == 7)
    var app = Self.schema(of: Desk.self)
    app.definitions.append(
      Schema.Definition(
        name: "Desk.Action",
        content: .cases([
          Schema.Case(key: 0, name: "count", payload: []),
          Schema.Case(key: 3, name: name, payload: [Schema.Payload(label: "", type: app.action)]),
        ])))
    app.action = .definition(app.definitions.count - 1)
    let names = try app.sharedParts.map { try app.name(of: $0.path) }
    #expect(names == ["rows", "words", "ages", "votes", "best", "path", "`strange name`"].map { "plan.\($0)" })
    let words = try #require(app.sharedParts.first { $0.type == .named("Array", [.named("String")]) })
    let action = try app.action(changing: words, .append([.text("a")]), at: [])
    #expect(action.description == #"[3, [1, {2: ["a"]}]]"#)
    #expect(app.text(ofAction: action) == #"append "a" to \#(name).words"#)
  }

  @Test func changesAreMappedByNameBetweenVersionsOfAFeature() throws {
    let other = Self.schema(keys: { 20 - $0 })
    #expect(schema.compatibility(with: other) == .compatibleByName)
    let (there, back) = (
      try SchemaMapping(from: schema, to: other, .action), try SchemaMapping(from: other, to: schema, .action)
    )
    for (part, edits) in [
      ("rows", #"[{"remove":[2]},{"move":5,"after":6,"offset":1},{"insert":{"id":7,"title":"x"},"to":"end"}]"#),
      ("rows", #"[{"at":"[3].title","set":"x"},{"at":"[3].position.at.x","set":2}]"#),
      ("words", #"[{"append":["a"]}]"#), ("ages", #"[{"insert":{"a":1}},{"remove":["b"]}]"#),
      ("best", #"[{"set":{"id":1,"title":"y"}}]"#), ("best", #"[{"at":"title","set":"x"}]"#),
      ("votes", #"[{"add":3}]"#), ("path", #"[{"insert":[1,{"id":3}]},{"at":"[#2].title","set":"x"}]"#),
    ] {
      let here = try action(part, edits)
      let mapped = try there.value(here.encoded())
      #expect(try other.action(try other.actionPath(named: part), [try JSONValue(parsing: edits)]).encoded() == mapped)
      #expect(try back.value(mapped) == here.encoded())
    }
  }

  @Test func aChangeOfAFieldThatTheOtherSideLacksIsRefused() throws {
    let older = Self.schema(without: "title")
    #expect(schema.compatibility(with: older) == .compatible)
    let mapping = try SchemaMapping(from: schema, to: older, .action)
    #expect(throws: WireError(.unknownField("title", type: "Row"), at: 7)) {
      try mapping.value(try action("rows", #"[{"at":"[3].title","set":"x"}]"#).encoded())
    }
    #expect(throws: WireError(.unknownField("title", type: "Row"), at: 5)) {
      try mapping.value(try action("best", #"[{"at":"title","set":"x"}]"#).encoded())
    }
    // A new value loses it, like any other.
    let inserted = try mapping.value(try action("best", #"[{"set":{"id":1,"title":"x"}}]"#).encoded())
    #expect(inserted == (try action("best", #"[{"set":{"id":1}}]"#).encoded()))
    let whole = Self.schema(without: "words")
    #expect(throws: WireError(.unknownName("words", type: "SharedChange<Board>"), at: 0)) {
      try SchemaMapping(from: schema, to: whole, .action).value(try action("words", "[]").encoded())
    }
  }
}
