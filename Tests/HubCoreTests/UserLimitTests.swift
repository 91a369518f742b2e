import Features
import TestSupport
import Testing
import Wire

@testable import HubCore

/// The resources that one user may take of a hub.
@Suite struct UserLimitTests {
  private let increment = Action.counter(.incrementButtonTapped)

  private func open(
    _ hub: Hub, user: UInt32, session: SessionID? = nil
  ) throws -> (ConnectionID, Welcome) {
    let id = hub.connect(user: user)
    hub.send(Hello(session: session, acknowledged: 0, name: "test"), on: id)
    return (id, try hub.turn(id)[0].decoded())
  }

  @Test func oneUserCannotTakeAllConnections() throws {
    var limits = HubLimits()
    limits.connectionsPerUser = 2
    let hub = Hub(limits: limits)
    let first = hub.connect(user: 1)
    _ = hub.connect(user: 1)
    let third = hub.connect(user: 1)
    let error: PeerError = try #require(try hub.turn(third).first?.decoded())
    #expect(error.code == .tooManyConnections)
    #expect(try open(hub, user: 2).1.isResumed == false)
    hub.disconnect(first)
    #expect(try open(hub, user: 1).1.isResumed == false)
  }

  /// An operator can look at a hub that is full. A right of a group is not enough: the shell knows the user only.
  @Test func adminsCanConnectToAFullHub() throws {
    var limits = HubLimits()
    (limits.connections, limits.connectionsPerUser, limits.connectionsForAdmins) = (2, 1, 1)
    var policy = AccessPolicy.standard(owner: 5, group: 7)
    policy.groups[8] = .everything
    let hub = Hub(limits: limits, policy: policy)
    func isRefused(_ id: ConnectionID) throws -> Bool {
      try hub.turn(id).first?.decoded(as: PeerError.self).code == .tooManyConnections
    }
    #expect(try !isRefused(hub.connect(user: 5)))
    #expect(try !isRefused(hub.connect(user: 1, groups: [7])))
    #expect(try isRefused(hub.connect(user: 2, groups: [8])))
    #expect(hub.core.refusal(ofConnectionOf: 2, waiting: (0, 0)) != nil)
    #expect(hub.core.refusal(ofConnectionOf: 5, waiting: (0, 0)) == nil)
    #expect(try !isRefused(hub.connect(user: 5)))
    #expect(hub.core.refusal(ofConnectionOf: 5, waiting: (0, 0)) != nil)
    #expect(try isRefused(hub.connect(user: 5)))
  }

  /// The shell asks before it opens a connection. Waiting connections count towards the limits.
  @Test func connectionsThatWaitCountAsTheirUsers() {
    var limits = HubLimits()
    (limits.connections, limits.connectionsPerUser) = (5, 3)
    let hub = Hub(limits: limits)
    _ = hub.connect(user: 1)
    func refusal(_ user: UInt32, _ own: Int, _ all: Int) -> PeerError? {
      hub.core.refusal(ofConnectionOf: user, waiting: (own, all))
    }
    #expect(refusal(1, 1, 1) == nil && refusal(2, 2, 2) == nil)
    #expect(refusal(1, 2, 2)?.reason.contains("3 connections of one user") == true)
    #expect(refusal(2, 0, 3) == nil)
    #expect(refusal(2, 0, 4)?.reason.contains("5 connections at once") == true)
    #expect(hub.core.metrics.failed == 2)
  }

  /// A user without a complete hello is charged, too.
  @Test func halfAHelloIsCharged() throws {
    var limits = HubLimits()
    limits.heldBytesPerUser = 1000
    let hub = Hub(limits: limits)
    let ids = (0..<3).map { _ in hub.connect(user: 1) }
    for (index, id) in ids.enumerated() {
      var bytes: [UInt8] = []
      FrameHeader(kind: .hello, length: 100_000).append(to: &bytes)
      hub.send(bytes + [UInt8](repeating: 0, count: index == 1 ? 500 : 300), on: id)
    }
    let error: PeerError = try #require(try hub.turn(ids[1]).first?.decoded())
    #expect(error.code == .tooManyBytes && !hub.closed.contains(ids[0]) && !hub.closed.contains(ids[2]))
  }

  @Test func theConnectionWithMostUnfinishedBytesIsClosed() throws {
    var limits = HubLimits()
    limits.heldBytesPerUser = 1000
    let hub = Hub(limits: limits)
    let half: (Int) -> [UInt8] = { count in
      var bytes: [UInt8] = []
      FrameHeader(kind: .actions, length: 100_000).append(to: &bytes)
      return bytes + [UInt8](repeating: 0, count: count)
    }
    let (small, _) = try open(hub, user: 1)
    let (large, _) = try open(hub, user: 1)
    let (other, _) = try open(hub, user: 2)
    hub.send(half(800), on: large)
    hub.send(half(900), on: other)
    #expect(hub.turn(large).isEmpty)
    hub.send(half(100), on: small)
    hub.send([0, 0, 0], on: small)
    #expect(hub.turn(small).isEmpty)
    hub.send([UInt8](repeating: 0, count: 100), on: small)
    let error: PeerError = try #require(try hub.turn(large).first?.decoded())
    #expect(error.code == .tooManyBytes)
    #expect(hub.turn(small).isEmpty && hub.turn(other).isEmpty)
    // Its bytes are available again.
    hub.send([UInt8](repeating: 0, count: 700), on: small)
    #expect(hub.turn(small).isEmpty)
  }

  /// When the rest of the frame arrives, its bytes are no longer charged.
  @Test func aFinishedFrameIsNoLongerCharged() throws {
    var limits = HubLimits()
    limits.heldBytesPerUser = 20
    let hub = Hub(limits: limits)
    let (id, _) = try open(hub, user: 1)
    for number in 1...10 {
      let frame = actionsFrame([increment.encoded()], from: UInt64(number))
      hub.send(Array(frame.prefix(18)), on: id)
      hub.send(Array(frame.dropFirst(18)), on: id)
      #expect(try hub.turn(id).last?.number == UInt64(number))
    }
  }

  @Test func aSessionIsItsUsersAlone() throws {
    let hub = Hub()
    let (id, welcome) = try open(hub, user: 1)
    #expect(try !open(hub, user: 2, session: welcome.session).1.isResumed)
    #expect(!hub.closed.contains(id))
    hub.disconnect(id)
    #expect(try !open(hub, user: 2, session: welcome.session).1.isResumed)
    #expect(try open(hub, user: 1, session: welcome.session).1.isResumed)
  }

  @Test func oneUsersSessionsDoNotPushOutAnothers() throws {
    var limits = HubLimits()
    limits.detachedSessions = 4
    let hub = Hub(limits: limits)
    let (first, mine) = try open(hub, user: 1)
    hub.disconnect(first)
    var others: [Welcome] = []
    for _ in 0..<20 {
      let (id, welcome) = try open(hub, user: 2)
      hub.disconnect(id)
      others.append(welcome)
    }
    #expect(hub.core.detachedSessionCount == 4)
    #expect(try open(hub, user: 1, session: mine.session).1.isResumed)
    #expect(try open(hub, user: 2, session: others[19].session).1.isResumed)
    #expect(try !open(hub, user: 2, session: others[0].session).1.isResumed)
  }
}
