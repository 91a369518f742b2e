import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Hubs that share a log: one leads, and the others follow.
@Suite struct RoleTests {
  private let increment = Action.counter(.incrementButtonTapped)
  /// The action on its way to the leader, of a client that neither says what it has seen nor cancels its effects.
  private var passed: [UInt8] { [0xf6, 0xf4] + increment.encoded() }

  private func follower(
    _ turns: [LoggedTurn] = [], seed: UInt64 = 7, onEvent: @escaping (HubEvent, State) -> [Action] = { _, _ in [] }
  ) throws -> Hub {
    try Hub(recovering: turns, sessions: turns.lastSessions, seed: seed, isReplicated: true, onEvent: onEvent)
  }

  private func leader(
    _ turns: [LoggedTurn] = [], onEvent: @escaping (HubEvent, State) -> [Action] = { _, _ in [] }
  ) throws -> Hub {
    let hub = try follower(turns, seed: 8, onEvent: onEvent)
    hub.lead()
    hub.turn()
    hub.storeReplicated()
    hub.turn()
    return hub
  }

  /// Performs what a follower has passed on.
  private func pass(from follower: Hub, to leader: Hub, first: UInt64) {
    for case .forward(let actions, let session) in follower.forwarding {
      leader.core.perform(session, first: first, actions, limit: .max, at: leader.now)
    }
    follower.forwarding = []
    leader.turn()
  }

  // MARK: Following

  @Test func aFollowerPassesActionsOnAndAnswersWhenTheLogHasThem() throws {
    let leader = try leader()
    let follower = try follower()
    #expect(follower.core.apply(leader.log, at: follower.now) == nil)
    let (id, welcome) = try follower.open()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    #expect(follower.forwarding == [.open(session, processed: 0)])
    follower.send(Attach(path: []), on: id)
    #expect(follower.turn(id).map(\.kind) == [.snapshot])
    follower.forwarding = []

    follower.send([increment], from: 1, on: id)
    #expect(follower.turn(id).isEmpty)
    #expect(follower.forwarding == [.forward([passed], session)])
    #expect(follower.engine.state.counter.count == 0 && follower.log.isEmpty)

    let known = leader.log.count
    pass(from: follower, to: leader, first: 1)
    #expect(leader.engine.state.counter.count == 1)
    leader.storeReplicated()
    #expect(follower.core.apply(Array(leader.log[known...]), at: follower.now) == nil)
    let frames = follower.turn(id)
    #expect(frames.map(\.kind) == [.delta, .applied])
    #expect(try frames.last?.number == 1)
    #expect(follower.engine.state == leader.engine.state && follower.core.revision == leader.core.revision)
  }

  @Test func theLeaderLearnsWhatTheClientHadSeen() throws {
    let follower = try follower()
    let (id, welcome) = try follower.open()
    follower.forwarding = []
    var writer = FrameWriter()
    writer.frame(.actions(seen: 300)) { encoder in
      encoder.unsigned(1)
      encoder.unsigned(0)
      encoder.append(increment.encoded().span.bytes)
    }
    follower.send(writer.bytes, on: id)
    follower.turn()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    let bytes = UInt64(300).encoded() + [0xf4] + increment.encoded()
    #expect(follower.forwarding == [.forward([bytes], session)])
    let forwarded = try ForwardedAction(bytes)
    var action = CBOREncoder()
    forwarded.append(to: &action)
    #expect(forwarded.seen == 300 && action.bytes == increment.encoded())
    // Each is reduced with what its client had seen, in the order of their numbers.
    let leader = try leader()
    leader.core.perform(session, first: 1, [bytes, bytes, passed, [0xff]], limit: .max, at: leader.now)
    leader.turn()
    #expect(leader.engine.state.counter.count == 0, "the last has bytes that no hub sends")
    leader.core.perform(session, first: 1, [bytes, bytes, passed], limit: .max, at: leader.now)
    leader.turn()
    #expect(leader.engine.state.counter.count == 3)
  }

  /// The client sends further actions before the first has an outcome, and repeats some of them.
  @Test func actionsAreNumberedBeyondThoseWithoutAnOutcome() throws {
    let leader = try leader()
    let follower = try follower(leader.log)
    let (id, welcome) = try follower.open()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    follower.forwarding = []
    follower.send([increment, increment], from: 1, on: id)
    follower.send([increment], from: 3, on: id)
    follower.send([increment, increment, increment], from: 2, on: id)
    follower.turn()
    #expect(follower.forwarded(of: session).count == 4)
    #expect(!follower.closed.contains(id))
    follower.send([increment], from: 6, on: id)
    follower.turn()
    #expect(follower.closed.contains(id), "there is a gap")
  }

