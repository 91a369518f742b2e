import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

@Replicated private struct Row: Identifiable, Equatable {
  let id: Int
  var text = ""
}

@Replicated private struct Table {
  var rows: IdentifiedArrayOf<Row> = []
  var log: [String] = []
  var stack = StackState<Row>()
  var hidden: IdentifiedArrayOf<Row>?
}

@Replicated private enum NoAction { case none }

/// The same table in another version, with other keys.
@Replicated private struct NewTable {
  @ReplicatedKey(7) var rows: IdentifiedArrayOf<NewRow> = []
}

@Replicated private struct NewRow: Identifiable, Equatable {
  @ReplicatedKey(3) let id: Int
  @ReplicatedKey(4) var text = ""
}

/// Windows of collections as values.
@Suite struct WindowTests {
  private func rows(_ count: Int) -> IdentifiedArrayOf<Row> {
    IdentifiedArray(uniqueElements: (0..<count).map { Row(id: $0, text: "row \($0)") })
  }

  /// What a client has of a window.
  private func decoded<Value: WireValue>(_ value: Value) throws -> Value {
    let bytes = value.encoded()
    return try Value(decoding: bytes.span.bytes)
  }

  @Test(arguments: [
    (0, 3, 0..<3), (8, 3, 8..<10), (10, 3, 10..<10), (11, 3, 10..<10), (.max, .max, 10..<10), (0, .max, 0..<10),
    (-3, 3, 7..<10), (-3, 2, 7..<9), (-20, 5, 0..<5), (.min, 1, 0..<1), (-1, .max, 9..<10),
  ])
  func itIsCutAtTheEndsOfItsCollection(start: Int, count: Int, positions: Range<Int>) throws {
    let rows = rows(10)
    let window = Window(of: rows, from: start, count: count)
    #expect(window.positions == positions && window.count == 10)
    #expect(window.elements.elementsEqual(rows[positions]))
    let numbers = Window(of: Array(0..<10), from: start, count: count)
    #expect(numbers.elements == Array(positions) && numbers.start == positions.lowerBound)
    let read = try decoded(window)
    #expect(read == window)
    // On both sides, the hash is that of the same bytes.
    #expect(read.stateHash() == window.stateHash())
  }

  @Test func aPartOfACollectionIsAWindow() throws {
    var table = Table()
    (table.rows, table.log) = (rows(5), ["a", "b", "c"])
    table.stack.append(Row(id: 9))
    let path = StatePath<Table, Table>()
    let window = try #require(table.part(at: path.rows[window: 1..<3].steps[...]) as? Window<IdentifiedArrayOf<Row>>)
    #expect(window.elements.map(\.id) == [1, 2])
    let tail = try #require(table.part(at: path.log[last: 2].steps[...]) as? Window<[String]>)
    #expect(tail.elements == ["b", "c"] && tail.start == 1 && tail.count == 3)
    let stack = try #require(table.part(at: path.stack[window: 0..<4].steps[...]) as? Window<StackState<Row>>)
    #expect(stack.elements.map(\.id) == [9])
    #expect(table.part(at: path.hidden.unwrapped()[window: 0..<2].steps[...]) == nil)
    // Nothing is inside a window.
    #expect(table.part(at: (path.rows[window: 1..<3].steps + [2])[...]) == nil)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func aDeltaTurnsOneWindowIntoTheOther(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var rows = rows(Int.random(in: 0...200, using: &random))
    let (start, count) = (Int.random(in: -20...30, using: &random), Int.random(in: 1...40, using: &random))
    var mirror = Window(of: rows, from: start, count: count)
    mirror = try decoded(mirror)
    for step in 0..<60 {
      let base = Window(of: rows, from: start, count: count)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let position = Int.random(in: 0...rows.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: rows.insert(Row(id: 1_000 + step * 10 + rows.count), at: position)
        case 1: if position < rows.count { rows.remove(at: position) }
        case 2: if position < rows.count { rows[position].text += "." }
        default: if position < rows.count { rows.swapAt(0, position) }
        }
      }
      let new = Window(of: rows, from: start, count: count)
      #expect(new.differs(from: base) == (new != base), "seed \(seed)")
      var encoder = CBOREncoder()
      new.encodeDelta(from: base, to: &encoder)
      let bytes = encoder.bytes
      var decoder = CBORDecoder(bytes.span.bytes)
      try mirror.apply(delta: &decoder)
      try decoder.finish()
      #expect(mirror == new && mirror.encoded() == new.encoded(), "seed \(seed)")
      // A window that follows the end, or stays where it is, sends no more than has changed in it.
      if new == base { #expect(bytes == [0xa0]) }
    }
  }

  @Test(arguments: [
    "a3 00 03 01 01 02 82 01 02 03", "a2 00 03 01 00", "a3 00 03 01 02 02 82 01 02", "a3 00 03 01 20 02 80",
    "a3 00 20 01 00 02 80", "a3 00 00 01 01 02 80", "80",
  ])
  func malformedWindowsAreRefused(bytes: String) throws {
    let bytes = try #require([UInt8](hexadecimal: bytes.replacing(" ", with: "")))
    #expect(throws: WireError.self) { try Window<[Int]>(decoding: bytes.span.bytes) }
  }

