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
    #expect(hub.closed == [stranger] && metrics.durability == "memory")
  }

  @Test func theLongestTurnIsKept() {
    let hub = Hub()
    for time in [2500, 7250, 1200] as [UInt64] { hub.core.noteLongTurn(microseconds: time) }
    #expect(hub.core.metrics.longestTurn == 7250)
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

  /// Clients learn at once that the state may be stale.
  @Test func aChangeOfThePartInTheClusterIsPublishedAtOnce() throws {
    let hub = Hub()
    var status = ClusterStatus(node: "b")
    status.leader = "a"
    let (watcher, _) = try hub.open()
    hub.core.setClusterStatus { status }
    hub.send(Attach(root: .metrics), scope: 1, on: watcher)
    #expect(endTurn(hub, watcher).map(\.kind) == [.snapshot])
    #expect(hub.core.metrics.cluster?.summary == "node b follows a in term 0")
    (status.condition, status.staleSince) = (ClusterStatus.Condition.waiting.rawValue, 5000)
    hub.core.noteClusterChange(staleFor: .seconds(2), at: hub.now)
    #expect(endTurn(hub, watcher).map(\.kind) == [.delta, .standing])
    #expect(hub.core.metrics.cluster?.summary == "node b: actions wait for etcd or a node that leads")
  }

  /// A client that connects later learns it behind its welcome, and each learns when the state is current again.
  @Test func everyClientLearnsWhetherTheStateMayBeStale() throws {
    let hub = Hub()
    let (early, _) = try hub.open()
    hub.turn()
    hub.core.noteClusterChange(staleFor: nil, at: hub.now)
    #expect(hub.turn(early).isEmpty, "it has been current")
    hub.core.noteClusterChange(staleFor: .seconds(2), at: hub.now)
    let frames = hub.turn(early)
    #expect(frames.map(\.kind) == [.standing])
    #expect(try frames.first?.decoded(as: HubStanding.self) == HubStanding(staleMilliseconds: 2000))
    hub.now += .seconds(3)
    let late = hub.connect()
    hub.send(Hello(), on: late)
    let greeting = hub.turn(late)
    #expect(greeting.map(\.kind) == [.welcome, .standing])
    #expect(try greeting.last?.decoded(as: HubStanding.self) == HubStanding(staleMilliseconds: 5000))
    hub.core.noteClusterChange(staleFor: nil, at: hub.now)
    hub.turn()
    for client in [early, late] {
      let standing: HubStanding = try #require(try hub.turn(client).last?.decoded())
      #expect(standing.staleMilliseconds == nil)
    }
  }

  /// The metrics list the places with subscribers, and are published after a connection has ended.
  @Test func subscribedPlacesAreListed() throws {
    let hub = Hub()
    let (id, _) = try hub.open()
    let list: [PathStep] = [.key(1), .key(0)]
    for (number, path) in [list, list + [.id([3])], list, []].enumerated() {
      hub.send(Attach(path: path), scope: UInt16(number), on: id)
    }
    let (watcher, _) = try hub.open()
    hub.send(Attach(root: .hub), scope: 1, on: watcher)
    hub.send(Attach(root: .metrics), scope: 2, on: watcher)
    let metrics = try metrics(endTurn(hub, watcher))
    #expect(
      metrics.places == [
        SubscribedPlace(root: 0, path: "todos.todos", subscribers: 2),
        SubscribedPlace(root: 0, path: "", subscribers: 1),
        SubscribedPlace(root: 0, path: "todos.todos[3]", subscribers: 1),
        SubscribedPlace(root: 1, path: "", subscribers: 1),
        SubscribedPlace(root: 2, path: "", subscribers: 1),
      ])
    #expect(metrics.subscriptions == 6)
    hub.now += .seconds(1)
    _ = endTurn(hub, watcher)
    hub.now += .seconds(1)
    _ = endTurn(hub, watcher)
    hub.core.ended(id)
    #expect(endTurn(hub, watcher).map(\.scope) == [1])
    hub.now += .seconds(1)
    #expect(endTurn(hub, watcher).map(\.scope) == [2])
    #expect(hub.core.metrics.subscriptions == 2)
  }

  /// Their actions are counted on this connection, with rejected ones. Who only reads is not listed.
  @Test func sendersAreListedWithTheirActions() throws {
    let hub = Hub()
    let (id, welcome) = try hub.open()
    hub.send([increment, increment], from: 1, on: id)
    hub.turn()
    hub.core.ended(id)
    hub.turn()
    let (resumed, _) = try hub.open(session: welcome.session, acknowledged: 2)
    hub.send([increment], from: 3, on: resumed)
    hub.send(actionsFrame([CBORValue.unsigned(99).encoded()], from: 4), on: resumed)
    let (other, _) = try hub.open()
    hub.send([increment], from: 1, on: other)
    let (watcher, _) = try hub.open()
    hub.turn()
    hub.send(Attach(root: .metrics), scope: 1, on: watcher)
    let senders = try metrics(endTurn(hub, watcher)).senders
    #expect(senders.map(\.actions) == [2, 1] && senders.allSatisfy { $0.user == 1000 })
    #expect(senders.map(\.id) == senders.map(\.id).sorted())
  }

  @Test func listedPathsAreBounded() {
    let path = "todos.todos[\(String(repeating: "ä", count: 243))]"
    #expect(path.count == 256 && HubCore.shortened(path) == path)
    #expect(HubCore.shortened(path + "x") == path.dropLast() + "…")
  }

  @Test func listedPlacesAreBounded() throws {
    var limits = HubLimits()
    limits.scopes = 1000
    let hub = Hub(limits: limits)
    let (id, _) = try hub.open()
    for number in 0..<200 {
      hub.send(Attach(path: [.key(1), .key(0), .id((1_000_000 + number).encoded())]), scope: UInt16(number), on: id)
    }
    hub.send(Attach(root: .metrics), scope: 999, on: id)
    let metrics = try metrics(endTurn(hub, id))
    #expect(metrics.places.count == 100 && metrics.subscriptions == 201)
  }

  /// Reads the metrics from the last snapshot.
  private func metrics(_ frames: [Hub.Frame]) throws -> HubMetrics {
    let frame = try #require(frames.last { $0.kind == .snapshot })
    guard case .array(let items) = try frame.value, case .bytes(let bytes)? = items.last else { return HubMetrics() }
    return try HubMetrics(decoding: bytes.span.bytes)
  }

  /// The metrics include all clients, so clients with limited rights cannot see them.
  @Test func scopedClientsDoNotSeeFigures() throws {
    let hub = Hub(policy: AccessPolicy(everyone: AccessGrant(read: [[0]], act: [[]])))
    let (id, _) = try hub.open()
    hub.send(Attach(root: .metrics), scope: 1, on: id)
    #expect(try hub.turn(id).first?.decoded(as: PeerError.self).code == .notPermitted)
  }
}
