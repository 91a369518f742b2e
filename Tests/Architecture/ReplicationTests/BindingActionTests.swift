import ComposableArchitecture
import JSONText
import ReplicatedArchitecture
import SchemaNames
import Testing
import Wire

@Suite struct BindingActionTests {
  @Test func anActionIsTheSameAfterTheJourney() throws {
    for action in Self.actions {
      let read = try Form.Action(decoding: Form.Action.binding(action).encoded().span.bytes)
      let binding = try #require(read.binding)
      #expect(binding == action)
      #expect(!binding.differs(from: action) && binding.keyPath == action.keyPath)
    }
    #expect(BindingAction<Form.State>.set(\.title, "a").differs(from: .set(\.title, "b")))
    #expect(BindingAction<Form.State>.set(\.title, "a").differs(from: .set(\.note, "a")))
    // Equal, with other bytes; and not equal to itself, with the same bytes.
    #expect(BindingAction<Form.State>.set(\.title, "\u{e9}").differs(from: .set(\.title, "e\u{301}")))
    #expect(BindingAction<Form.State>.set(\.size, 0).differs(from: .set(\.size, -0.0)))
    #expect(!BindingAction<Form.State>.set(\.size, .nan).differs(from: .set(\.size, .nan)))
  }

  private static let actions: [BindingAction<Form.State>] = [
    .set(\.title, "bread"), .set(\.note, nil), .set(\.note, "two"), .set(\.tags, ["a", "b"]),
    .set(\.settings.volume, 3), .set(\.settings, Form.Settings(volume: 4)), .set(\.settings.colour.hue, 7),
    .set(\.kind, .long),
  ]

  @Test func theReducerOfTheHubSetsTheFields() throws {
    var state = Form.State()
    let reducer = CompiledReducer(Form())
    for action in Self.actions {
      let read = try Form.Action(decoding: Form.Action.binding(action).encoded().span.bytes)
      _ = reducer(&state, read)
    }
    var expected = Form.State()
    expected.title = "bread"
    expected.changes = ["title"]
    expected.note = "two"
    expected.tags = ["a", "b"]
    expected.settings = Form.Settings(volume: 4)
    expected.settings.colour.hue = 7
    expected.kind = .long
    #expect(state == expected)
  }

  /// Keys are those of the fields plus one, so that the schema is as stable as the state's.
  @Test func theBytesAreThoseOfAnEnum() {
    func bytes(_ action: BindingAction<Form.State>) -> [UInt8] { action.encoded() }
    #expect(bytes(.set(\.title, "a")) == [0x82, 1, 0x61, 0x61])
    #expect(bytes(.set(\.settings.volume, 3)) == [0x82, 11, 0x82, 1, 3])
    #expect(bytes(.set(\.settings, Form.Settings(volume: 3))).prefix(4) == [0x82, 11, 0x82, 0])
  }

  @Test func aFieldThatIsNotReplicatedHasNoBytes() {
    for action in [BindingAction<Form.State>.set(\.shout, "A"), .set(\.cache, 2), .set(\.settings.colour.cache, 1)] {
      #expect(throws: WireError.self) { try BindingAction<Form.State>(decoding: action.encoded().span.bytes) }
    }
    #expect(!ReadingRisks(of: Form.Action.self).isEmpty)
    #expect(ReadingRisks(of: Form.State.self).isEmpty)
  }

  @Test(
    arguments: [
      [0x82, 99, 1], [0x01], [0x82, 1, 5], [0x83, 1, 0x61, 0x61, 0], [0x82, 11, 3], [0x82, 11, 0x82, 99, 3],
      [0x82, 0, 1],
    ] as [[UInt8]])
  func badBytesAreRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try BindingAction<Form.State>(decoding: bytes.span.bytes) }
  }

  @Test func usersWriteTheFieldsPath() throws {
    let schema = Schema(state: Form.State.self, action: Form.Action.self)
    func action(_ path: String, _ value: JSONValue) throws -> Form.Action {
      try Form.Action(decoding: schema.action(schema.actionPath(named: path), [value]).encoded().span.bytes)
    }
    #expect(try action("binding.title", .string("x")) == .binding(.set(\.title, "x")))
    #expect(try action("binding.settings.volume", .number("9")) == .binding(.set(\.settings.volume, 9)))
    let whole = Form.Action.binding(.set(\.settings, Form.Settings(volume: 2)))
    let value = try CBORValue(decoding: whole.encoded().span.bytes)
    #expect(schema.text(ofAction: value) == #"binding.settings.self {"volume":2,"colour":{"hue":0}}"#)
  }
}

private struct Form: Reducer {
  @ObservableState @Replicated
  struct State: Equatable {
    var title = ""
    var note: String?
    var tags: [String] = []
    @ReplicatedKey(10) var settings = Settings()
    var kind = Kind.short
    var changes: [String] = []
    var size = 0.0
    @ReplicatedKey(18_446_744_073_709_551_615) var last = 0
    @Replicated(omit) var cache = 0
    var shout: String {
      get { title.uppercased() }
      set { title = newValue.lowercased() }
    }
  }

  @Replicated
  struct Settings: Equatable {
    var volume = 0
    var colour = Colour()
  }

  @Replicated
  struct Colour: Equatable {
    var hue = 0
    @Replicated(omit) var cache = 0
  }

  @Replicated
  enum Kind: Equatable { case short, long }

  @Replicated
  enum Action: BindableAction, Equatable {
    case binding(BindingAction<State>)
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      if case .binding(\.title) = action { state.changes.append("title") }
      return .none
    }
  }
}
