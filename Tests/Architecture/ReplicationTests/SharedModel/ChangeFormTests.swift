import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

/// The encoding of changes that merge, in diagnostic notation.
@Suite struct ChangeFormTests {
  private func notation<Value: Replicated>(_ new: Value, from old: Value) throws -> String {
    let change = new.change(from: old)
    #expect(try old.merging(change).encoded() == new.encoded())
    return "\(try CBORValue(decoding: change.span.bytes))"
  }

  private let items = IdentifiedArrayOf<Item>(uniqueElements: (0..<6).map { Item(id: $0) })

  private func titled(_ title: String, _ id: Int) -> String { "{0: \(id), 1: \"\(title)\", 7: [], 8: false}" }

  @Test func valuesWithoutPartsAreTheNewValue() throws {
    #expect(try notation(7, from: 3) == "7")
    #expect(try notation("b", from: "a") == "\"b\"")
    #expect(try notation(Item?.none, from: Item(id: 1)) == "null")
    #expect(try notation(Item?.some(Item(id: 1, title: "b")), from: Item(id: 1)) == "{0: {1: \"b\"}}")
    #expect(try notation(Position.at(x: 1, y: 2), from: .nowhere) == "[1, 1, 2.0]")
    #expect(try notation(Position.at(x: 1, y: 3), from: .at(x: 1, y: 2)) == "{1: {1: 3.0}}")
    #expect(try notation(Item(id: 1, title: "b"), from: Item(id: 1)) == "{1: \"b\"}")
  }

  @Test func arraysAreAppendedToOrReplaced() throws {
    #expect(try notation([1, 2, 3], from: [1]) == "{2: [2, 3]}")
    #expect(try notation([1], from: []) == "{2: [1]}")
    #expect(try notation([1, 2], from: [1, 2]) == "{}")
    #expect(try notation([1, 2], from: [1, 2, 3]) == "[1, 2]")
    #expect(try notation([0, 1, 2], from: [1, 2]) == "[0, 1, 2]")
    #expect(try notation([[1, 2], [3]], from: [[1], [3]]) == "[[1, 2], [3]]")
  }

  @Test func setsAndDictionariesAreNeverReplaced() throws {
    #expect(try notation(Set([1]), from: [2, 3]) == "{0: [2, 3], 1: [1]}")
    #expect(try notation(Set<Int>(), from: [2]) == "{0: [2]}")
    #expect(try notation([1: 2], from: [3: 4, 5: 6]) == "{0: [3, 5], 1: {1: 2}}")
    #expect(try notation([3: 5], from: [3: 4]) == "{2: {3: 5}}")
    #expect(try notation(["\u{e9}": 1], from: ["e\u{301}": 1]).hasPrefix("{0: ["))
    #expect(try notation(Set(["\u{e9}"]), from: ["e\u{301}"]).hasPrefix("{0: ["))
  }

  @Test func countersAreAddedTo() throws {
    #expect(try notation(SharedCounter(5), from: 3) == "{0: 2}")
    #expect(try notation(SharedCounter(.max), from: SharedCounter(.min)) == "{0: 18446744073709551615}")
    #expect(try notation(SharedCounter(.min), from: SharedCounter(.max)) == "{0: -18446744073709551615}")
    #expect(try notation(SharedCounter?.some(5), from: 3) == "{0: {0: 2}}")
    #expect(try notation(["a": SharedCounter(5)], from: ["a": 3]) == "{2: {\"a\": {0: 2}}}")
    #expect(SharedCounter(5).delta(from: 3) == [5])
    #expect(try SharedCounter(5).merging([0x03]) == 3)
  }

  @Test func elementsAreAnchored() throws {
    var new = items
    new.append(Item(id: 9))
    #expect(try notation(new, from: items) == "{2: [[6, 1], \(titled("", 9))]}")
    new = items
    new.insert(Item(id: 9), at: 0)
    #expect(try notation(new, from: items) == "{2: [[0, 0], \(titled("", 9))]}")
    new = items
    new.insert(Item(id: 9), at: 3)
    new.insert(Item(id: 8), at: 4)
    #expect(try notation(new, from: items) == "{2: [[3, [2]], \(titled("", 9)), [4, [9]], \(titled("", 8))]}")
    #expect(try notation([Item(id: 1), Item(id: 2)], from: IdentifiedArrayOf<Item>()).hasPrefix("{2: [[0, 1], {"))
    new = items
    new.move(fromOffsets: [1], toOffset: 6)
    #expect(try notation(new, from: items) == "{1: [[5, 1], 1]}")
    new = items
    new.remove(id: 0)
    new[id: 4]?.title = "a"
    #expect(try notation(new, from: items) == "{0: [0], 3: [4, {1: \"a\"}]}")
    #expect(try notation(items, from: items) == "{}")
    #expect(try notation([], from: items) == "{0: [5, 4, 3, 2, 1, 0]}")
  }