  /// A client cancels the effects of its actions wherever it is connected.
  @Test func aFollowerPassesCancellationsOn() throws {
    let leader = try leader()
    leader.core.startEffects()
    let follower = try follower(leader.log)
    let (id, welcome) = try follower.open()
    #expect(welcome.cancelsEffects)
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    follower.forwarding = []
    let toggle = Action.counter(.toggleTimerButtonTapped).encoded()
    var writer = FrameWriter()
    writer.frame(.actions(seen: nil, mayCancel: true)) { encoder in
      encoder.unsigned(1)
      encoder.unsigned(0)
      encoder.append(toggle.span.bytes)
    }
    writer.frame(FrameHeader(kind: .cancel)) { $0.unsigned(1) }
    follower.send(writer.bytes, on: id)
    follower.turn()
    #expect(follower.forwarding == [.forward([[0xf6, 0xf5] + toggle], session), .cancel(action: 1, session)])
    pass(from: follower, to: leader, first: 1)
    #expect(leader.core.cancellableCount == 1)
    leader.core.cancel(action: 1, of: .sample, at: leader.now)
    leader.turn()
    #expect(leader.core.cancellableCount == 1, "another session's")
    leader.core.cancel(action: 1, of: session, at: leader.now)
    leader.turn()
    #expect(leader.core.cancellableCount == 0)
  }

  /// A cancellation does not overtake the action that it is for.
  @Test func aCancellationWaitsBehindItsAction() throws {
    let leader = try leader()
    leader.core.startEffects()
    let toggle = [0xf6, 0xf5] + Action.counter(.toggleTimerButtonTapped).encoded()
    leader.core.perform(.sample, first: 1, [toggle], limit: 0, at: leader.now)
    leader.core.cancel(action: 1, of: .sample, at: leader.now)
    leader.turn()
    while leader.work(limit: 1) > 0 { leader.turn() }
    #expect(leader.engine.state.counter.isTimerOn && leader.core.cancellableCount == 0)
  }

  @Test func aForbiddenActionClosesTheConnectionOfAFollower() throws {
    let follower = try follower()
    follower.core.setPolicy(AccessPolicy(everyone: AccessGrant(read: [[]])), at: follower.now)
    let (id, _) = try follower.open()
    follower.forwarding = []
    follower.send([increment], from: 1, on: id)
    let error: PeerError = try #require(try follower.turn(id).first?.decoded())
    #expect(error.code == .notPermitted)
    #expect(!follower.forwarding.contains { if case .forward = $0 { true } else { false } })
  }

  @Test func aTurnThatDoesNotFollowIsRefused() throws {
    let leader = try leader()
    leader.core.perform(.sample, first: 1, [passed], limit: .max, at: leader.now)
    leader.turn()
    let follower = try follower()
    #expect(follower.core.apply(Array(leader.log.dropFirst()), at: follower.now) != nil)
  }

  // MARK: Leading

  @Test func aTakeoverIsAStartForTheFeatureWithTheClientsOfTheHub() throws {
    var events: [String] = []
    let hub = try follower { event, _ in
      switch event {
      case .started: events.append("started")
      case .attached: events.append("attached")
      case .detached: events.append("detached")
      }
      return []
    }
    let (id, _) = try hub.open()
    hub.turn()
    #expect(events.isEmpty)
    hub.lead()
    #expect(events == ["started", "attached"])
    hub.send([increment], from: 1, on: id)
    hub.turn()
    #expect(hub.engine.state.counter.count == 1)
    // What it has passed on as a follower is its own now, and comes once.
    hub.core.perform(.sample, first: 1, [passed], limit: .max, at: hub.now)
    hub.core.perform(.sample, first: 1, [passed], limit: .max, at: hub.now)
    hub.core.perform(.sample, first: 5, [passed], limit: .max, at: hub.now)
    hub.turn()
    #expect(hub.engine.state.counter.count == 2)
    hub.core.remoteEnded(.sample)
    #expect(events == ["started", "attached", "attached", "detached"])
    // Its node announces it before it acts, and again over another link.
    for _ in 1...2 { hub.core.perform(.sample, first: 1, [], limit: .max, at: hub.now) }
    hub.turn()
    #expect(events == ["started", "attached", "attached", "detached", "attached"])
  }

