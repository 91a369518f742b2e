import ComposableArchitecture
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

private enum First {
  @Replicated
  struct State: Equatable {
    var count = 0
    var name: String
    var mode = Mode.off
    var children: [State]?
  }

  @Replicated
  enum Mode: Equatable {
    case off
    case level(Int)
  }

  @Replicated
  enum Action: Equatable {
    case tapped
    case set(to: Int, by: String)
  }
}

/// An added field and case, a removed field with a default, and the rest in another order with the same keys.
private enum Later {
  @Replicated
  struct State: Equatable {
    @ReplicatedKey(1) var name: String
    @ReplicatedKey(2) var mode = Mode.off
    var children: [State]?
    var note = ""
  }

  @Replicated
  enum Mode: Equatable {
    case off
    case level(Int)
    case automatic
  }

  typealias Action = First.Action
}

@Replicated
private struct Reordered: Equatable {
  var name: String
  var count = 0
  var mode = First.Mode.off
  var children: [First.State]?
}

@Replicated
private struct Needy: Equatable {
  var count = 0
  var name: String
  var mode = First.Mode.off
  var children: [First.State]?
  var must: Int
}

@Replicated
private struct Retyped: Equatable {
  var count = ""
  var name: String
  var mode = First.Mode.off
  var children: [First.State]?
}

@Replicated
private enum Relabelled: Equatable {
  case tapped
  case set(to: Int, from: String)
}

private enum Swapped {
  @Replicated
  struct Before: Hashable {
    var a = 1
    var b = 2
  }

  @Replicated
  struct After: Hashable {
    @ReplicatedKey(1) var a = 1
    @ReplicatedKey(0) var b = 2
  }

  @Replicated
  struct Grown: Hashable {
    var a = 1
    var b = 2
    var c = 3
  }

  @Replicated
  enum CasesBefore: Equatable {
    case a, b
  }

  @Replicated
  enum CasesAfter: Equatable {
    case b, a
  }
}

/// A type with an opaque encoding.
private struct Opaque<Value: WireValue>: WireValue {
  var value: Value
  init(from decoder: inout CBORDecoder) throws(WireError) { value = try decoder.value() }
  func encode(to encoder: inout CBOREncoder) { value.encode(to: &encoder) }
  static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Opaque", [Value.schema(in: &builder)]) }
}

@Suite(.computing) struct SchemaTests {
  private let first = Schema(state: First.State.self, action: First.Action.self)

