import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

/// The hash of a value decoded by its schema equals that of the typed value.
@Suite(.timeLimit(.minutes(30)), .computing) struct SchemaHashTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  private func check<State: Replicated>(_ state: State, _ what: Comment? = nil) throws {
    let schema = Schema(state: State.self, action: Bool.self)
    let bytes = state.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    let value = try SchemaValues(schema).value(of: schema.state, from: &decoder)
    #expect(SchemaValues(schema).hash(of: value, as: schema.state) == state.stateHash(), what)
  }

  @Test func theHashesAreTheSame() throws {
    print("seed of the hashes by schema: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    for round in 0..<100 {
      try check(shaper.world(), "seed \(Self.seed), round \(round)")
      try check(shaper.oldState(), "seed \(Self.seed), round \(round)")
    }
    var parent = Parent.State(title: "a")
    parent.path.append(Child.State(id: 1))
    parent.rows = [Child.State(id: 1), Child.State(id: 2)]
    parent.destination = .child(Child.State(id: 7))
    try check(parent)
  }
}