  /// Their connections are to other hubs, which have limits of their own.
  @Test func theClientsOfOtherHubsTakeNoConnections() throws {
    var limits = HubLimits()
    (limits.connections, limits.connectionsPerUser) = (2, 1)
    let hub = try Hub(recovering: [], limits: limits, seed: 8, isReplicated: true)
    hub.lead()
    hub.turn()
    let remotes = (1...3).map { ForwardedSession(id: SessionID(high: 9, low: $0), user: 1000, group: 1000) }
    for session in remotes { hub.core.perform(session, first: 1, [], limit: .max, at: hub.now) }
    #expect(hub.core.refusal(ofConnectionOf: 1000, waiting: (0, 0)) == nil)
    let id = hub.connect()
    hub.turn()
    #expect(!hub.closed.contains(id))
    #expect((hub.core.metrics.connections, hub.core.connectionCount) == (1, 4))
    #expect(hub.core.refusal(ofConnectionOf: 1000, waiting: (0, 0))?.code == .tooManyConnections)
    #expect(hub.core.refusal(ofConnectionOf: 1001, waiting: (0, 0)) == nil)
    for session in remotes { hub.core.remoteEnded(session) }
    #expect(hub.core.refusal(ofConnectionOf: 1000, waiting: (0, 0))?.code == .tooManyConnections)
    hub.core.ended(id)
    #expect(hub.core.refusal(ofConnectionOf: 1000, waiting: (0, 0)) == nil && hub.core.connectionCount == 0)
  }

  /// Under load a hub that follows reads frames before it can pass them on. Those that it has passed on come first.
  @Test func aNewLeaderPerformsWhatItHasPassedOnBeforeWhatWaits() throws {
    let hub = try follower()
    let (id, welcome) = try hub.open()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    hub.send([increment], from: 1, on: id)
    hub.turn()
    hub.core.noteForwarded(byteCount: 1 << 30)
    hub.send([increment], from: 2, on: id)
    hub.turn()
    hub.lead()
    hub.core.perform(session, first: 1, [passed], limit: .max, at: hub.now)
    while hub.work(limit: 2) > 0 { hub.turn() }
    #expect(hub.engine.state.counter.count == 2 && !hub.closed.contains(id))
  }

  /// A session that has acted through one hub goes on through another one with the next number.
  @Test func aNewLeaderKnowsTheSessionsOfTheLog() throws {
    let first = try leader()
    first.core.perform(.sample, first: 1, [passed], limit: .max, at: first.now)
    first.turn()
    let second = try leader(first.log)
    second.core.perform(.sample, first: 1, [passed], limit: .max, at: second.now)
    second.core.perform(.sample, first: 2, [passed], limit: .max, at: second.now)
    second.turn()
    #expect(second.engine.state.counter.count == 2)
  }

  /// While the log is behind, or at the end of a turn's time, actions of other hubs wait like those of sockets.
  @Test(arguments: [0, 3])
  func actionsOfAnotherHubThatDoNotFitIntoATurnWait(limit: Int) throws {
    let hub = try leader()
    hub.core.perform(.sample, first: 1, [passed, passed, passed, passed], limit: limit, at: hub.now)
    hub.core.perform(.sample, first: 5, [passed], limit: 0, at: hub.now)
    hub.turn()
    #expect(hub.engine.state.counter.count < 5)
    while hub.work(limit: 2) > 0 { hub.turn() }
    #expect(hub.engine.state.counter.count == 5)
  }

  @Test func theFirstLeaderGivesTheLogItsInitialState() throws {
    let leader = try leader()
    #expect(leader.log.first?.delta.isEmpty == false && leader.core.revision == 1)
    let follower = try follower(leader.log)
    #expect(follower.engine.state == leader.engine.state)
    // Nobody does it again.
    follower.lead()
    follower.turn()
    #expect(follower.log.count == leader.log.count)
  }

  // MARK: A deposed leader

