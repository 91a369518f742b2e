import ComposableArchitecture
import Features
import ReplicatedArchitecture
import SchemaNames
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Users for whom a gateway speaks.
@Suite struct GatewayTests {
  private static let schema = Schema(state: State.self, action: Action.self)
  private static let (gateway, remote, other): (UInt32, UInt32, UInt32) = (900, 3_000_000_001, 3_000_000_002)
  private let increment = Action.counter(.incrementButtonTapped)

  /// A policy under which the gateway itself and everyone may do everything, and the remote users less.
  private func policy() throws -> AccessPolicy {
    let counter = AccessGrant(
      read: [try Self.schema.path(named: "counter")], act: [try Self.schema.actionPath(named: "counter")])
    return AccessPolicy(
      users: [Self.gateway: .everything, Self.remote: counter, Self.other: counter], everyone: .everything,
      gateways: [Self.gateway: 3_000_000_000...3_000_000_099])
  }

  private func hub(_ change: (inout HubLimits) -> Void = { _ in }) throws -> Hub {
    var limits = HubLimits()
    change(&limits)
    return Hub(limits: limits, policy: try policy())
  }

  private func connect(_ hub: Hub, as user: UInt32 = Self.remote) -> ConnectionID {
    let id = hub.connect(user: Self.gateway)
    hub.send(Represent(user: user), on: id)
    return id
  }

