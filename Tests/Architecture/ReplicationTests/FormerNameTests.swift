import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

private enum First {
  @Replicated
  struct State: Equatable {
    var quantity = 0
    var items: IdentifiedArrayOf<Book> = []
    var mode = Mode.idle
  }

  @Replicated
  struct Book: Equatable, Identifiable {
    var id: Int
    var name = ""
  }

  @Replicated
  enum Mode: Equatable {
    case idle
    case busy(Int)
  }

  @Replicated
  enum Action: Equatable {
    case bought(Int)
    case cleared
  }
}

private enum Second {
  @Replicated
  struct State: Equatable {
    @Replicated(was: "quantity") var amount = 0
    @Replicated(was: "items") var books: IdentifiedArrayOf<Book> = []
    var mode = Mode.resting
  }

  @Replicated
  struct Book: Equatable, Identifiable {
    var id: Int
    @Replicated(was: "name") var title = ""
  }

  @Replicated
  enum Mode: Equatable {
    @Replicated(was: "idle") case resting
    @Replicated(was: "busy") case working(Int)
  }

  @Replicated
  enum Action: Equatable {
    @Replicated(was: "bought") case added(Int)
    case cleared
  }
}

/// Other keys and one more name of the same field.
private enum Third {
  @Replicated
  struct State: Equatable {
    var note = "new"
    var mode = Second.Mode.resting
    @Replicated(was: "amount", "quantity") var count = 0
    @Replicated(was: "items") var books: IdentifiedArrayOf<Second.Book> = []
  }

  @Replicated
  enum Action: Equatable {
    case cleared
    @Replicated(was: "added", "bought") case counted(Int)
  }
}

private enum Bound {
  @ObservableState @Replicated
  struct Old: Equatable {
    var count = 0
    var name = ""
  }

  @ObservableState @Replicated
  struct New: Equatable {
    @Replicated(was: "name") var title = ""
    @Replicated(was: "count") var total = 0
  }
}

@Suite struct FormerNameTests {
  private let first = Schema(state: First.State.self, action: First.Action.self)
  private let second = Schema(state: Second.State.self, action: Second.Action.self)
  private let third = Schema(state: Third.State.self, action: Third.Action.self)

  private let state = First.State(quantity: 4, items: [First.Book(id: 7, name: "Emma")], mode: .busy(2))

  @Test func renamedFieldsAndCasesKeepTheirValues() throws {
    // The keys are the same.
    #expect(first.compatibility(with: second) == .compatible)
    #expect(second.compatibility(with: first) == .compatible)
    let mapping = try SchemaMapping(from: first, to: second, .state)
    let renamed = Second.State(amount: 4, books: [Second.Book(id: 7, title: "Emma")], mode: .working(2))
    #expect(try mapping.read(Second.State.self, state.encoded()) == renamed)
    // And back, as after a rollback.
    let back = try SchemaMapping(from: second, to: first, .state)
    #expect(try back.read(First.State.self, renamed.encoded()) == state)
  }

  @Test func aVersionIsReadThatIsOlderByTwoNames() throws {
    for (older, bytes) in [
      (first, state.encoded()),
      (second, Second.State(amount: 4, books: [Second.Book(id: 7, title: "Emma")], mode: .working(2)).encoded()),
    ] {
      #expect(older.compatibility(with: third) == .compatibleByName)
      let mapping = try SchemaMapping(from: older, to: third, .state)
      let mapped = try mapping.read(Third.State.self, bytes)
      let expected = Third.State(mode: .working(2), count: 4, books: [Second.Book(id: 7, title: "Emma")])
      #expect(mapped == expected)
    }
  }

  @Test func changesActionsAndPathsAreMapped() throws {
    var next = state
    next.quantity = 5
    next.items[id: 7]?.name = "Persuasion"
    let states = try SchemaMapping(from: first, to: third, .state)
    let before = try states.read(Third.State.self, state.encoded())
    let after = try before.applying(states.change(next.delta(from: state)))
    #expect(after.count == 5 && after.books[id: 7]?.title == "Persuasion")
    let path = try states.mapPath([.key(1), .id(7.encoded()), .key(1)])
    #expect(path == [.key(3), .id(7.encoded()), .key(1)])

    // An action that a client of the first version has not sent yet.
    let actions = try SchemaMapping(from: first, to: third, .action)
    #expect(try actions.read(Third.Action.self, First.Action.bought(3).encoded()) == .counted(3))
    #expect(try actions.read(Third.Action.self, First.Action.cleared.encoded()) == .cleared)
  }

  @Test func bindingsOfRenamedFieldsAreMapped() throws {
    let mapping = try SchemaMapping(
      from: Schema(state: Bound.Old.self, action: BindingAction<Bound.Old>.self),
      to: Schema(state: Bound.New.self, action: BindingAction<Bound.New>.self), .action)
    let mapped = try mapping.read(
      BindingAction<Bound.New>.self, BindingAction<Bound.Old>.set(\.count, 5).encoded())
    #expect(mapped == .set(\.total, 5))
  }

  @Test func changesOfSharedModelsAreMapped() throws {
    let mapping = try SchemaMapping(
      from: Schema(state: Bound.Old.self, action: SharedChange<Bound.Old>.self),
      to: Schema(state: Bound.New.self, action: SharedChange<Bound.New>.self), .action)
    var old = Bound.Old()
    old.count = 5
    var new = Bound.New()
    for change in SharedChange.changes(from: Bound.Old(), to: old) {
      try mapping.read(SharedChange<Bound.New>.self, change.encoded()).apply(to: &new)
    }
    #expect(new.total == 5)
  }