  @Test func aDeposedLeaderDiscardsWhatIsNotStored() throws {
    let hub = try leader()
    let (actor, welcome) = try hub.openStored()
    let (reader, _) = try hub.openStored()
    hub.send(Attach(path: []), on: reader)
    hub.turn()
    hub.send([increment], from: 1, on: actor)
    hub.turn()
    hub.storeReplicated()
    #expect(hub.turn(actor).map(\.kind) == [.applied])
    let revision = hub.core.revision
    hub.send([increment], from: 2, on: actor)
    hub.core.perform(.sample, first: 1, [passed], limit: .max, at: hub.now)
    hub.turn()
    #expect(hub.engine.state.counter.count == 3)

    hub.core.follow(at: hub.now)
    hub.turn()
    #expect(hub.engine.state.counter.count == 1 && hub.core.revision == revision)
    #expect(!hub.closed.contains(actor) && !hub.closed.contains(reader))
    #expect(hub.core.unstoredTurnCount == 0)
    // What has no outcome is passed on, and what the client sends next.
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    let own = hub.forwarding.filter { $0 != .open(session, processed: 1) && $0 == .forward([passed], session) }
    #expect(own.count == 1 && hub.forwarding.contains(.open(session, processed: 1)))
    hub.forwarding = []
    hub.send([increment], from: 3, on: actor)
    hub.turn()
    #expect(hub.forwarding == [.forward([passed], session)])
    // Another leader's turn follows the stored one.
    let next = try leader(hub.log.filter { $0.revision <= revision })
    next.core.perform(session, first: 2, [passed, passed], limit: .max, at: next.now)
    next.turn()
    let new = next.log.filter { $0.position > (hub.core.storedTurn ?? 0) }
    #expect(hub.core.apply(new, at: hub.now) == nil)
    #expect(try hub.turn(actor).last?.number == 3)
  }

