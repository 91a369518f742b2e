import IdentifiedCollections
import TestSupport
import Testing
import Wire

/// The encoding of deltas, in diagnostic notation.
@Suite struct DeltaFormTests {
  private func notation<Value: Replicated>(_ new: Value, from old: Value) throws -> String {
    let delta = new.delta(from: old)
    #expect(try old.applying(delta).encoded() == new.encoded())
    return "\(try CBORValue(decoding: delta.span.bytes))"
  }

  @Test func optionals() throws {
    let item = Item(id: 1, title: "a")
    #expect(try notation(Item?.none, from: item) == "null")
    #expect(try notation(Int?.some(3), from: nil) == "[3]")
    #expect(try notation(Int?.some(3), from: 4) == "[3]")
    #expect(try notation(Item?.some(Item(id: 1, title: "b")), from: item) == "{0: {1: \"b\"}}")
  }

  @Test func aConstantThatDiffersMakesAnotherStruct() throws {
    #expect(try notation(Item(id: 2, title: "a"), from: Item(id: 1, title: "a")) == "{0: 2}")
    #expect(try notation(Place(name: "b"), from: Place(name: "a", position: .nowhere)) == "{0: \"b\"}")
  }

  @Test func enumsChangeTheirPayloadOrTheirCase() throws {
    #expect(try notation(Position.at(x: 1, y: 2), from: .nowhere) == "[1, 1, 2.0]")
    #expect(try notation(Position.at(x: 1, y: 3), from: .at(x: 1, y: 2)) == "{1: {1: 3.0}}")
    #expect(try notation(Position.nowhere, from: .named("a")) == "0")
    let (a, b) = (Position.inside(Item(id: 1)), Position.inside(Item(id: 1, isDone: true)))
    #expect(try notation(b, from: a) == "{9: {8: true}}")
    #expect(Position.named("x").encoded().hexadecimal == "820a6178")
  }

  @Test func recursiveEnumsChangeWhereTheyDiffer() throws {
    let old = Tree.node(.leaf(1), .node(.leaf(2), .leaf(3)))
    let new = Tree.node(.leaf(1), .node(.leaf(2), .leaf(4)))
    #expect(try notation(new, from: old) == "{1: {1: {1: {1: {0: 4}}}}}")
  }

  @Test func arraysAreSpliced() throws {
    let hundred = Array(0..<100)
    #expect(try notation([Int](), from: []) == "{}")
    #expect(try notation(hundred + [7], from: hundred) == "{0: [100, 0, 7]}")
    #expect(try notation([7] + hundred, from: hundred) == "{0: [0, 0, 7]}")
    #expect(try notation(Array(hundred.dropFirst(2)), from: hundred) == "{0: [0, 2]}")
    var changed = hundred
    changed[40] = 9
    #expect(try notation(changed, from: hundred) == "{1: {40: 9}}")
    #expect(try notation([1, 2], from: [3, 4, 5]) == "[1, 2]")
    #expect(try notation([5, 6, 7, 8], from: [5, 1, 2, 8]) == "{1: {1: 6, 2: 7}}")
    changed.append(7)
    #expect(try notation(changed, from: hundred) == "{0: [100, 0, 7], 1: {40: 9}}")
    changed = [3] + changed.dropLast()
    #expect(try notation(changed, from: hundred) == "{0: [0, 0, 3], 1: {41: 9}}")
  }

