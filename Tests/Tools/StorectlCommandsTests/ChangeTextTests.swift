import ComposableArchitecture
import IdentifiedCollections
import JSONText
import SchemaNames
import TestSupport
import Testing
import Wire

@testable import StorectlCommands

/// Values for comparisons by bytes.
@Replicated private struct Sample: Equatable {
  var text = ""
  var number = 0.0
  var tags: Set<String> = []
  var ages: [String: Int] = [:]
  var rows: IdentifiedArrayOf<Row> = []
  var items: [String] = []

  @Replicated struct Row: Equatable, Identifiable {
    let id: String
    var text = ""
  }
}

@Suite struct ChangeTextTests {
  private static let seed = UInt64.random(in: 0 ... .max)
  private let schema = Schema(state: Sample.self, action: Bool.self)

  private func value(_ sample: Sample) throws -> CBORValue {
    let bytes = sample.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    return try SchemaValues(schema).value(of: schema.state, from: &decoder)
  }

  private func differences(_ old: Sample, _ new: Sample) throws -> [SchemaValues.Difference] {
    SchemaValues(schema).differences(from: try value(old), to: try value(new), as: schema.state)
  }

  private var printer: ChangeText { ChangeText(schema, Palette(isOn: false), width: nil) }

  private func text(_ old: Sample, _ new: Sample) throws -> [String] { printer.text(try differences(old, new)) }