  @Test func aDeltaThatMovesElementsOutOfTheCollectionIsRefused() throws {
    var window = Window(of: [1, 2, 3], from: 0, count: 3)
    let bytes: [UInt8] = [0xa1, 0x00, 0x02]
    var decoder = CBORDecoder(bytes.span.bytes)
    #expect(throws: WireError.self) { try window.apply(delta: &decoder) }
  }

  // MARK: Steps

  @Test func aStepIsAStartAndACount() throws {
    let step = PathStep.window(start: -20, count: 10)
    #expect(step.encoded() == [0x82, 0x33, 0x0a])
    #expect(try decoded(step) == step)
    let others: [[UInt8]] = [
      [0x82, 0x00, 0x00], [0x82, 0x00, 0x20], [0x80], [0x83, 0x00, 0x01, 0x02], [0x82, 0x40, 0x01],
    ]
    for bytes in others {
      #expect(throws: WireError.self) { try PathStep(decoding: bytes.span.bytes) }
    }
  }

  // MARK: Schemas

  @Test func theTypeOfAWindowIsThatOfTheSwiftType() throws {
    let schema = Schema(state: Table.self, action: NoAction.self)
    let path = StatePath<Table, Table>()
    let rooted = try schema.rooted(at: path.rows[window: 0..<3].steps)
    let own = Schema(state: Window<IdentifiedArrayOf<Row>>.self, action: NoAction.self)
    #expect(rooted.compatibility(with: own) == .compatible)
    guard case .definition(let index) = rooted.state else {
      Issue.record("a window is a struct")
      return
    }
    #expect(rooted.definitions[index].name == "Window")
    // It is no part of the state, and has none that could be subscribed to.
    #expect(throws: SchemaPathError.self) { try schema.type(at: path.rows[window: 0..<3].steps) }
    #expect(throws: SchemaPathError.self) { try schema.rooted(at: path.rows[window: 0..<3].steps + [0]) }
    #expect(throws: SchemaPathError.self) { try schema.rooted(at: [.window(start: 0, count: 1)]) }
  }

  private func mapped(
    _ bytes: [UInt8], _ map: (inout CBORDecoder, inout CBOREncoder) throws(WireError) -> Void
  ) throws -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    try map(&decoder, &encoder)
    try decoder.finish()
    return encoder.bytes
  }

  @Test func aWindowIsMappedByName() throws {
    let old = Schema(state: Table.self, action: NoAction.self)
    let new = Schema(state: NewTable.self, action: NoAction.self)
    let mapping = try SchemaMapping(from: old, to: new, .state)
    let path = StatePath<Table, Table>().rows[window: 1..<3].steps
    #expect(try mapping.mapPath(path) == [7, .window(start: 1, count: 2)])
    let part = try mapping.part(at: path)
    let (before, after) = (Window(of: rows(5), from: 1, count: 2), Window(of: rows(6), from: 1, count: 1))
    let mapped = try mapped(before.encoded()) { decoder, encoder throws(WireError) in
      try part.mapValue(&decoder, to: &encoder)
    }
    let window = try Window<IdentifiedArrayOf<NewRow>>(decoding: mapped.span.bytes)
    #expect(window.elements.map(\.text) == ["row 1", "row 2"] && window.count == 5)

    var encoder = CBOREncoder()
    after.encodeDelta(from: before, to: &encoder)
    let changes = try self.mapped(encoder.bytes) { decoder, encoder throws(WireError) in
      try part.mapChange(&decoder, to: &encoder)
    }
    var changeDecoder = CBORDecoder(changes.span.bytes)
    var result = window
    try result.apply(delta: &changeDecoder)
    #expect(result.elements.map(\.text) == ["row 1"] && result.count == 6)
  }

  /// Tools read windows by the schema alone.
  @Test func aWindowIsReadByItsSchema() throws {
    let schema = try Schema(state: Table.self, action: NoAction.self).rooted(at: [0, .window(start: 0, count: 2)])
    let values = SchemaValues(schema)
    let (before, after) = (Window(of: rows(3), from: 0, count: 2), Window(of: rows(4), from: 1, count: 2))
    let encoded = before.encoded()
    var decoder = CBORDecoder(encoded.span.bytes)
    let value = try values.value(of: schema.state, from: &decoder)
    #expect(value.encoded() == before.encoded())
    #expect(values.hash(of: value, as: schema.state) == before.stateHash())
    var encoder = CBOREncoder()
    after.encodeDelta(from: before, to: &encoder)
    let bytes = encoder.bytes
    var change = CBORDecoder(bytes.span.bytes)
    #expect(try values.applying(&change, to: value, of: schema.state).encoded() == after.encoded())
  }
}
