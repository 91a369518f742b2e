import ComposableArchitecture
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

  // MARK: Output

  /// A hub with a long text, and clients of one user that subscribe to it and do not read at once.
  private func hubWithReaders(
    _ count: Int, scopes: Int = 1, heldBytesPerUser: Int
  ) throws -> (hub: Hub, writer: ConnectionID, readers: [ConnectionID]) {
    var limits = HubLimits()
    limits.heldBytesPerUser = heldBytesPerUser
    let hub = Hub(limits: limits)
    let (writer, _) = try open(hub, user: 1)
    hub.send([.todos(.addButtonTapped(text: "short"))], from: 1, on: writer)
    hub.turn()
    let readers = try (0..<count).map { _ in try open(hub, user: 2).0 }
    for id in readers {
      for scope in 1...scopes { hub.send(Attach(), scope: UInt16(scope), on: id) }
    }
    for _ in 0..<4 { hub.turn() }
    for id in readers { _ = hub.received(by: id) }
    hub.blocked = Set(readers)
    return (hub, writer, readers)
  }

  private func text(_ letter: String) -> Action {
    .todos(.todos(.element(id: 0, action: .textChanged(String(repeating: letter, count: 100_000)))))
  }

  /// One change for many clients is not copied for all of them at once, which would close clients that read.
  @Test func aLargeChangeWaitsForTheUsersOtherReaders() throws {
    let (hub, writer, readers) = try hubWithReaders(20, heldBytesPerUser: 1 << 20)
    hub.send([text("a")], from: 2, on: writer)
    #expect(try hub.turn(writer, flushing: false).last?.number == 2)
    var written = readers.filter { !hub.received(by: $0).isEmpty }
    #expect(written.count == 3)
    // The larger state is counted in some turns.
    while hub.core.size.isCounting { hub.turn(flushing: false) }
    let (due, needsAnotherTurn) = (hub.core.publicationDue, hub.core.needsAnotherTurn)
    #expect(due != nil && !needsAnotherTurn)
    // The others wait, also when a client acts.
    hub.send([text("b")], from: 3, on: writer)
    #expect(try hub.turn(writer, flushing: false).last?.number == 3)
    #expect(readers.allSatisfy { hub.received(by: $0).isEmpty })
    // Each time sockets are ready, the next ones are written to.
    while written.count < readers.count {
      for id in written where hub.blocked.contains(id) { core(hub, drained: id) }
      let needsAnotherTurn = hub.core.needsAnotherTurn
      #expect(needsAnotherTurn)
      hub.turn(flushing: false)
      let next = readers.filter { !written.contains($0) && !hub.received(by: $0).isEmpty }
      try #require(!next.isEmpty)
      written += next
    }
    #expect(hub.closed.isEmpty)
  }

  private func core(_ hub: Hub, drained id: ConnectionID) {
    hub.core.drained(id, at: hub.now)
  }

  /// Clients that never read do not hold up the user's other clients.
  @Test func aPauseOfTheOutputEnds() throws {
    let (hub, writer, readers) = try hubWithReaders(4, heldBytesPerUser: 1 << 20)
    hub.send([text("a")], from: 2, on: writer)
    hub.turn(flushing: false)
    #expect(readers.filter { !hub.received(by: $0).isEmpty }.count == 3)
    let due = hub.core.publicationDue
    hub.now = try #require(due)
    hub.turn(flushing: false)
    #expect(readers.filter { !hub.received(by: $0).isEmpty }.count == 1)
    #expect(hub.closed.isEmpty)
  }

  /// A client that has closed while it waited is forgotten, and its bytes are free.
  @Test func aClientThatWaitsMayClose() throws {
    let (hub, writer, readers) = try hubWithReaders(5, heldBytesPerUser: 1 << 20)
    hub.send([text("a")], from: 2, on: writer)
    hub.turn(flushing: false)
    for id in readers { hub.disconnect(id) }
    let (pauseDue, heldBytes) = (hub.core.pauseDue, hub.core.heldBytes)
    #expect(pauseDue == nil && heldBytes == 0)
    hub.turn(flushing: false)
    let isPaused = !hub.core.accounts.paused.isEmpty
    #expect(!isPaused)
  }

  /// A connection with many scopes gets a part of them at a time, and its acknowledgement after all.
  @Test func manyScopesOfOneConnectionAreWrittenInParts() throws {
    let (hub, writer, readers) = try hubWithReaders(1, scopes: 40, heldBytesPerUser: 4 << 20)
    let reader = readers[0]
    hub.send([text("a")], from: 2, on: writer)
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: reader)
    var scopes: [UInt16] = []
    while scopes.count < 40 {
      let frames = hub.turn(reader, flushing: false)
      try #require(!frames.isEmpty && frames.count <= 22)
      scopes += frames.filter { $0.kind == .delta }.map(\.scope)
      #expect((frames.last?.kind == .applied) == (scopes.count == 40))
      core(hub, drained: reader)
    }
    #expect(Set(scopes) == Set(1...40) && hub.closed.isEmpty)
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
