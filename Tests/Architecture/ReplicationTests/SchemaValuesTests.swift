import ComposableArchitecture
import IdentifiedCollections
import JSONText
import SchemaNames
import TestSupport
import Testing
import Wire

/// Values and changes decoded by the schema alone, compared with typed ones.
@Suite(.timeLimit(.minutes(30)), .computing) struct SchemaValuesTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  /// A state of a type, typed as in the hub and untyped as in a tool.
  private struct Pair<State: Replicated> {
    let schema = Schema(state: State.self, action: Bool.self)
    var typed: State
    var untyped: CBORValue

    init(_ state: State) throws {
      (typed, untyped) = (state, .array([]))
      untyped = try read(state.encoded())
    }

    func read(_ bytes: [UInt8]) throws(WireError) -> CBORValue {
      var decoder = CBORDecoder(bytes.span.bytes)
      let value = try SchemaValues(schema).value(of: schema.state, from: &decoder)
      try decoder.finish()
      return value
    }

    func applying(_ delta: [UInt8]) throws(WireError) -> CBORValue {
      var decoder = CBORDecoder(delta.span.bytes)
      let value = try SchemaValues(schema).applying(&decoder, to: untyped, of: schema.state)
      try decoder.finish()
      return value
    }

    mutating func change(to state: State, _ what: Comment) throws {
      let old = (value: untyped, plain: try CBORValue(decoding: typed.encoded().span.bytes))
      untyped = try applying(state.delta(from: typed))
      typed = state
      #expect(untyped.encoded() == state.encoded(), what)
      #expect(try read(state.encoded()).encoded() == state.encoded(), what)
      // Lists with ids equal lists without.
      let plain = try CBORValue(decoding: state.encoded().span.bytes)
      #expect(untyped == plain && untyped.hashValue == plain.hashValue, what)
      let (values, json) = (SchemaValues(schema), SchemaJSON(schema))
      #expect(values.hash(of: untyped, as: schema.state) == values.hash(of: plain, as: schema.state), what)
      #expect("\(json.json(of: untyped, as: schema.state))" == "\(json.json(of: plain, as: schema.state))", what)
      let found = values.differences(from: old.value, to: untyped, as: schema.state)
      #expect(found.map(\.path) == values.differences(from: old.plain, to: plain, as: schema.state).map(\.path), what)
    }
  }

  @Test func aHistoryOfSmallChangesIsFollowedDeltaByDelta() throws {
    print("seed of the untyped histories: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    var world = try Pair(shaper.world())
    var old = try Pair(shaper.oldState())
    for round in 0..<300 {
      try world.change(to: shaper.changed(world.typed), "seed \(Self.seed), round \(round)")
      try old.change(to: shaper.changed(old.typed), "seed \(Self.seed), round \(round)")
    }
  }

  /// All versions are kept and compared; this takes minutes unless they share their elements.
  @Test func manyVersionsOfALongListAreKept() throws {
    let schema = Schema(state: ListOfItems.self, action: Bool.self)
    let values = SchemaValues(schema)
    var typed = ListOfItems()
    for id in 0..<50_000 { typed.items.append(ListOfItems.Item(id: id, text: "\(id)")) }
    let bytes = typed.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    var versions = [try values.value(of: schema.state, from: &decoder)]
    for round in 0..<2000 {
      let old = typed
      typed.items[id: round * 7]?.text = "changed"
      typed.items.remove(id: 49_999 - round * 3)
      typed.items.insert(ListOfItems.Item(id: 50_000 + round, text: "new"), at: round * 5)
      let delta = typed.delta(from: old)
      var change = CBORDecoder(delta.span.bytes)
      versions.append(try values.applying(&change, to: versions[round], of: schema.state))
      let found = values.differences(from: versions[round], to: versions[round + 1], as: schema.state)
      #expect(
        found.map(\.path) == [
          ".items[\(49_999 - round * 3)]", ".items[\(50_000 + round)]", ".items[\(round * 7)].text",
        ], "round \(round)")
    }
    #expect(versions[2000].encoded() == typed.encoded())
    #expect(versions[0].encoded() == bytes)
  }

  @Test func theDeltaOfAnyTwoStatesMakesTheSecondOfTheFirst() throws {
    let seed = Self.seed &+ 1
    var shaper = Shaper(seed: seed)
    for round in 0..<60 {
      var world = try Pair(shaper.world())
      try world.change(to: shaper.world(), "seed \(seed), round \(round)")
      var old = try Pair(shaper.oldState())
      try old.change(to: shaper.oldState(), "seed \(seed), round \(round)")
    }
  }

  @Test func stacksAndPresentedStatesChangeInside() throws {
    var state = Parent.State(title: "a")
    var pair = try Pair(state)
    let changes: [(inout Parent.State) -> Void] = [
      { $0.destination = .child(Child.State(id: 7)) },
      { $0.path.append(Child.State(id: 1)) },
      { $0.path.append(Child.State(id: 2)) },
      { $0.path[0].name = "first" },
      { $0.destination = .child(Child.State(id: 7, name: "child")) },
      { $0.rows = [Child.State(id: 1), Child.State(id: 2), Child.State(id: 3)] },
      { $0.rows.swapAt(0, 2) },
      { $0.rows[id: 2]?.clicks = 4 },
      { $0.rows.remove(id: 1) },
      { $0.destination = .alert(AlertState { TextState("Sure?").bold() }) },
      { $0.path.removeLast() },
      { $0.destination = nil },
    ]
    for (step, change) in changes.enumerated() {
      change(&state)
      try pair.change(to: state, "step \(step)")
    }
  }

  @Test func changedBytesAreRefusedOrMakeTheSame() throws {
    let seed = Self.seed &+ 2
    print("seed of the changed untyped bytes: \(seed)")
    var shaper = Shaper(seed: seed)
    var (refused, applied) = (0, 0)
    for round in 0..<80 {
      let pair = try Pair(shaper.world())
      let original = shaper.changed(pair.typed).delta(from: pair.typed)
      for _ in 0..<20 where !original.isEmpty {
        var delta = original
        switch shaper.below(3) {
        case 0: delta[shaper.below(delta.count)] = UInt8(shaper.below(256))
        case 1: delta[shaper.below(delta.count)] ^= 1 << UInt8(shaper.below(8))
        default: delta.removeLast(1 + shaper.below(delta.count))
        }
        let (typed, untyped) = (try? pair.typed.applying(delta), try? pair.applying(delta))
        // The schema may know the type of a leaf by its name only, so the untyped decoder accepts more. The typed one
        // encodes absent fields with their defaults.
        if let typed, let untyped {
          let bytes = untyped.encoded()
          let read = try? World(decoding: bytes.span.bytes)
          #expect(read?.encoded() == typed.encoded(), "seed \(seed), round \(round)")
        }
        if let untyped {
          applied += 1
          #expect(try CBORValue(decoding: untyped.encoded().span.bytes).encoded() == untyped.encoded())
        } else {
          refused += 1
        }
      }
    }
    #expect(refused > 0 && applied > 0)
  }

  @Test func aValueOfAnotherFormIsRefused() throws {
    let pair = try Pair(Parent.State(title: "a"))
    #expect(throws: WireError.self) { try pair.read([0x80]) }
    // Without the title, which has no default.
    #expect(throws: WireError(.missingField(key: 1, type: "Parent.State"), at: 0)) {
      try pair.read([0xa1, 0x00, 0x01])
    }
    #expect(throws: WireError.self) { try pair.applying([0xa1, 0x05, 0xa1, 0x00, 0x81, 0x07]) }
  }
}

/// A state with a long list.
@Replicated
private struct ListOfItems: Equatable {
  @Replicated
  struct Item: Equatable, Identifiable {
    var id: Int
    var text: String
  }

  var items: IdentifiedArrayOf<Item> = []
}
