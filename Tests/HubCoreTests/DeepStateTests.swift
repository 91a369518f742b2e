import ComposableArchitecture
import HubCore
import IdentifiedCollections
import TestSupport
import Testing
import Wire

/// A state that contains itself, as deep as decoders accept, and deeper in items than in values.
@Suite struct DeepStateTests {
  @Replicated
  struct Branch: Equatable, Identifiable, Sendable {
    let id: Int
    var branches: IdentifiedArrayOf<Branch> = []

    /// Returns branches nested to a depth.
    static func chain(_ depth: Int) -> Branch {
      (0..<depth).reduce(Branch(id: 0)) { inner, _ in Branch(id: 0, branches: [inner]) }
    }
  }

  struct Grove: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var branch = Branch(id: 0)
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case set(Branch)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .set(let branch): state.branch = branch
        }
        return .none
      }
    }
  }

  private let deepest = Branch.chain(CBORDecoder.depthLimit - 1)

  @Test func aChangeDeeperInItemsThanInValuesIsPublished() throws {
    let engine = FeatureEngine(initialState: Grove.State(), reducer: Grove())
    var core = HubCore(engine, random: SplitMix(seed: 7))
    let id = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    var input = FrameWriter()
    input.frame(Hello())
    input.frame(Attach())
    input.frame(Attach(path: [0, 1]), scope: 1)
    let greeting = input.bytes
    core.received(greeting.span.bytes, on: id, at: .zero)
    core.endTurn()
    core.clear()

    // Twice, as after a reconnection: processed actions are skipped.
    for _ in 0..<2 {
      let frame = actionsFrame([Grove.Action.set(deepest).encoded()], from: 1)
      core.received(frame.span.bytes, on: id, at: .zero)
    }
    core.endTurn()
    #expect(engine.state.branch == deepest)
    for report in core.reports { Issue.record("\(report)") }

    var kinds: [FrameKind?] = []
    var state = Grove.State()
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    let output = core.ranges.flatMap { core.output.bytes[$0] }
    try decoder.feed(output.span.bytes) { header, payload throws(WireError) in
      kinds.append(FrameKind(rawValue: header.kind))
      guard header.kind == FrameKind.delta.rawValue, header.scope == 0 else { return }
      var delta = CBORDecoder(payload, at: 2)
      state = try state.applying(delta: &delta)
    }
    #expect(kinds == [.delta, .delta, .applied])
    #expect(state.branch == deepest)
  }
}