  /// What the client says about its actions goes with them, and what it cancels comes behind.
  @Test func whatIsPassedOnAfterADepositionIsWhatTheClientHasSent() throws {
    let hub = try leader()
    let (id, welcome) = try hub.openStored()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    let toggle = Action.counter(.toggleTimerButtonTapped).encoded()
    var writer = FrameWriter()
    writer.frame(.actions(seen: 1, mayCancel: true)) { encoder in
      encoder.unsigned(1)
      encoder.unsigned(0)
      for action in [toggle, [0x82, 0x18, 0x63, 0x80], increment.encoded()] { encoder.append(action.span.bytes) }
    }
    writer.frame(FrameHeader(kind: .cancel)) { $0.unsigned(1) }
    hub.send(writer.bytes, on: id)
    hub.turn()
    #expect(hub.core.unstoredTurnCount > 0)
    hub.forwarding = []
    hub.core.follow(at: hub.now)
    hub.turn()
    // Also the one that it had rejected.
    #expect(
      hub.forwarding == [
        .open(session, processed: 0),
        .forward(
          [[0x01, 0xf5] + toggle, [0x01, 0xf5, 0x82, 0x18, 0x63, 0x80], [0x01, 0xf5] + increment.encoded()], session),
        .cancel(action: 1, session),
      ])
  }

  /// A frame that takes several turns is passed on once, with what the hub had not handled.
  @Test(arguments: 1...4) func aFrameThatWasBegunIsPassedOn(turns: Int) throws {
    let hub = try leader()
    let (id, welcome) = try hub.openStored()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    let bytes = actionsFrame([Action](repeating: increment, count: 5).map { $0.encoded() }, from: 1, acknowledged: 0)
    hub.core.received(bytes.span.bytes, on: id, at: hub.now, limit: 2)
    for _ in 1..<turns {
      hub.turn()
      _ = hub.work(limit: 1)
    }
    hub.turn()
    #expect(hub.engine.state.counter.count == turns)
    // The log has the first of its turns.
    if turns > 2, let first = hub.log.first(where: { $0.position > hub.core.storedTurn ?? 0 }) {
      hub.core.stored([first], at: hub.now)
      hub.turn()
    }
    hub.forwarding = []
    hub.core.follow(at: hub.now)
    while hub.work(limit: 2) > 0 {}
    hub.turn()
    let stored = turns > 2 ? 1 : 0
    #expect(hub.forwarding.first == .open(session, processed: UInt64(stored)))
    #expect(hub.forwarded(of: session) == Array(repeating: passed, count: 5 - stored))
    #expect(!hub.closed.contains(id))
  }

  /// The new connection does not have what the client has sent on the old one.
  @Test func aClientThatHasJustComeBackToADeposedLeaderComesAgain() throws {
    let hub = try leader()
    let (actor, welcome) = try hub.openStored()
    hub.send([increment], from: 1, on: actor)
    hub.turn()
    hub.disconnect(actor)
    let again = hub.connect()
    hub.send(Hello(session: welcome.session, acknowledged: 0, name: "test", history: nil), on: again)
    hub.turn()
    hub.core.follow(at: hub.now)
    #expect(hub.turn(again).isEmpty && hub.closed.contains(again))
    let (_, resumed) = try hub.open(session: welcome.session)
    #expect(resumed.isResumed && resumed.processed == 0)
  }

  /// A hub that does not lead long, with many clients, keeps no frame that the log has.
  @Test func storedFramesAreForgotten() throws {
    let hub = try leader()
    let (id, welcome) = try hub.openStored()
    for number in 1...UInt64(20) {
      hub.send([increment], from: number, on: id)
      hub.turn()
      if number % 3 == 0 {
        hub.storeReplicated()
        hub.turn()
      }
    }
    hub.forwarding = []
    hub.core.follow(at: hub.now)
    hub.turn()
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    #expect(hub.forwarding.first == .open(session, processed: 18))
    #expect(hub.forwarded(of: session) == [passed, passed])
  }

  private func cancel(_ number: UInt64, _ hub: Hub, _ id: ConnectionID) {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .cancel)) { $0.unsigned(number) }
    hub.send(writer.bytes, on: id)
  }

  @Test func whatIsKeptIsBoundedByWhatTheLogLacks() throws {
    let hub = try leader()
    let (id, welcome) = try hub.openStored()
    let unstored = hub.core.turns
    let turns = try #require(unstored)
    hub.send([increment], from: 1, on: id)
    // Numbers of actions that the hub has not seen.
    for number in [.max, 2, 100] as [UInt64] { cancel(number, hub, id) }
    // Again, with one that is new.
    hub.send([increment, increment], from: 1, on: id)
    hub.turn()
    cancel(1, hub, id)
    hub.turn()
    let kept = turns.keptByteCount
    #expect(kept > 0 && kept < 40)
    hub.forwarding = []
    hub.storeReplicated()
    hub.turn()
    #expect(turns.keptByteCount == 0 && turns.byteCount == 0)

    hub.send([increment], from: 3, on: id)
    hub.turn()
    #expect(turns.keptByteCount > 0)
    hub.disconnect(id)
    #expect(turns.keptByteCount == 0)
    hub.core.follow(at: hub.now)
    #expect(turns.byteCount == 0)
    let (_, resumed) = try hub.open(session: welcome.session)
    #expect(resumed.processed == 2)
  }

  // MARK: Transfer

  /// The log takes the turns up to the request, and none behind it.
  @Test func theRequestToPassTheLeadershipOnFollowsItsTurn() throws {
    let hub = try leader()
    let (id, _) = try hub.openStored()
    hub.send(Transfer(to: "b"), on: id)
    hub.send([increment], from: 1, on: id)
    hub.core.endTurn()
    let commands = hub.core.commands
    let store = try #require(commands.firstIndex(of: .store))
    let request = try #require(hub.core.forwarding.firstIndex(of: .handOver(to: "b", for: id)))
    #expect(try #require(commands.firstIndex(of: .forwarding(request))) > store)
  }

  @Test func aHubThatPassesTheLeadershipOnKeepsItsClientsWaiting() throws {
    var events: [String] = []
    let hub = try leader { event, _ in
      if case .attached = event { events.append("attached") }
      return []
    }
    let (id, welcome) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.turn()
    hub.core.beginHandOver()
    hub.send([increment, increment], from: 2, on: id)
    hub.core.perform(.sample, first: 1, [passed], limit: .max, at: hub.now)
    // A new client is welcomed as soon as another hub leads.
    let new = hub.connect()
    hub.send(Hello(name: "new"), on: new)
    hub.turn()
    #expect(hub.work(limit: 9) == 0 && !hub.core.needsAnotherTurn)
    #expect(hub.engine.state.counter.count == 1 && events == ["attached"] && hub.received(by: new).isEmpty)

    hub.storeReplicated()
    hub.turn()
    hub.forwarding = []
    hub.core.follow(at: hub.now)
    while hub.work(limit: 1) > 0 { hub.turn() }
    let session = ForwardedSession(id: welcome.session, user: 1000, group: 1000, name: "test")
    hub.turn()
    #expect(!hub.closed.contains(id) && !hub.closed.contains(new))
    #expect(hub.forwarded(of: session) == [passed, passed])
    #expect(hub.received(by: new).map(\.kind) == [.welcome])
  }

  /// A hub that follows has no leadership to pass on.
  @Test func aHubThatFollowsDoesNotWaitForAHandover() throws {
    let hub = try follower()
    hub.core.beginHandOver()
    let waits = hub.core.isLogBehind
    #expect(!waits)
  }
}

extension ForwardedSession {
  /// A session of another hub.
  fileprivate static let sample = ForwardedSession(id: SessionID(high: 3, low: 4), user: 1001, group: 1001)
}

extension Hub {
  func lead() { core.lead(at: now, wallTime: 0) }

  /// The replicated log has stored all turns.
  func storeReplicated() {
    let stored = core.storedTurn ?? 0
    core.stored(log.filter { $0.position > stored }, at: now)
  }
}