  /// Adding or removing a mark is no new version.
  @Test func formerNamesAreNoPartOfTheIdentity() throws {
    let plain = third.withoutFormerNames
    #expect(third == plain && third.hashValue == plain.hashValue)
    #expect(third.fingerprint == plain.fingerprint)
    #expect(third.encoded() != plain.encoded())
    #expect(plain.fingerprint == SchemaFingerprint(ofBytes: plain.encoded()))
    #expect(third.compatibility(with: plain) == .same)
  }

  @Test func theyComeBackFromTheBytes() throws {
    let bytes = third.encoded()
    let read = try Schema(decoding: bytes.span.bytes)
    #expect(read == third && read.encoded() == bytes)
    let names = read.definitions.map { definition in
      switch definition.content {
      case .fields(let fields): fields.map(\.formerNames)
      case .cases(let cases): cases.map(\.formerNames)
      }
    }
    #expect(names.first == [[], [], ["amount", "quantity"], ["items"]])
    #expect(names.last == [[], ["added", "bought"]])
  }

  private func schema(_ fields: [(name: String, was: [String])]) -> Schema {
    var schema = Schema(state: Int.self, action: Bool.self)
    let fields = fields.enumerated().map { index, field in
      Schema.Field(
        key: UInt64(index), name: field.name, type: .named("Int"), hasDefault: true, formerNames: field.was)
    }
    schema.definitions = [Schema.Definition(name: "State", content: .fields(fields))]
    schema.state = .definition(0)
    return schema
  }

  @Test func withoutTheMarkAFieldIsANewOne() throws {
    let (old, new) = (schema([("a", []), ("z", [])]), schema([("b", ["a"]), ("z", [])]))
    let (marked, plain) = (
      try SchemaMapping(from: old, to: new, .state), try SchemaMapping(from: old, to: new.withoutFormerNames, .state)
    )
    let value: [UInt8] = [0xa2, 0x00, 0x05, 0x01, 0x06]
    #expect(try marked.value(value) == value)
    #expect(try plain.value(value) == [0xa1, 0x01, 0x06])
  }

  @Test func namesThatClashAreNoSchema() throws {
    for fields: [(String, [String])] in [
      [("a", ["b"]), ("b", [])], [("a", ["x"]), ("b", ["x"])], [("a", ["a"])], [("a", ["x", "x"])],
      [("a", (0...64).map { "\($0)" })], [("a", [String(repeating: "x", count: 1025)])],
    ] {
      let bytes = schema(fields.map { (name: $0.0, was: $0.1) }).encoded()
      #expect(throws: WireError.self, "\(fields)") { try Schema(decoding: bytes.span.bytes) }
    }
    let sound = schema([("a", ["x", "y"]), ("b", ["z"])]).encoded()
    #expect(throws: Never.self) { try Schema(decoding: sound.span.bytes) }
  }

  /// An empty list would be a second form of the same schema.
  @Test func anEmptyListIsRefused() throws {
    let bytes: [UInt8] = [0x83, 0x00, 0x63] + Array("Int".utf8) + [0x84, 0x61, 0x53, 0x00, 0x80]
    let field: [UInt8] = [0x00, 0x61, 0x61, 0x63] + Array("Int".utf8) + [0xf5]
    let plain = bytes + [0x84] + field
    #expect(throws: Never.self) { try Schema(decoding: plain.span.bytes) }
    let named = bytes + [0x85] + field + [0x81, 0x61, 0x62]
    #expect(throws: Never.self) { try Schema(decoding: named.span.bytes) }
    for field in [[0x85] + field + [0x80], [0x86] + field + [0x81, 0x61, 0x62, 0xf5], [0x85] + field + [0xf5]] {
      let hostile = bytes + field
      #expect(throws: WireError.self) { try Schema(decoding: hostile.span.bytes) }
    }
  }

  /// A feature cannot know which of two fields it was.
  @Test func oneFieldForTwoIsRefusedOnBothSides() {
    let (two, one) = (schema([("z", []), ("a", []), ("b", [])]), schema([("z", []), ("c", ["a", "b"])]))
    #expect(
      one.compatibility(with: two)
        == .incompatible("'c' of State here may be 'a' and 'b' there by former names: remove one of the former names"))
    #expect(
      two.compatibility(with: one)
        == .incompatible("'c' of State there may be 'a' and 'b' here by former names: remove one of the former names"))
    #expect(throws: SchemaMismatch.self) { try SchemaMapping(from: two, to: one, .state) }
    #expect(throws: SchemaMismatch.self) { try SchemaMapping(from: one, to: two, .state) }
  }

  /// A present name is more certain than a former one.
  @Test func aNameThatIsUsedAgainIsTheNewField() throws {
    // `b` was `a`, and the other side has both.
    let (old, new) = (schema([("a", []), ("b", [])]), schema([("b", ["a"]), ("c", [])]))
    #expect(old.compatibility(with: new) == .compatibleByName)
    let mapping = try SchemaMapping(from: old, to: new, .state)
    #expect(try mapping.value([0xa2, 0x00, 0x05, 0x01, 0x06]) == [0xa1, 0x00, 0x06])
  }
}
