import ComposableArchitecture
import IdentifiedCollections
import SchemaNames
import Testing
import Wire

@Replicated private struct Row: Identifiable {
  let id: String
}

@Replicated private struct Table {
  var rows: IdentifiedArrayOf<Row> = []
  var log: [Int] = []
  var ages: [String: Int] = [:]
  var hidden: [Int]?
}

@Replicated private enum NoAction { case none }

/// Windows of collections in users' notation.
@Suite struct WindowNameTests {
  private let schema = Schema(state: Table.self, action: NoAction.self)

  @Test(
    arguments: [
      ("rows[0..<3]", [0, .window(start: 0, count: 3)]),
      ("log[100..<150]", [1, .window(start: 100, count: 50)]),
      ("log[-20...]", [1, .window(start: -20, count: 20)]),
      ("log[-20..<-15]", [1, .window(start: -20, count: 5)]),
      ("hidden[0..<1]", [3, 0, .window(start: 0, count: 1)]),
    ] as [(String, [PathStep])])
  func aWindowIsARangeOfPositions(name: String, path: [PathStep]) throws {
    #expect(try schema.path(named: name, allowsWindow: true) == path)
    #expect(try schema.name(of: path) == name)
    #expect(try schema.part(named: name, allowsWindow: true).steps == path)
    // Where a part of the state is needed, there are none.
    #expect(throws: SchemaNameError.self) { try schema.path(named: name) }
    #expect(throws: SchemaNameError.self) { try schema.part(named: name) }
  }

  @Test(arguments: ["rows[3..<3]", "rows[3..<2]", "log[20...]", "log[-5..<5]", "log[0..<3][0]", "log[0..<3].count"])
  func otherRangesAreNone(name: String) {
    // As an id, a text between the brackets may be anything.
    let window = try? schema.path(named: name, allowsWindow: true)
    #expect(window?.last.map { if case .window = $0 { true } else { false } } != true)
  }

  @Test func anIDThatLooksLikeAWindowIsQuoted() throws {
    let path: [PathStep] = [0, .id("0..<3".encoded())]
    #expect(try schema.path(named: #"rows["0..<3"]"#, allowsWindow: true) == path)
    #expect(try schema.name(of: path) == #"rows["0..<3"]"#)
    // Keys of dictionaries have no order.
    #expect(try schema.part(named: "ages[0..<3]", allowsWindow: true).rest == [.key("0..<3".encoded())])
  }

  /// A window that another client has attached is shown to users, whatever it asks for.
  @Test func everyWindowHasAName() throws {
    let path: [PathStep] = [1, .window(start: .max, count: .max)]
    #expect(try schema.name(of: path) == "log[\(Int.max)..<\(Int.max)]")
    #expect(try schema.name(of: [1, .window(start: .min, count: 1)]) == "log[\(Int.min)..<\(Int.min + 1)]")
    #expect(try schema.name(of: [1, .window(start: -3, count: 9)]) == "log[-3...]")
  }

  @Test func theTypeOfAWindowBelongsToItsSchema() throws {
    let part = try schema.part(named: "rows[0..<3]", allowsWindow: true)
    #expect(part.schema.name(of: part.type) == "Window")
    let rows: IdentifiedArrayOf<Row> = [Row(id: "a"), Row(id: "b")]
    let bytes = Window(of: rows, from: 0, count: 1).encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    let value = try SchemaValues(part.schema).value(of: part.type, from: &decoder)
    let json = SchemaJSON(part.schema).json(of: value, as: part.type)
    #expect("\(json)" == #"{"count":2,"start":0,"elements":[{"id":"a"}]}"#)
  }
}