  @Test func setsAndDictionariesAreEdited() throws {
    let (old, new) = (Set(0..<20), Set(1..<21))
    #expect(try notation(new, from: old) == "{0: [0], 1: [20]}")
    #expect(try notation(Set([1]), from: old) == "[1]")
    let names = Dictionary(uniqueKeysWithValues: (0..<9).map { ($0, Item(id: $0)) })
    var changed = names
    changed[3]?.title = "c"
    changed[4] = nil
    changed[10] = Item(id: 10)
    #expect(
      try notation(changed, from: names)
        == "{0: [4], 1: {10: {0: 10, 1: \"\", 7: [], 8: false}}, 2: {3: {1: \"c\"}}}")
    #expect(try notation([1: 2], from: [3: 4, 5: 6]) == "[{1: 2}]")
  }

  @Test func keysThatAreEqualInOtherCharactersAreReplaced() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let others = (0..<9).map { "\($0)" }
    #expect(try notation(Set(others + [decomposed]), from: Set(others + [composed])).hasPrefix("{0: ["))
    let old = [composed: 1, "a": 1, "b": 1, "c": 1]
    #expect([decomposed: 1, "a": 1, "b": 1, "c": 1].differs(from: old))
    _ = try notation([decomposed: 1, "a": 1, "b": 1, "c": 1], from: old)
  }

  @Test func identifiedArraysTellRemovedMovedInsertedAndChangedElements() throws {
    let old = IdentifiedArrayOf<Item>(uniqueElements: (0..<200).map { Item(id: $0) })
    var new = old
    new[id: 30]?.title = "a"
    #expect(try notation(new, from: old) == "{3: [30, {1: \"a\"}]}")
    new.remove(id: 5)
    new.move(fromOffsets: [7], toOffset: 2)
    new.insert(Item(id: 999), at: 4)
    #expect(
      try notation(new, from: old)
        == "{0: [5], 1: [2, 8], 2: [4, {0: 999, 1: \"\", 7: [], 8: false}], 3: [30, {1: \"a\"}]}")
    #expect(try notation(new, from: new) == "{}")
  }

  @Test func oneFieldOfOneOfManyElementsIsFewBytes() {
    let old = IdentifiedArrayOf<Item>(uniqueElements: (0..<100_000).map { Item(id: $0) })
    var new = old
    new[id: 70_000]?.isDone = true
    let delta = new.delta(from: old)
    #expect(delta.count <= 12)
  }

  @Test(
    arguments: [
      ([0xa1, 0x00, 0x81, 0x05], "removes what is not there"),
      ([0xa1, 0x01, 0x82, 0x00, 0x05], "moves what is not there"),
      ([0xa1, 0x03, 0x82, 0x05, 0xa0], "changes what is not there"),
      ([0xa1, 0x03, 0x82, 0x01, 0xa1, 0x00, 0x09], "gives another id"),
      ([0xa1, 0x02, 0x82, 0x09, 0xa1, 0x00, 0x07], "inserts behind the end"),
      ([0xa1, 0x02, 0x82, 0x00, 0xa1, 0x00, 0x01], "inserts what is there"),
      ([0xa1, 0x02, 0x84, 0x01, 0xa1, 0x00, 0x07, 0x00, 0xa1, 0x00, 0x08], "goes back"),
      ([0xa1, 0x00, 0x82, 0x01, 0x01], "removes twice"),
      ([0x82, 0xa1, 0x00, 0x01, 0xa1, 0x00, 0x01], "has an id twice"),
      ([0xa1, 0x09, 0x80], "is of no known kind"),
      ([0xa1, 0x03, 0x81, 0x01], "is half a pair"),
    ] as [([UInt8], String)])
  func whatDoesNotFitAnIdentifiedArrayIsRefused(delta: [UInt8], reason: String) {
    let base: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    #expect(throws: WireError.self, "\(reason)") { try base.applying(delta) }
  }

  @Test(
    arguments: [
      [0xa1, 0x00, 0x82, 0x03, 0x00], [0xa1, 0x00, 0x82, 0x01, 0x02], [0xa1, 0x00, 0x81, 0x00],
      [0xa1, 0x01, 0xa1, 0x02, 0x00], [0xa1, 0x02, 0x80], [0xa1, 0x00, 0x82, 0x1b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x00],
      [0x9b, 0x00, 0xff, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func whatDoesNotFitAnArrayIsRefused(delta: [UInt8]) {
    #expect(throws: WireError.self) { try [1, 2].applying(delta) }
  }

  @Test func setsAndDictionariesAreReadInOneOrderOnly() {
    for (second, problem) in [(0x01, .keysOutOfOrder), (0x02, .repeatedKey)] as [(UInt8, WireError.Problem)] {
      let (members, pairs) = ([0x82, 0x02, second], [0xa2, 0x02, 0x00, second, 0x00])
      #expect(throws: WireError(problem, at: 2)) { try Set<Int>(decoding: members.span.bytes) }
      #expect(throws: WireError(problem, at: 3)) { try [Int: Int](decoding: pairs.span.bytes) }
    }
    // "é" as one and as two code points: two encodings, and texts that are equal.
    let equal = "\u{e9}".encoded() + "\u{65}\u{301}".encoded()
    #expect(throws: WireError(.repeatedKey, at: 4)) { try Set<String>(decoding: ([0x82] + equal).span.bytes) }
    #expect(throws: WireError.self) { try Set([1, 2]).applying([0xa1, 0x00, 0x81, 0x03]) }
    #expect(throws: WireError.self) { try Set([1, 2]).applying([0xa1, 0x01, 0x81, 0x02]) }
    #expect(throws: WireError.self) { try [1: 2].applying([0xa1, 0x00, 0x81, 0x03]) }
    #expect(throws: WireError.self) { try [1: 2].applying([0xa1, 0x01, 0xa1, 0x01, 0x01]) }
    #expect(throws: WireError.self) { try [1: 2].applying([0xa1, 0x02, 0xa1, 0x03, 0x01]) }
  }

  @Test func aDeltaForAnotherCaseIsRefused() {
    #expect(throws: WireError(.doesNotFit(type: "Position"), at: 0)) {
      try Position.nowhere.applying([0xa1, 0x09, 0xa1, 0x08, 0xf5])
    }
    #expect(throws: WireError(.doesNotFit(type: "Optional"), at: 0)) {
      try Item?.none.applying([0xa1, 0x00, 0xa1, 0x08, 0xf5])
    }
  }

  @Test func valuesThatNestWithoutEndAreRefusedBeforeTheStackEnds() throws {
    var tree: [UInt8] = []
    for _ in 0..<100_000 { tree += [0x83, 0x01] }
    #expect(throws: WireError(.tooDeep(limit: 64), at: 128)) { try Tree(decoding: tree.span.bytes) }
    var delta: [UInt8] = []
    for _ in 0..<100_000 { delta += [0xa1, 0x01, 0xa1, 0x00] }
    #expect(throws: WireError.self) { try Tree.leaf(0).applying(delta) }
    // A value as deep as a snapshot may be can also come as a delta.
    func deepTree(_ leaf: Int) -> Tree { (0..<63).reduce(.leaf(leaf)) { tree, _ in .node(tree, .leaf(0)) } }
    #expect(try Tree(decoding: deepTree(1).encoded().span.bytes) == deepTree(1))
    var encoder = CBOREncoder()
    deepTree(2).encodeDelta(from: deepTree(1), to: &encoder)
    #expect(try deepTree(1).applying(encoder.bytes) == deepTree(2))
    var places: [UInt8] = []
    for _ in 0..<100_000 { places += [0xa1, 0x02, 0x81] }
    #expect(throws: WireError.self) { try Place(decoding: places.span.bytes) }
  }
}
