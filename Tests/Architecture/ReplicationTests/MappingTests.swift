import ComposableArchitecture
import IdentifiedCollections
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)), .computing) struct MappingTests {
  private static let seed = UInt64.random(in: 0 ... .max)
  private let old = Schema(state: Old.State.self, action: Old.Action.self)
  private let new = Schema(state: New.State.self, action: New.Action.self)

  @Test func valuesBecomeWhatTheyAreOnTheOtherSide() throws {
    print("seed of the mapped states: \(Self.seed)")
    let mapping = try SchemaMapping(from: old, to: new, .state)
    #expect(!mapping.isIdentity)
    var shaper = Shaper(seed: Self.seed)
    for round in 0..<200 {
      let state = shaper.oldState()
      let bytes = try mapping.value(state.encoded())
      #expect(try CBORValue(decoding: bytes.span.bytes).encoded() == bytes, "deterministic: round \(round)")
      let mapped = try New.State(decoding: bytes.span.bytes)
      #expect(mapped == New.State(state), "seed \(Self.seed), round \(round)")
    }
  }

  @Test func aMappedChangeOfAMappedStateMakesTheMappedNewState() async throws {
    let seed = Self.seed &+ 1
    print("seed of the mapped histories: \(seed)")
    let mapping = try SchemaMapping(from: old, to: new, .state)
    var shaper = Shaper(seed: seed)
    for history in 0..<500 {
      // Other tests wait for the same threads.
      await Task.yield()
      var state = shaper.oldState()
      var replica = try mapping.read(New.State.self, state.encoded())
      for step in 0..<4 {
        let next = step == 3 && history.isMultiple(of: 4) ? shaper.oldState() : shaper.changed(state)
        let delta = try mapping.change(next.delta(from: state))
        #expect(try CBORValue(decoding: delta.span.bytes).encoded() == delta, "deterministic: \(seed), \(history)")
        replica = try replica.applying(delta)
        let expected = New.State(next)
        #expect(replica.encoded() == expected.encoded(), "seed \(seed), history \(history), step \(step)")
        state = next
      }
    }
  }

  @Test func actionsAreMappedBack() throws {
    let seed = Self.seed &+ 2
    print("seed of the mapped actions: \(seed)")
    let mapping = try SchemaMapping(from: new, to: old, .action)
    var shaper = Shaper(seed: seed)
    for _ in 0..<2000 {
      let (new, old) = shaper.actions()
      let bytes = try mapping.value(new.encoded())
      #expect(try Old.Action(decoding: bytes.span.bytes) == old, "seed \(seed)")
    }
  }

  @Test func aCaseThatTheOtherSideDoesNotHaveIsRefusedByName() throws {
    let actions = try SchemaMapping(from: new, to: old, .action)
    #expect(throws: WireError(.unknownName("added", type: "Old.Action"), at: 0)) {
      try actions.value(New.Action.added(3).encoded())
    }
    #expect(throws: WireError(.unknownName("added", type: "Old.RowAction"), at: 4)) {
      try actions.value(New.Action.sheet(.presented(.added)).encoded())
    }
    let states = try SchemaMapping(from: new, to: old, .state)
    var state = New.State(name: "")
    state.mode = .automatic(1)
    #expect(throws: WireError.self) { try states.value(state.encoded()) }
    var next = state
    next.mode = .automatic(2)
    #expect(throws: WireError(.unknownName("automatic", type: "Old.Mode"), at: 3)) {
      try states.change(next.delta(from: state))
    }
    #expect(
      "\(WireError(.unknownName("automatic", type: "Mode"), at: 2))" == "byte 2: Mode has no case named 'automatic'")
  }

  @Test func anyOtherKeysLeadThereAndBack() async throws {
    let seed = Self.seed &+ 6
    print("seed of the shuffled schemas: \(seed)")
    var shaper = Shaper(seed: seed)
    let world = Schema(state: World.self, action: Position.self)
    for round in 0..<40 {
      await Task.yield()
      let (first, second) = (shaper.world(), shaper.oldState())
      try check(world, shaper.shuffled(world), first.encoded(), shaper.changed(first).delta(from: first), round)
      try check(old, shaper.shuffled(old), second.encoded(), shaper.changed(second).delta(from: second), round)
      // Former names lead from either side.
      let delta = shaper.changed(first).delta(from: first)
      try check(world, shaper.renamed(shaper.shuffled(world)), first.encoded(), delta, round)
    }
  }

  private func check(_ here: Schema, _ there: Schema, _ value: [UInt8], _ delta: [UInt8], _ round: Int) throws {
    let what: Comment = "seed \(Self.seed &+ 6), round \(round)"
    #expect(here.compatibility(with: there) == .compatibleByName, what)
    let mapping = try SchemaMapping(from: here, to: there, .state)
    let back = try SchemaMapping(from: there, to: here, .state)
    let (mapped, change) = (try mapping.value(value), try mapping.change(delta))
    #expect(try CBORValue(decoding: mapped.span.bytes).encoded() == mapped, what)
    #expect(try CBORValue(decoding: change.span.bytes).encoded() == change, what)
    #expect(try back.value(mapped) == value, what)
    #expect(try back.change(change) == delta, what)
  }

  @Test func aRefusalLeavesNothingBehind() throws {
    let mapping = try SchemaMapping(from: new, to: old, .action)
    var encoder = CBOREncoder()
    encoder.unsigned(5)
    let action = New.Action.sheet(.presented(.added)).encoded()
    #expect(throws: WireError.self) {
      var decoder = CBORDecoder(action.span.bytes)
      try mapping.mapValue(&decoder, to: &encoder)
    }
    #expect(encoder.bytes == [5])
  }

  @Test func changesOfWhatTheOtherSideDoesNotHaveAreLeftOut() throws {
    let mapping = try SchemaMapping(from: old, to: new, .state)
    var state = Old.State(name: "")
    state.rows = [Old.Row(id: Old.Mark(x: 1, y: "a"))]
    var next = state
    next.retired = 4
    #expect(try mapping.change(next.delta(from: state)) == [0xa0])
    next.rows[0].tags = ["b"]
    // {rows: {3: [mark, {}]}}, the mark's fields in their new order.
    #expect(
      try notation(mapping.change(next.delta(from: state)))
        == "{31: {3: [{0: \"a\", 1: 1}, {}]}}")
  }

  @Test func equalSchemasAreCopied() throws {
    let mapping = try SchemaMapping(from: old, to: old, .state)
    #expect(mapping.isIdentity)
    var shaper = Shaper(seed: Self.seed &+ 3)
    let (first, second) = (shaper.oldState(), shaper.oldState())
    #expect(try mapping.value(first.encoded()) == first.encoded())
    #expect(try mapping.change(second.delta(from: first)) == second.delta(from: first))
    let item = try SchemaMapping(from: old, to: new, .state).part(at: [.key(15)])
    #expect(item.isIdentity)
  }

  @Test func whatIsNotCompatibleHasNoMapping() throws {
    let first = Schema(state: Place.self, action: Position.self)
    let other = Schema(state: Item.self, action: Position.self)
    #expect {
      try SchemaMapping(from: first, to: other, .state)
    } throws: {
      "\($0)" == "the field 'name' of Place is only here and has no default"
    }
    #expect(throws: SchemaMismatch.self) {
      _ = try SchemaMapping(from: first, to: other, .types(source: .definition(0), target: .definition(99)))
    }
    #expect(try SchemaMapping(from: first, to: other, .action).isIdentity)
  }

  @Test func changedBytesAreRefusedOrMakeSomething() async throws {
    let seed = Self.seed &+ 4
    print("seed of the changed bytes: \(seed)")
    let states = try SchemaMapping(from: old, to: new, .state)
    let actions = try SchemaMapping(from: new, to: old, .action)
    var shaper = Shaper(seed: seed)
    var (refused, mapped) = (0, 0)
    for _ in 0..<150 {
      await Task.yield()
      let state = shaper.oldState()
      for (kind, original) in [
        state.encoded(), shaper.changed(state).delta(from: state), shaper.actions().new.encoded(),
      ].enumerated() {
        for _ in 0..<8 {
          var bytes = original
          for _ in 0...shaper.below(2) where !bytes.isEmpty {
            switch shaper.below(4) {
            case 0: bytes[shaper.below(bytes.count)] = UInt8(shaper.below(256))
            case 1: bytes[shaper.below(bytes.count)] ^= 1 << UInt8(shaper.below(8))
            case 2: bytes.insert(UInt8(shaper.below(256)), at: shaper.below(bytes.count))
            default: bytes.removeLast(shaper.below(bytes.count))
            }
          }
          do {
            let result =
              switch kind {
              case 0: try states.value(bytes)
              case 1: try states.change(bytes)
              default: try actions.value(bytes)
              }
            // Whatever the result is, it is one well-formed item, and decoders handle it.
            #expect(try CBORValue(decoding: result.span.bytes).encoded() == result, "seed \(seed)")
            if kind == 0 { _ = try? New.State(decoding: result.span.bytes) }
            if kind == 1 { _ = try? New.State(state).applying(result) }
            mapped += 1
          } catch {
            refused += 1
          }
        }
      }
    }
    print("seed \(seed): \(refused) refused, \(mapped) mapped")
    #expect(refused > 0 && mapped > 0)
  }

  @Test func whatBreaksOffIsRefused() async throws {
    let mapping = try SchemaMapping(from: old, to: new, .state)
    var shaper = Shaper(seed: Self.seed &+ 5)
    for _ in 0..<2 {
      await Task.yield()
      let (state, next) = (shaper.oldState(), shaper.oldState())
      let (bytes, delta) = (state.encoded(), next.delta(from: state))
      for count in bytes.indices {
        #expect(throws: WireError.self) { try mapping.value(Array(bytes[..<count])) }
      }
      for count in delta.indices {
        #expect(throws: WireError.self) { try mapping.change(Array(delta[..<count])) }
      }
    }
  }

  @Test func whatNestsWithoutEndIsRefusedBeforeTheStackEnds() throws {
    let trees = try #require(old.definitions.firstIndex { $0.name == "Old.Tree" })
    let others = try #require(new.definitions.firstIndex { $0.name == "New.Tree" })
    let mapping = try SchemaMapping(
      from: old, to: new, .types(source: .definition(trees), target: .definition(others)))
    var tree: [UInt8] = []
    for _ in 0..<100_000 { tree += [0x82, 0x02] }
    #expect(throws: WireError(.tooDeep(limit: 320), at: 640)) { try mapping.value(tree) }
    var delta: [UInt8] = []
    for _ in 0..<100_000 { delta += [0xa1, 0x02] }
    #expect(throws: WireError(.tooDeep(limit: 320), at: 640)) { try mapping.change(delta) }
    let same = try SchemaMapping(
      from: old, to: old, .types(source: .definition(trees), target: .definition(trees)))
    #expect(throws: WireError(.tooDeep(limit: 320), at: 639)) { try same.value(tree) }
  }

  @Test func valuesAsDeepAsReadersTakeThemAreMapped() throws {
    let mapping = try SchemaMapping(from: old, to: new, .state)
    var state = Old.State(name: "")
    for depth in 0..<60 { state.folder = Old.Folder(name: "\(depth)", folders: [state.folder]) }
    for _ in 0..<60 { state.tree = .only(state.tree) }
    #expect(try mapping.read(New.State.self, state.encoded()) == New.State(state))
    #expect(try SchemaMapping(from: old, to: old, .state).value(state.encoded()) == state.encoded())
  }
}

private func notation(_ bytes: [UInt8]) throws -> String { "\(try CBORValue(decoding: bytes.span.bytes))" }

extension SchemaMapping {
  /// Returns mapped bytes as a value of the target.
  func read<Value: WireValue>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
    // In a constant, because Swift 6.3 miscompiles a span of the result of a throwing call.
    let mapped = try value(bytes)
    return try Value(decoding: mapped.span.bytes)
  }

  func value(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    try mapValue(&decoder, to: &encoder)
    try decoder.finish()
    return encoder.bytes
  }

  func change(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
    var decoder = CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    try mapChange(&decoder, to: &encoder)
    try decoder.finish()
    return encoder.bytes
  }
}
