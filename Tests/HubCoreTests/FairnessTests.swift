import ComposableArchitecture
import Features
import TestSupport
import Testing
import Wire

@testable import HubCore

/// The division of the hub's time and memory among users and connections.
@Suite struct FairnessTests {
  private let increment = Action.counter(.incrementButtonTapped).encoded()

  private func open(_ hub: Hub, user: UInt32) -> ConnectionID {
    let id = hub.connect(user: user)
    hub.send(Hello(name: "test"), on: id)
    hub.turn()
    return id
  }

  private func receive(
    _ count: Int, from first: UInt64 = 1, _ hub: Hub, _ id: ConnectionID, limit: Int, guaranteed: Int = 0
  ) -> (count: Int, isComplete: Bool) {
    let (bytes, now) = (actionsFrame(Array(repeating: increment, count: count), from: first), hub.now)
    return hub.core.received(bytes.span.bytes, on: id, at: now, limit: limit, guaranteed: guaranteed)
  }

  private func processed(_ hub: Hub, _ id: ConnectionID) -> UInt64 {
    guard case .live(let connection) = hub.core.phase(of: id) else { return 0 }
    return connection.session.processed
  }

  /// With ten connections of one user and one of another, each user gets half.
  @Test func aUserWithManyConnectionsGetsNoMoreThanAUserWithOne() {
    let hub = Hub()
    let many = (0..<10).map { _ in open(hub, user: 1) }
    let one = open(hub, user: 2)
    for id in many + [one] { _ = receive(1000, hub, id, limit: 0) }
    for _ in 0..<40 { hub.work(limit: 20) }
    let sums = (many.map { processed(hub, $0) }.reduce(0, +), processed(hub, one))
    #expect(sums.0 <= sums.1 + 20 && sums.1 <= sums.0 + 20, "\(sums)")
    // The connections of a user take turns.
    #expect(many.allSatisfy { (30...60).contains(processed(hub, $0)) })
  }

  @Test func aConnectionThatEndsLeavesTheOthersTheirTurns() {
    let hub = Hub()
    let (first, second, other) = (open(hub, user: 1), open(hub, user: 1), open(hub, user: 2))
    for id in [first, second, other] { _ = receive(100, hub, id, limit: 0) }
    hub.work(limit: 10)
    hub.disconnect(first)
    while hub.hasBacklog { hub.work(limit: 10) }
    #expect(processed(hub, second) == 100 && processed(hub, other) == 100)
  }

  /// However much other users have sent, some work of each user is done immediately.
  @Test func aLittleOfEachUserIsGuaranteed() {
    let hub = Hub()
    let (flood, other) = (open(hub, user: 1), open(hub, user: 2))
    _ = receive(1000, hub, flood, limit: 0)
    #expect(receive(3, hub, other, limit: 0, guaranteed: 8) == (4, true))
    #expect(processed(hub, other) == 3)
    // Not twice in a turn, and not for another connection of the user.
    #expect(receive(3, from: 4, hub, other, limit: 0, guaranteed: 8).isComplete)
    #expect(!receive(3, hub, open(hub, user: 1), limit: 0, guaranteed: 0).isComplete)
    hub.turn()
    let second = open(hub, user: 2)
    #expect(receive(6, hub, second, limit: 0, guaranteed: 8).isComplete)
    #expect(!receive(6, from: 7, hub, other, limit: 0, guaranteed: 8).isComplete)
  }

  // MARK: Contended turns