  @Test func aSchemaNamesWhatTheBytesLeaveOut() throws {
    #expect(first.state == .definition(0))
    #expect(first.definitions.map(\.name) == ["First.State", "First.Mode", "First.Action"])
    #expect(
      first.definitions[0].content
        == .fields([
          .init(key: 0, name: "count", type: .named("Int"), hasDefault: true),
          .init(key: 1, name: "name", type: .named("String"), hasDefault: false),
          .init(key: 2, name: "mode", type: .definition(1), hasDefault: true),
          .init(
            key: 3, name: "children", type: .named("Optional", [.named("Array", [.definition(0)])]), hasDefault: true),
        ]))
    #expect(
      first.definitions[2].content
        == .cases([
          .init(key: 0, name: "tapped", payload: []),
          .init(
            key: 1, name: "set",
            payload: [.init(label: "to", type: .named("Int")), .init(label: "by", type: .named("String"))]),
        ]))
  }

  @Test func aSchemaComesBackFromItsBytes() throws {
    for schema in [first, Schema(state: Parent.State.self, action: Parent.Action.self)] {
      let bytes = schema.encoded()
      #expect(try Schema(decoding: bytes.span.bytes) == schema)
      for count in bytes.indices {
        #expect(throws: WireError.self) { try Schema(decoding: Array(bytes[..<count]).span.bytes) }
      }
    }
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func changedBytesAreNoSchemaThatHarms(seed: UInt64) async {
    print("seed of the changed schemas: \(seed)")
    var generator = SplitMix(seed: seed)
    let schema = Schema(state: World.self, action: Parent.Action.self)
    let original = schema.encoded()
    var shaper = Shaper(seed: seed)
    let state = shaper.world().encoded()
    for _ in 0..<1000 {
      await Task.yield()
      var bytes = original
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      guard let other = try? Schema(decoding: bytes.span.bytes) else { continue }
      #expect(other.encoded() == bytes, "seed \(seed)")
      _ = other.compatibility(with: schema)
      // Compatible schemas can be mapped, except for cases with other names.
      let states = try? SchemaMapping(from: schema, to: other, .state)
      let actions = try? SchemaMapping(from: schema, to: other, .action)
      if case .incompatible = schema.compatibility(with: other) {
        #expect(states == nil || actions == nil, "seed \(seed)")
        continue
      }
      guard let states, actions != nil else {
        Issue.record("seed \(seed): compatible, and not mapped")
        continue
      }
      do throws(WireError) {
        _ = try states.value(state)
      } catch {
        guard case .unknownName = error.problem else {
          Issue.record("seed \(seed): \(error)")
          continue
        }
      }
    }
  }

  @Test func fingerprintsAreSHA256() {
    // FIPS 180-2, appendix B.1.
    #expect(
      SchemaFingerprint(ofBytes: Array("abc".utf8)).description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(first.fingerprint == Schema(state: First.State.self, action: First.Action.self).fingerprint)
    #expect(first.fingerprint != Schema(state: Later.State.self, action: Later.Action.self).fingerprint)
  }

  @Test func whatWasAddedOrRemovedWithADefaultIsCompatible() throws {
    let later = Schema(state: Later.State.self, action: Later.Action.self)
    #expect(first.compatibility(with: first) == .same)
    #expect(first.compatibility(with: later) == .compatible)
    #expect(later.compatibility(with: first) == .compatible)
    // The decoded value is as expected.
    let old = First.State(count: 4, name: "n", mode: .level(2), children: [First.State(name: "c")])
    let new = try Later.State(decoding: old.encoded().span.bytes)
    #expect(new == Later.State(name: "n", mode: .level(2), children: [Later.State(name: "c")]))
    let back = try First.State(decoding: new.encoded().span.bytes)
    #expect(back == First.State(name: "n", mode: .level(2), children: [First.State(name: "c")]))
  }

  @Test func otherKeysForTheSameNamesAreTold() {
    let other = Schema(state: Reordered.self, action: First.Action.self)
    #expect(first.compatibility(with: other) == .compatibleByName)
  }

  private func compatibility<Mine: WireValue, Theirs: WireValue>(
    _ mine: Mine.Type, _ theirs: Theirs.Type
  ) -> SchemaCompatibility {
    let there = Schema(state: theirs, action: Bool.self)
    let result = Schema(state: mine, action: Bool.self).compatibility(with: there)
    // Exactly the schemas that count as compatible can be mapped.
    let mapping = try? SchemaMapping(from: Schema(state: mine, action: Bool.self), to: there, .state)
    if case .incompatible = result { #expect(mapping == nil) } else { #expect(mapping != nil) }
    return result
  }

  @Test func keysThatAreSwappedDiffer() throws {
    #expect(compatibility(Swapped.Before.self, Swapped.After.self) == .compatibleByName)
    #expect(compatibility(Swapped.After.self, Swapped.Before.self) == .compatibleByName)
    #expect(compatibility([[Swapped.Before]?].self, [[Swapped.After]?].self) == .compatibleByName)
    #expect(compatibility(Swapped.CasesBefore.self, Swapped.CasesAfter.self) == .compatibleByName)
    #expect(compatibility(Swapped.Before.self, Swapped.Grown.self) == .compatible)
    let mapping = try SchemaMapping(
      from: Schema(state: Swapped.Before.self, action: Bool.self),
      to: Schema(state: Swapped.After.self, action: Bool.self), .state)
    #expect(try mapping.value(Swapped.Before(a: 5, b: 6).encoded()) == Swapped.After(a: 5, b: 6).encoded())
  }

  @Test func whatTellsElementsApartHasTheSameFieldsOnBothSides() {
    let reason =
      "the field 'c' of Swapped.Before is only there, but Swapped.Before tells the elements of a collection apart"
    #expect(compatibility([Swapped.Before].self, [Swapped.Grown].self) == .compatible)
    #expect(compatibility([Int: Swapped.Before].self, [Int: Swapped.Grown].self) == .compatible)
    #expect(compatibility(Set<Swapped.Before>.self, Set<Swapped.Grown>.self) == .incompatible(reason))
    #expect(compatibility([Swapped.Before?: Int].self, [Swapped.Grown?: Int].self) == .incompatible(reason))
    #expect(compatibility(Set<Swapped.Before>.self, Set<Swapped.After>.self) == .compatibleByName)
  }

  @Test func whatOnlyItsOwnCodeCanReadIsNotMapped() {
    #expect(compatibility(Opaque<Swapped.Before>.self, Opaque<Swapped.Grown>.self) == .compatible)
    #expect(
      compatibility([Opaque<Swapped.Before>].self, [Opaque<Swapped.After>].self)
        == .incompatible(
          """
          the state is of type Opaque, inside of which nothing can be mapped, and 'a' of Swapped.Before has another key there
          """))
  }

  @Test func aSchemaThatIsAsDeepAsItCanBeIsCompared() throws {
    // A thousand types, each nested in the previous one, compared with one that contains itself.
    struct Link: WireValue {
      init(from decoder: inout CBORDecoder) throws(WireError) {}
      func encode(to encoder: inout CBOREncoder) {}
    }
    var chain = Schema(state: Link.self, action: Bool.self)
    chain.state = .definition(0)
    chain.definitions = (0..<1024).map { index in
      .init(
        name: "A\(index)",
        content: .fields([.init(key: 1, name: "next", type: .definition((index + 1) % 1024), hasDefault: true)]))
    }
    var ring = chain
    ring.definitions = (0..<31).map { index in
      .init(
        name: "B\(index)",
        content: .fields([.init(key: 0, name: "next", type: .definition((index + 1) % 31), hasDefault: true)]))
    }
    #expect(chain.compatibility(with: ring) == .compatibleByName)
    let mapping = try SchemaMapping(from: chain, to: ring, .state)
    var value: [UInt8] = []
    for _ in 0..<100_000 { value += [0xa1, 0x01] }
    #expect(throws: WireError(.tooDeep(limit: 320), at: 640)) { try mapping.value(value) }
  }

  @Test func theFirstDifferenceIsNamed() {
    #expect(
      first.compatibility(with: Schema(state: Needy.self, action: First.Action.self))
        == .incompatible("the field 'must' of First.State is only there and has no default"))
    #expect(
      first.compatibility(with: Schema(state: Retyped.self, action: First.Action.self))
        == .incompatible("the field 'count' of First.State is of type Int here and String there"))
    #expect(
      first.compatibility(with: Schema(state: First.State.self, action: Relabelled.self))
        == .incompatible("the case 'set' of First.Action has other payload labels here (to, by) than there (to, from)"))
    #expect(
      first.compatibility(with: Schema(state: First.Mode.self, action: First.Action.self))
        == .incompatible("the state is the struct First.State here and the enum First.Mode there"))
  }
}