  @Test func textsThatLookTheSameAreToldApart() throws {
    #expect(
      try text(Sample(text: "caf\u{e9}"), Sample(text: "cafe\u{301}")) == [
        #"  text: "caf\u00e9" → "cafe\u0301""#
      ])
    #expect(try text(Sample(text: "a b"), Sample(text: "a\u{a0}b")) == [#"  text: "a b" → "a\u00a0b""#])
    #expect(try text(Sample(text: "ab"), Sample(text: "a\u{200b}b")) == [#"  text: "ab" → "a\u200bb""#])
    let long = String(repeating: "x", count: 300)
    #expect(
      try text(Sample(text: long + "\u{e9}"), Sample(text: long + "e\u{301}")) == [
        #"  text: …xxxxxxxxxx\u00e9" → …xxxxxxxxxxe\u0301""#
      ])
    #expect(try text(Sample(text: "caf\u{e9}"), Sample(text: "th\u{e9}")) == ["  text: \"café\" → \"thé\""])
  }

  @Test func numbersOfEqualValueAreToldApart() throws {
    #expect(try text(Sample(number: 0), Sample(number: -0.0)).count == 1)
    let payload = Double(bitPattern: Double.nan.bitPattern | 5)
    #expect(try text(Sample(number: .nan), Sample(number: payload)).count == 1)
    for (old, new) in [(0.0, -0.0), (.nan, payload)] {
      let line = try #require(try text(Sample(number: old), Sample(number: new)).first)
      let sides = line.dropFirst("  number: ".count).split(separator: " → ")
      #expect(sides.count == 2 && sides[0] != sides[1], "\(line)")
    }
  }

  @Test func membersKeysAndIdsAreComparedByTheirBytes() throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    #expect(
      try text(Sample(tags: [composed]), Sample(tags: [decomposed])) == [
        #"  tags: ["caf\u00e9"] → ["cafe\u0301"]"#
      ])
    #expect(
      try text(Sample(ages: [composed: 1]), Sample(ages: [decomposed: 1])) == [
        #"- ages["caf\u{e9}"]: 1"#, #"+ ages["cafe\u{301}"]: 1"#,
      ])
    #expect(
      try text(Sample(ages: [composed: 1, "a": 2]), Sample(ages: [composed: 3, "a": 2])) == ["  ages[\"café\"]: 1 → 3"])
    #expect(
      try text(Sample(rows: [.init(id: composed)]), Sample(rows: [.init(id: decomposed)])) == [
        #"  rows["cafe\#u{301}"].id: "caf\u00e9" → "cafe\u0301""#
      ])
    #expect(try text(Sample(items: [composed]), Sample(items: [decomposed])).count == 1)
    #expect(JSONValue.string(composed) != .string(decomposed))
    #expect(Set<CBORValue>([.text(composed), .text(decomposed)]).count == 2)
  }

  @Test func aMoveIsShownBesideOtherChanges() throws {
    let old = Sample(rows: [.init(id: "a"), .init(id: "b"), .init(id: "c"), .init(id: "d")])
    var new = old
    new.rows.move(fromOffsets: [3], toOffset: 1)
    new.rows[id: "b"]?.text = "edited"
    new.rows.insert(.init(id: "n"), at: 0)
    new.rows.append(.init(id: "z"))
    #expect(
      try text(old, new) == [
        #"+ rows["n"] before ["a"]: id: "n", text: """#, #"  rows: moved ["d"] before ["b"]"#,
        #"  rows["b"].text: "" → "edited""#, #"+ rows["z"]: id: "z", text: """#,
      ])
    let reversed = Sample(rows: IdentifiedArray(uncheckedUniqueElements: old.rows.reversed()))
    #expect(try text(old, reversed) == [#"  rows: moved ["c"] ["b"] ["a"] to the end"#])
  }

  /// Whoever applies the printed changes as the manual says has the new list.
  @Test func theChangesOfAListExplainTheWholeDifference() throws {
    print("seed of the mixed changes: \(Self.seed)")
    var random = SplitMix(seed: Self.seed)
    var moves = 0
    for round in 0..<400 {
      var next = 0
      func row() -> Sample.Row {
        next += 1
        return Sample.Row(id: "\(next)")
      }
      var old = Sample()
      for _ in 0..<Int.random(in: 0...60, using: &random) { old.rows.append(row()) }
      var new = old
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        guard let any = new.rows.indices.randomElement(using: &random) else {
          new.rows.append(row())
          continue
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: new.rows.insert(row(), at: Int.random(in: 0...new.rows.count, using: &random))
        case 1: new.rows.remove(at: any)
        case 2: new.rows.move(fromOffsets: [any], toOffset: Int.random(in: 0...new.rows.count, using: &random))
        default: new.rows[id: new.rows[any].id]?.text += "x"
        }
      }
      let changes = try differences(old, new).map { printer.json($0) }
      moves += changes.count { $0["moved"] != nil }
      #expect(applying(changes, to: old.rows.elements) == new.rows.elements, "seed \(Self.seed), round \(round)")
    }
    #expect(moves > 100)
  }

  /// Applies changes of rows as the manual describes them.
  private func applying(_ changes: [JSONValue], to old: [Sample.Row]) -> [Sample.Row] {
    func text(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }
    func id(_ path: String?) -> String? { path.map { String($0.split(separator: "\"")[1]) } }
    let lifted = Set(changes.filter { $0["new"] == nil }.compactMap { id(text($0["path"])) })
    var (rows, rest) = (
      old.filter { !lifted.contains($0.id) }, Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
    )
    for change in changes {
      guard let path = text(change["path"]), let id = id(path) else { continue }
      let isWhole = path.hasSuffix("]")
      if isWhole, change["old"] == nil {
        let row = rest.removeValue(forKey: id) ?? Sample.Row(id: id, text: text(change["new"]?["text"]) ?? "")
        let next = self.position(of: text(change["before"]).flatMap { Self.id($0) }, in: rows)
        rows.insert(row, at: next)
      } else if !isWhole, let index = rows.firstIndex(where: { $0.id == id }) {
        rows[index].text = text(change["new"]) ?? ""
      }
    }
    return rows
  }

  private static func id(_ path: String) -> String { String(path.split(separator: "\"")[1]) }

  private func position(of id: String?, in rows: [Sample.Row]) -> Int {
    id.flatMap { id in rows.firstIndex { $0.id == id } } ?? rows.count
  }
}
