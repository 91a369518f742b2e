import Features
import HubCore
import Testing
import Wire

/// The hub's metrics as replicated state.
@Suite struct MetricsTests {
  private let increment = Action.counter(.incrementButtonTapped)

  private func endTurn(_ hub: Hub, _ id: ConnectionID) -> [Hub.Frame] {
    hub.core.endTurn(at: hub.now)
    return hub.turn(id)
  }

  @Test func figuresCountWhatHappens() throws {
    let hub = Hub(policy: AccessPolicy(users: [1000: .everything]))
    let (id, _) = try hub.open()
    let stranger = hub.connect(user: 2)
    hub.turn()
    hub.send([increment, increment], from: 1, on: id)
    hub.send(actionsFrame([CBORValue.unsigned(99).encoded()], from: 3), on: id)
    hub.turn()
    let metrics = hub.core.metrics
    #expect((metrics.accepted, metrics.refused, metrics.opened, metrics.rejected) == (2, 1, 1, 1))
    #expect((metrics.revision, metrics.connections, metrics.reads) == (2, 1, 3))
    #expect(metrics.stateBytes == UInt64(State().encoded().count))
    #expect(hub.closed == [stranger])
    #expect(metrics.prometheusText.contains("\nstorehub_connections_refused_total 1\n"))
    #expect(metrics.prometheusText.contains("\nstorehub_turn_seconds_bucket{le=\"+Inf\"} 0\n"))
  }

  /// The metrics are published a second after an event, and not at all without events.
  @Test func figuresArePublishedToWhoAttachesThem() throws {
    let hub = Hub()
    let (id, _) = try hub.open()
    let (watcher, _) = try hub.open()
    hub.send(Attach(root: .metrics), scope: 1, on: watcher)
    #expect(endTurn(hub, watcher).map(\.kind) == [.snapshot])
    hub.send([increment], from: 1, on: id)
    #expect(endTurn(hub, watcher).isEmpty)
    let due = hub.core.metricsDue
    #expect(due == hub.now + .seconds(1))
    hub.now += .seconds(1)
    let frames = endTurn(hub, watcher)
    #expect(frames.map(\.kind) == [.delta])
    let isIdle = hub.core.metricsDue == nil
    #expect(isIdle)
    hub.now += .seconds(10)
    #expect(endTurn(hub, watcher).isEmpty)
    #expect(hub.core.metricsDue == nil)
  }

  /// The metrics include all clients, so clients with limited rights cannot see them.
  @Test func scopedClientsDoNotSeeFigures() throws {
    let hub = Hub(policy: AccessPolicy(everyone: AccessGrant(read: [[0]], act: [[]])))
    let (id, _) = try hub.open()
    hub.send(Attach(root: .metrics), scope: 1, on: id)
    #expect(try hub.turn(id).first?.decoded(as: PeerError.self).code == .notPermitted)
  }
}