  private func open(
    _ hub: Hub, as user: UInt32 = Self.remote, session: SessionID? = nil
  ) throws -> (id: ConnectionID, welcome: Welcome) {
    let id = connect(hub, as: user)
    hub.send(Hello(session: session, name: "far"), on: id)
    return (id, try #require(hub.turn(id).first).decoded())
  }

  private func error(_ hub: Hub, _ id: ConnectionID) throws -> PeerErrorCode? {
    try hub.turn(id).first { $0.kind == .error }?.decoded(as: PeerError.self).code
  }

  @Test func aRemoteUserHasItsOwnRights() throws {
    let hub = try hub()
    let (id, welcome) = try open(hub)
    // Neither those of the gateway nor those of everyone.
    #expect(!welcome.mayReadHub)
    hub.send(Attach(path: try Self.schema.path(named: "counter")), scope: 1, on: id)
    #expect(hub.turn(id).map(\.kind) == [.snapshot])
    hub.send([increment, .todos(.addButtonTapped(text: "bread"))], from: 1, on: id)
    let frames = hub.turn(id)
    #expect(frames.map(\.kind) == [.delta, .rejected, .applied])
    #expect(try frames[1].decoded(as: Rejected.self).code == .notPermitted)
    hub.send(Attach(path: []), scope: 2, on: id)
    #expect(try error(hub, id) == .notPermitted)
  }

  @Test func aRemoteUserWithoutASectionIsRefused() throws {
    let hub = try hub()
    #expect(try error(hub, connect(hub, as: 3_000_000_003)) == .notPermitted)
    #expect(hub.core.connectionCount == 0)
  }

  @Test(arguments: [0, 900, 1000, 2_147_483_648, 3_000_000_100, UInt32.max])
  func aGatewaySpeaksOnlyForItsUsers(user: UInt32) throws {
    let hub = try hub()
    #expect(try error(hub, connect(hub, as: user)) == .notPermitted)
  }

  @Test func onlyAGatewaySpeaksForOthers() throws {
    let hub = try hub()
    for user in [UInt32(0), 1000, Self.remote] {
      let id = hub.connect(user: user)
      hub.send(Represent(user: Self.remote), on: id)
      #expect(try error(hub, id) == .notPermitted)
    }
  }

  /// What a client behind the gateway sends cannot change whom the gateway has named.
  @Test func aClientBehindAGatewayCannotNameAnotherUser() throws {
    let hub = try hub()
    let greeting = connect(hub)
    hub.send(Represent(user: Self.other), on: greeting)
    #expect(try error(hub, greeting) == .unexpectedMessage)
    let (live, _) = try open(hub)
    hub.send(Represent(user: Self.other), on: live)
    #expect(try error(hub, live) == .unexpectedMessage)
  }

  @Test func aSessionIsItsRemoteUsersAlone() throws {
    let hub = try hub()
    let (id, welcome) = try open(hub)
    hub.disconnect(id)
    #expect(try !open(hub, as: Self.other, session: welcome.session).welcome.isResumed)
    let local = hub.connect(user: Self.gateway)
    hub.send(Hello(session: welcome.session, name: "gateway"), on: local)
    #expect(try !hub.turn(local)[0].decoded(as: Welcome.self).isResumed)
    #expect(try open(hub, session: welcome.session).welcome.isResumed)
  }

  @Test func aRemoteUserHasItsOwnQuotas() throws {
    let hub = try hub { $0.connectionsPerUser = 2 }
    let first = try open(hub).id
    _ = try open(hub)
    #expect(try error(hub, connect(hub)) == .tooManyConnections)
    // Others behind the same gateway, and the gateway, are not affected.
    _ = try open(hub, as: Self.other)
    #expect(hub.core.accounts[Self.remote]?.connectionCount == 2)
    #expect(hub.core.accounts[Self.other]?.connectionCount == 1)
    #expect(hub.core.accounts[Self.gateway] == nil)
    hub.disconnect(first)
    #expect(hub.core.accounts[Self.remote]?.connectionCount == 1)
    _ = try open(hub)
  }

  /// A client that connects again and again has its actions in the same bytes as the gateway's word.
  @Test func actionsBehindTheHelloCountTowardsTheRemoteUsersRate() throws {
    let hub = try hub { $0.actionsPerSecond = 100 }
    let (watcher, _) = try open(hub, as: Self.other)
    let increment = increment.encoded()
    for _ in 0..<5 {
      let id = hub.connect(user: Self.gateway)
      var writer = FrameWriter()
      writer.frame(Represent(user: Self.remote))
      writer.frame(Hello(name: "far"))
      hub.send(writer.bytes + actionsFrame(Array(repeating: increment, count: 300), from: 1), on: id)
      while hub.hasBacklog, hub.work(limit: .max) > 0 {}
    }
    #expect((80...100).contains(hub.engine.revision), "\(hub.engine.revision)")
    // Those of others behind the same gateway are not affected.
    hub.send([self.increment], from: 1, on: watcher)
    #expect(hub.turn(watcher).last?.kind == .applied)
  }

  /// A connection that is handed over belongs to the user that the kernel states, until its gateway names another one.
  @Test func aGatewayDoesNotSpeakForItself() throws {
    var policy = try policy()
    policy.gateways[Self.remote] = 3_000_000_000...3_000_000_099
    let hub = Hub(policy: policy)
    let id = hub.connect(user: Self.remote)
    hub.send(Represent(user: Self.remote), on: id)
    #expect(try error(hub, id) == .notPermitted)
  }

  /// The kernel states the gateway's user, also for the connections of its clients, to whom the next process must not
  /// give its rights.
  @Test(arguments: [false, true]) func theConnectionOfARemoteUserIsNotTakenOver(isLive: Bool) throws {
    let hub = try Hub(recovering: [])
    hub.core.setPolicy(try policy(), at: hub.now)
    let id = connect(hub)
    if isLive { hub.send(Hello(name: "far"), on: id) }
    hub.turn()
    hub.store()
    hub.turn()
    let record = try #require(hub.core.handOver { $0 == id ? (42, []) : nil })
    let next = try Hub(recovering: hub.log, sessions: hub.log.flatMap(\.sessions), seed: 8, continuing: record)
    next.core.setPolicy(try policy(), at: next.now)
    let nextID = next.connect(user: Self.gateway, isTakenOver: true)
    let isReadable = next.core.takeOver(record, 0, on: nextID, at: next.now)
    next.turn()
    #expect(!isReadable && next.closed.contains(nextID) && next.core.connectionCount == 0)
  }

  @Test func bytesBeforeTheHelloAreChargedToTheRemoteUser() throws {
    let hub = try hub()
    let id = hub.connect(user: Self.gateway)
    var writer = FrameWriter()
    writer.frame(Represent(user: Self.remote))
    writer.frame(Hello(name: "far"))
    // A frame that is cut: half of the represent, then its rest with a part of the hello.
    hub.send(Array(writer.bytes.prefix(10)), on: id)
    hub.turn()
    hub.send(Array(writer.bytes.dropFirst(10).dropLast(2)), on: id)
    hub.turn()
    #expect(hub.core.accounts[Self.gateway] == nil)
    #expect((hub.core.accounts[Self.remote]?.heldBytes ?? 0) > 0)
    hub.disconnect(id)
    #expect(hub.core.accounts[Self.remote] == nil)
    #expect(hub.core.accounts.heldBytes == 0)
  }

  @Test func aReloadAppliesToRemoteUsers() throws {
    let hub = try hub()
    let (id, _) = try open(hub)
    let waiting = connect(hub, as: Self.other)
    var policy = try policy()
    policy.gateways = [:]
    hub.core.setPolicy(policy, at: hub.now)
    #expect(try error(hub, id) == .notPermitted)
    #expect(try error(hub, waiting) == .notPermitted)
  }

  @Test func aGatewayWithoutRightsOfItsOwnConnects() throws {
    let policy = AccessPolicy(
      users: [Self.remote: .readAndAct], gateways: [Self.gateway: 3_000_000_000...3_000_000_099])
    let hub = Hub(policy: policy)
    let (id, _) = try open(hub)
    hub.send([increment], from: 1, on: id)
    #expect(hub.turn(id).last?.kind == .applied)
    let own = hub.connect(user: Self.gateway)
    hub.send(Hello(name: "gateway"), on: own)
    hub.send([increment], from: 1, on: own)
    #expect(hub.turn(own).map(\.kind) == [.welcome, .rejected, .applied])
  }

  /// Whoever takes a gateway over could otherwise do what everyone may who reaches the socket.
  @Test func aGatewayHasNotTheRightsOfItsGroupsAndOfEveryone() {
    let gateways: [UInt32: ClosedRange<UInt32>] = [Self.gateway: 3_000_000_000...3_000_000_099]
    let gateway = Peer(process: 1, user: Self.gateway, group: 1, groups: [2], userName: "gate")
    var policy = AccessPolicy(groups: [1: .everything, 2: .everything], everyone: .everything, gateways: gateways)
    #expect(policy.grant(to: gateway) == AccessGrant())
    policy.users[Self.gateway] = .readAndAct
    #expect(policy.grant(to: gateway) == .readAndAct)
  }

  /// The place of the journal is told to users of this machine, whatever number a remote user has.
  @Test func aRemoteUserIsNotToldThePlaceOfTheJournal() throws {
    let place = try #require(JournalPlace(path: "/state", user: Self.remote, group: nil))
    let gateway = Peer(process: 1, user: Self.gateway, group: 1, groups: [2], userName: "gate")
    #expect(!place.isReadable(by: Peer(Self.remote, behind: gateway)))
  }

  /// What a reducer learns of its sender.
  @Test func aRemoteUserIsInNoGroupAndHasNoName() {
    let gateway = Peer(process: 1, user: Self.gateway, group: 1, groups: [2], userName: "gate")
    let user = Peer(Self.remote, behind: gateway).systemUser
    #expect(user.id == Self.remote && user.name.isEmpty && user.groups.isEmpty)
  }
}