  @Test func stacksAreEditedLikeIdentifiedArrays() throws {
    var old = StackState<Child.State>()
    old.append(Child.State(id: 1))
    var new = old
    new.append(Child.State(id: 2))
    #expect(try notation(new, from: old).hasPrefix("{2: [[1, 1], ["))
    new = old
    new[old.startIndex].clicks = 3
    #expect(try notation(new, from: old).hasPrefix("{3: ["))
  }

  @Test func changesOfAModelAreOnePerField() throws {
    var plan = Plan(title: "a", items: items)
    let base = plan
    #expect(SharedChange.changes(from: base, to: plan).isEmpty)
    plan.items[id: 3]?.title = "b"
    plan.votes += 1
    plan.title = "c"
    let changes = SharedChange.changes(from: base, to: plan)
    #expect(changes.map(\.field) == [0, 1, 2])
    #expect(changes.map(\.description) == ["title: \"c\"", "items: {3: [3, {1: \"b\"}]}", "votes: {0: 1}"])
    #expect(changes[1].encoded().hexadecimal == "8201a1038203a1016162")
    var merged = base
    for change in changes {
      let read = try SharedChange<Plan>(decoding: change.encoded().span.bytes)
      #expect(read == change)
      try read.apply(to: &merged)
    }
    #expect(merged == plan)
  }

  @Test func aPartIsChangedInsideItsContainers() throws {
    let whole = StatePath<Plan, Plan>()
    let change = SharedChange.changes(at: whole.items[id: 3].title, from: "", to: "b")
    #expect(change.map(\.description) == ["items: {3: [3, {1: \"b\"}]}"])
    let item = Item(id: 1)
    #expect(
      SharedChange.changes(
        at: whole.position.enumCase("inside", Item.self), from: item, to: Item(id: 1, title: "x")
      ).map(\.description) == ["position: {9: {1: \"x\"}}"])
    #expect(
      SharedChange.changes(at: whole.place.position, from: .nowhere, to: .named("x")).map(\.description)
        == ["place: {0: {1: [10, \"x\"]}}"])
    #expect(SharedChange.changes(at: whole.place.position, from: .nowhere, to: .nowhere).isEmpty)
    var plan = Plan(items: items)
    let (isTrue, twice) = ([0xf5] as [UInt8], [0xf5, 0xf5] as [UInt8])
    try SharedChange<Plan>(at: whole.items[id: 2].isDone.steps, change: isTrue.span.bytes).apply(to: &plan)
    #expect(plan.items[id: 2]?.isDone == true)
    #expect(throws: WireError.self) { try SharedChange<Plan>(at: [], change: isTrue.span.bytes) }
    #expect(throws: WireError.self) { try SharedChange<Plan>(at: [.key(99)], change: isTrue.span.bytes) }
    #expect(throws: WireError.self) { try SharedChange<Plan>(at: [.key(0)], change: twice.span.bytes) }
  }

  @Test func theActionIsAnEnumOfTheModelsFields() throws {
    let schema = Schema(state: Plan.self, action: SharedChange<Plan>.self)
    guard case .definition(let index) = schema.action, case .cases(let cases) = schema.definitions[index].content,
      case .definition(let stateIndex) = schema.state, case .fields(let fields) = schema.definitions[stateIndex].content
    else {
      Issue.record("the action is no enum")
      return
    }
    #expect(cases.map(\.name) == fields.map(\.name))
    #expect(cases.map(\.key) == fields.map(\.key))
    for (element, field) in zip(cases, fields) {
      #expect(element.payload == [Schema.Payload(label: "", type: .named("Change", [field.type]))])
    }
    #expect(schema.actionPrefix(of: [.key(1)]) == [0x82, 0x01])
    // Any item is read back as a change, so that nothing need be checked.
    #expect(ReadingRisks(of: SharedChange<Item>.self).isEmpty)
  }
}
