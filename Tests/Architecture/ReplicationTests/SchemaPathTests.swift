import ComposableArchitecture
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

@Suite struct SchemaPathTests {
  private let old = Schema(state: Old.State.self, action: Old.Action.self)
  private let new = Schema(state: New.State.self, action: New.Action.self)
  private let world = Schema(state: World.self, action: Position.self)

  @Test func stepsAreKeysAndIDs() throws {
    for (step, bytes) in [
      (.key(0), [0x00]), (.key(300), [0x19, 0x01, 0x2c]), (.id([0x05]), [0x81, 0x05]),
      (.id([0x61, 0x61]), [0x81, 0x61, 0x61]),
    ] as [(PathStep, [UInt8])] {
      #expect(step.encoded() == bytes)
      #expect(try PathStep(decoding: bytes.span.bytes) == step)
    }
    for bytes in [[0x80], [0x82, 0x00, 0x00], [0x20], [0x61, 0x61], [0x81], [0x81, 0x18, 0x05], []] as [[UInt8]] {
      #expect(throws: WireError.self) { try PathStep(decoding: bytes.span.bytes) }
    }
  }

  @Test func aPathLeadsToAType() throws {
    let id = PathStep.id(Old.Mark(x: 1, y: "").encoded())
    for (path, type) in [
      ([], "Old.State"), ([.key(0)], "Int"), ([.key(2)], "Old.Mode"), ([.key(2), .key(1)], "Int"),
      ([.key(2), .key(3), .key(1)], "Old.Mark"), ([.key(2), .key(3), .key(2), .key(0)], "String"),
      ([.key(3)], "IdentifiedArray<Old.Mark, Old.Row>"), ([.key(3), id], "Old.Row"),
      ([.key(3), id, .key(1)], "String"),
      ([.key(8), .key(0), .key(0)], "Old.Row"), ([.key(10), .key(0)], "Old.Row"), ([.key(10), .key(1)], "Old.Failure"),
      ([.key(16), .id([0x03])], "Old.Row"), ([.key(17), .key(0), .key(0), .key(0), .key(1)], "String"),
    ] as [([PathStep], String)] {
      #expect(name(try old.type(at: path), in: old) == type)
    }
  }

  private func name(_ type: SchemaType, in schema: Schema) -> String {
    switch type {
    case .definition(let index): schema.definitions[index].name
    case .named(let name, let parts):
      parts.isEmpty ? name : "\(name)<\(parts.map { self.name($0, in: schema) }.joined(separator: ", "))>"
    }
  }

  @Test(
    arguments: [
      ([.key(99)], 0, "the state has no field with key 99"),
      ([.id([0x00])], 0, "the state has no elements with ids"),
      ([.key(1), .key(1)], 1, "'place' of World is optional, and only step 0 leads to what it holds"),
      ([.key(1), .key(0), .key(7)], 2, "'place' of World has no field with key 7"),
      ([.key(1), .key(0), .key(1), .key(2)], 3, "'position' of Place has no case with key 2"),
      ([.key(1), .key(0), .key(1), .key(0)], 3, "the case 'nowhere' of Position holds nothing"),
      ([.key(1), .key(0), .key(1), .key(1)], 4, "'at' of Position has several values, and no step says which"),
      ([.key(1), .key(0), .key(1), .key(1), .key(2)], 4, "'at' of Position has no such value among its 2"),
      ([.key(2), .key(0)], 1, "'items' of World has elements, which are found by id"),
      ([.key(2), .id([0x05]), .key(2)], 2, "an element of 'items' of World has no field with key 2"),
      (
        [.key(2), .id([0x61, 0x61]), .key(2)], 1,
        "the id of an element of 'items' of World is refused: byte 0: expected an integer"
      ),
      (
        [.key(2), .id([0x05, 0x05])], 1,
        "the id of an element of 'items' of World is refused: byte 1: bytes follow the end of the item"
      ),
      ([.key(3), .key(0)], 1, "'plain' of World is of type Array<Item>, into which no path leads"),
      ([.key(0), .key(0), .key(0)], 2, "'int8' of Everything is of type Int8, into which no path leads"),
      ([.key(0), .key(29), .key(2)], 2, "'result' of Everything is a Result, and only steps 0 and 1 lead into it"),
    ] as [([PathStep], Int, String)])
  func aPathThatLeadsNowhereIsToldWithThePlace(path: [PathStep], step: Int, reason: String) {
    #expect {
      try world.type(at: path)
    } throws: {
      ($0 as? SchemaPathError).map { $0.step == step && $0.reason == reason && "\($0)" == reason } ?? false
    }
  }

  @Test func pathsAreMappedByName() throws {
    let mapping = try SchemaMapping(from: old, to: new, .state)
    let back = try SchemaMapping(from: new, to: old, .state)
    let mark = Old.Mark(x: 300, y: "a")
    let id = PathStep.id(mark.encoded())
    for (path, type) in [
      ([], "New.State"), ([.key(0)], "Int"), ([.key(3), id], "New.Row"),
      ([.key(3), id, .key(4), .key(2), .key(0)], "Int"),
      ([.key(2), .key(3), .key(1)], "New.Mark"), ([.key(8), .key(0), .key(0), .key(1)], "String"),
      ([.key(10), .key(1), .key(1)], "New.Mark"), ([.key(16), .id([0x03]), .key(0)], "New.Mark"),
      ([.key(15), .key(7)], "Array<String>"),
    ] as [([PathStep], String)] {
      let mapped = try mapping.mapPath(path)
      #expect(name(try new.type(at: mapped), in: new) == type)
      #expect(try back.mapPath(mapped) == path)
    }
    #expect(try mapping.mapPath([.key(3), id]).last == .id(New.Mark(mark).encoded()))
    // A value of another type is not accepted as an id.
    #expect {
      try mapping.mapPath([.key(3), .id([0x05])])
    } throws: {
      "\($0)" == "the id of an element of 'rows' of Old.State is refused: byte 0: expected a map"
    }
    #expect {
      try mapping.mapPath([.key(20)])
    } throws: {
      "\($0)" == "'retired' of Old.State is not known to the other side"
    }
    #expect {
      try mapping.mapPath([.key(2), .key(77)])
    } throws: {
      "\($0)" == "'mode' of Old.State has no case with key 77"
    }
  }

  @Test func aPartOfAMappingMapsAPartOfTheState() throws {
    let mapping = try SchemaMapping(from: old, to: new, .state)
    let row = Old.Row(id: Old.Mark(x: 300, y: "a"), title: "t", mode: .marked(Old.Mark(x: 2, y: "")))
    let part = try mapping.part(at: [.key(3), .id(row.id.encoded())])
    #expect(try part.read(New.Row.self, row.encoded()) == New.Row(row))
    var next = row
    next.mode = .marked(Old.Mark(x: 3, y: "b"))
    #expect(try New.Row(row).applying(part.change(next.delta(from: row))) == New.Row(next))
    // So does a mapping created for the two types.
    let made = try SchemaMapping(
      from: old, to: new,
      .types(source: try old.type(at: [.key(4)]), target: try new.type(at: mapping.mapPath([.key(4)]))))
    #expect(try made.read([New.Row].self, [row].encoded()) == [New.Row(row)])
    #expect(throws: SchemaPathError.self) { try mapping.part(at: [.key(2), .key(3)]) }
  }
}