  /// A write takes as long as many actions, so the output of clients that send much is written to one in a turn, and to
  /// none in a turn that answers the others first.
  @Test func aContendedTurnWritesToAtMostOneClientThatSendsMuch() throws {
    let hub = Hub()
    let floods = (1...3).map { open(hub, user: $0) }
    let light = open(hub, user: 4)
    hub.plan.isContended = true
    for id in floods {
      _ = receive(100, hub, id, limit: 0)
      hub.core.letOutputWait(of: id)
    }
    for _ in floods { hub.work(limit: 10) }
    _ = receive(1, hub, light, limit: 0, guaranteed: 8)
    hub.plan.answersFirst = true
    #expect(hub.turn(light).map(\.kind) == [.welcome, .applied])
    #expect(hub.core.heldBackCount == 3 && hub.core.needsAnotherTurn)
    hub.turn()
    #expect(hub.core.heldBackCount == 3)
    hub.plan.answersFirst = false
    for rest in [2, 1, 0] {
      hub.turn()
      #expect(hub.core.heldBackCount == rest)
    }
    for id in floods { #expect(try hub.turn(id).last?.number == 9) }
  }

  /// Otherwise a client with waiting frames that loads a large state would take every write of contended turns.
  @Test func aSnapshotForAHeavyClientLeavesAnotherItsAnswers() throws {
    let hub = Hub()
    let (maker, loading, other) = (open(hub, user: 1), open(hub, user: 2), open(hub, user: 3))
    hub.send(
      (0..<5000).map { .todos(.addButtonTapped(text: "a todo with the number \($0)")) }, from: 1, on: maker)
    hub.turn()
    hub.plan.isContended = true
    hub.send(Attach(), scope: 1, on: loading)
    for id in [loading, other] {
      _ = receive(100, hub, id, limit: 0)
      hub.core.letOutputWait(of: id)
    }
    hub.turn()
    for _ in 0..<2 { hub.work(limit: 10) }
    var kinds: [FrameKind] = []
    for _ in 0..<2 { kinds += hub.turn(other).map(\.kind) }
    #expect(kinds.contains(.applied))
    // The snapshot goes on.
    let goesOn = hub.core.needsAnotherTurn
    #expect(goesOn)
    for _ in 0..<200 { hub.turn() }
    #expect(hub.received(by: loading).contains { $0.flags & SnapshotPiece.finalFlag != 0 })
  }

  /// The shell starts another turn only if this one has asked for it.
  @Test func aTurnInWhichFramesOnlyWaitIsFollowedByAnother() {
    let hub = Hub()
    let flood = open(hub, user: 1)
    // No time limit is left that would wake the shell.
    hub.now += .seconds(6)
    hub.core.expire(at: hub.now)
    hub.turn()
    let isIdle = hub.core.endTurn(at: hub.now)
    #expect(!isIdle)
    _ = receive(100, hub, flood, limit: 0)
    let (hasWork, goesOn) = (hub.core.endTurn(at: hub.now), hub.core.needsAnotherTurn)
    #expect(hasWork && goesOn)
  }

  /// A hub with much to do that told a few subscribers of every action would spend most of its time on that.
  @Test func aContendedHubPublishesForAtMostAQuarterOfItsTime() throws {
    let hub = Hub()
    let (light, watcher) = (open(hub, user: 1), open(hub, user: 2))
    hub.send(Attach(), scope: 1, on: watcher)
    hub.turn()
    hub.plan.isContended = true
    /// Sends an action and returns the kinds of the frames that each client gets in its turn.
    func act(_ number: UInt64) -> [[FrameKind]] {
      _ = receive(1, from: number, hub, light, limit: 0, guaranteed: 8)
      hub.turn(flushing: false)
      return [light, watcher].map { id in hub.received(by: id).map(\.kind) }
    }
    _ = [hub.received(by: light), hub.received(by: watcher)]
    #expect(act(1) == [[.applied], [.delta]])
    let hasPublished = hub.core.hasPublished
    #expect(hasPublished)
    hub.core.published(from: hub.now, to: hub.now + .microseconds(100))
    #expect(act(2) == [[.applied], []])
    hub.now += .microseconds(399)
    #expect(act(3) == [[.applied], []])
    #expect(hub.core.publicationDue != nil)
    hub.now += .microseconds(1)
    #expect(act(4) == [[.applied], [.delta]])
    // However slow the writes are, nobody waits for long.
    hub.core.published(from: hub.now - .seconds(1), to: hub.now)
    #expect(act(5) == [[.applied], []])
    hub.now += hub.core.limits.longestCoalescing
    #expect(act(6) == [[.applied], [.delta]])
    hub.core.published(from: hub.now, to: hub.now)
    // Without contention, few subscribers get every turn's change.
    hub.plan.isContended = false
    hub.now += hub.core.limits.longestCoalescing
    for number in 7...9 { #expect(act(UInt64(number)) == [[.applied], [.delta]]) }
  }

  @Test func nothingIsHeldBackOnceTheHubIsNotContended() {
    let hub = Hub()
    let floods = (1...3).map { open(hub, user: $0) }
    hub.plan = TurnPlan(isContended: true, answersFirst: true)
    for id in floods {
      _ = receive(100, hub, id, limit: 0)
      hub.core.letOutputWait(of: id)
    }
    for _ in floods { hub.work(limit: 10) }
    hub.turn()
    #expect(hub.core.heldBackCount == 3)
    hub.disconnect(floods[0])
    hub.turn()
    #expect(hub.core.heldBackCount == 2)
    hub.plan = TurnPlan()
    hub.turn()
    #expect(hub.core.heldBackCount == 0)
  }

  // MARK: Rates

  @Test func actionsBeyondTheRateWait() {
    var limits = HubLimits()
    limits.actionsPerSecond = 100
    let hub = Hub(limits: limits)
    let (fast, slow) = (open(hub, user: 1), open(hub, user: 2))
    // One second's worth immediately, including the hello and the frame.
    #expect(!receive(300, hub, fast, limit: .max).isComplete)
    let first = processed(hub, fast)
    #expect((90...100).contains(first))
    #expect(receive(10, hub, slow, limit: .max).isComplete)
    while hub.hasBacklog, hub.work(limit: .max) > 0 {}
    let isBusy = hub.core.needsAnotherTurn
    #expect(!isBusy, "the loop may sleep until the user may go on")
    hub.core.endTurn(at: hub.now)
    #expect(hub.core.allowanceDue.map { $0 > hub.now } == true)
    hub.now += .milliseconds(500)
    hub.core.endTurn(at: hub.now)
    while hub.hasBacklog { hub.work(limit: .max) }
    let second = processed(hub, fast) - first
    #expect((40...60).contains(second))
    hub.now += .seconds(10)
    hub.core.endTurn(at: hub.now)
    while hub.hasBacklog { hub.work(limit: .max) }
    #expect(processed(hub, fast) <= first + second + 101)
  }

  /// A frame with one action counts once, as a frame of another kind.
  @Test func aFrameIsCountedByItsActions() {
    var limits = HubLimits()
    limits.actionsPerSecond = 100
    let hub = Hub(limits: limits)
    let id = open(hub, user: 1)
    for sequence in 1...200 {
      hub.core.received(actionsFrame([increment], from: UInt64(sequence)).span.bytes, on: id, at: hub.now)
    }
    while hub.hasBacklog, hub.work(limit: .max) > 0 {}
    #expect(processed(hub, id) == 99)
    hub.now += .seconds(2)
    hub.core.endTurn(at: hub.now)
    while hub.hasBacklog, hub.work(limit: .max) > 0 {}
    #expect(processed(hub, id) == 199)
  }

  @Test func actionsBehindTheHelloCountTowardsTheRate() {
    var limits = HubLimits()
    limits.actionsPerSecond = 100
    let hub = Hub(limits: limits)
    var total: UInt64 = 0
    for _ in 0..<5 {
      let (id, now) = (hub.connect(user: 1), hub.now)
      var writer = FrameWriter()
      writer.frame(Hello(name: "test"))
      let bytes = writer.bytes + actionsFrame(Array(repeating: increment, count: 300), from: 1)
      hub.core.received(bytes.span.bytes, on: id, at: now)
      while hub.hasBacklog, hub.work(limit: .max) > 0 {}
      total += processed(hub, id)
    }
    #expect((80...100).contains(total))
  }

  @Test func aUserWhoConnectsAgainHasNoFreshAllowance() {
    var limits = HubLimits()
    limits.actionsPerSecond = 100
    let hub = Hub(limits: limits)
    var total: UInt64 = 0
    for _ in 0..<5 {
      let id = open(hub, user: 1)
      _ = receive(300, hub, id, limit: .max)
      total += processed(hub, id)
      hub.disconnect(id)
    }
    #expect((80...100).contains(total))
    hub.now += .seconds(2)
    let id = open(hub, user: 1)
    _ = receive(300, hub, id, limit: .max)
    #expect(processed(hub, id) > 80)
  }

  // MARK: Bytes

  private func half(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameHeader(kind: .actions, length: 1_000_000).append(to: &bytes)
    return bytes + [UInt8](repeating: 0, count: count)
  }

  /// Of 4,000 halves of frames of 1 MiB, no more is kept than one user may hold, and the memory is released.
  @Test func halvesOfFramesAreBoundedAndGivenBack() {
    let hub = Hub()
    for _ in 0..<200 {
      let id = open(hub, user: 1)
      hub.send(half(500_000), on: id)
      hub.turn()
    }
    #expect(hub.core.heldBytes <= hub.core.limits.heldBytesPerUser)
    #expect(hub.core.heldBytes > 60 << 20)
    #expect(hub.releaseCount == 0)
    hub.now += .seconds(11)
    hub.core.expire(at: hub.now)
    hub.turn()
    #expect(hub.core.heldBytes == 0)
    #expect(hub.releaseCount >= 1)
  }

  /// By dbus-broker's rule no user can take everything, however many users there are.
  @Test func noUserCanTakeWhatAllShare() throws {
    var limits = HubLimits()
    (limits.heldBytes, limits.heldBytesPerUser) = (10_000, 10_000)
    let hub = Hub(limits: limits)
    let (greedy, second) = (open(hub, user: 1), open(hub, user: 1))
    hub.send(half(3000), on: greedy)
    hub.send(half(3000), on: second)
    hub.turn()
    // A single user gets at most half, so the second frame was too much.
    #expect(hub.closed.count == 1)
    // The next user still gets a share.
    let modest = open(hub, user: 2)
    hub.send(half(1000), on: modest)
    hub.turn()
    #expect(!hub.closed.contains(modest))
    hub.send([UInt8](repeating: 0, count: 2000), on: modest)
    hub.turn()
    #expect(hub.closed.contains(modest))
  }

  /// Output that a client does not read is charged to its user, whose slowest connection is closed first.
  @Test func aUserWhoReadsNothingLosesItsSlowestConnection() throws {
    var limits = HubLimits()
    limits.heldBytesPerUser = 10_000
    let hub = Hub(limits: limits)
    let (slow, slower, other) = (open(hub, user: 1), open(hub, user: 1), open(hub, user: 2))
    hub.core.noteBusy(slow, queuedBytes: 4000, at: hub.now)
    hub.core.noteBusy(other, queuedBytes: 9000, at: hub.now)
    hub.turn()
    #expect(hub.closed.isEmpty)
    hub.core.noteBusy(slower, queuedBytes: 7000, at: hub.now)
    hub.turn()
    #expect(hub.closed == [slower])
    // Output that was read is no longer charged.
    hub.core.drained(slow, at: hub.now)
    #expect(hub.core.heldBytes == 9000)
  }
}
