import HubCore
import ReplicaCore
import Testing
import Wire

extension World {
  /// Expects that every action took effect exactly once, and that all clients are live, idle and agree with the hub.
  func expectExactlyOnce(seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(hub.revision == UInt64(sentCount), "seed \(seed)", sourceLocation: sourceLocation)
    for client in clients {
      #expect(client.replica.connection == .live, "seed \(seed)", sourceLocation: sourceLocation)
      #expect(client.whole == nil || client.state == engine.state, "seed \(seed)", sourceLocation: sourceLocation)
      #expect(
        client.untyped?.value?.encoded() == engine.state.encoded(), "seed \(seed)", sourceLocation: sourceLocation)
      #expect(client.pending.isEmpty && client.failed.isEmpty, "seed \(seed)", sourceLocation: sourceLocation)
      #expect(client.replica.pendingActionCount == 0, "seed \(seed)", sourceLocation: sourceLocation)
    }
    #expect(clients.reduce(0) { $0 + $1.applied } == sentCount, "seed \(seed)", sourceLocation: sourceLocation)
  }
}
