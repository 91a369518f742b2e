import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// A world with the feature whose state has every kind of part.
typealias BoardWorld = World<Board.State, Board.Action>

extension World where State == Board.State, Action == Board.Action {
  /// A world of three clients, one of them a tool, with small limits that a seed determines.
  convenience init(seed: UInt64, limits: HubLimits = HubLimits()) {
    var random = SplitMix(seed: seed &* 31)
    var limits = limits
    limits.versions = Int.random(in: 1...8, using: &random)
    limits.bookmarkInterval = UInt64.random(in: 1...20, using: &random)
    limits.hashInterval = UInt64.random(in: 1...10, using: &random)
    limits.deltaBytes = Bool.random(using: &random) ? 20 : 1 << 20
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var options = ReplicaOptions()
    options.subscribesToWholeState = Bool.random(using: &random)
    self.init(seed: seed, clientCount: 3, engine: engine, limits: limits, options: options, toolCount: 1) {
      random, _ in
      .change(random.next())
    }
  }

  /// Expects that each action has taken effect, and that all clients have the hub's state of what they subscribe to.
  func expectConvergence(seed: UInt64) {
    #expect(hub.revision == UInt64(sentCount), "seed \(seed)")
    for client in clients {
      #expect(client.replica.connection == .live, "seed \(seed)")
      #expect(client.pending.isEmpty && client.failed.isEmpty, "seed \(seed)")
      for part in client.parts {
        #expect(part.mirror.revision != nil, "seed \(seed), \(part.path)")
        let theirs = engine.state.part(at: part.path[...])?.encoded()
        #expect(part.bytes() == theirs, "seed \(seed), \(part.path)")
      }
    }
  }
}
