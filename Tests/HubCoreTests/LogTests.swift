import CFeatureCore
import Features
import Senders
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A hub with a log.
@Suite struct LogTests {
  private let increment = Action.counter(.incrementButtonTapped)

  // MARK: Sessions

  @Test func theFeatureIsToldOfEachClientOnceAlsoIfItIsRefused() throws {
    var (attached, detached) = (0, 0)
    let hub = try Hub(
      recovering: [],
      onEvent: { event, _ in
        switch event {
        case .attached: attached += 1
        case .detached: detached += 1
        default: break
        }
        return []
      })
    let (first, welcome) = try hub.openStored()
    hub.disconnect(first)
    for _ in 0..<3 {
      let id = hub.connect()
      // It acknowledges actions that the hub has not processed.
      hub.send(Hello(session: welcome.session, acknowledged: 5, name: "test"), on: id)
      hub.turn()
      #expect(hub.closed.contains(id))
    }
    #expect(attached == 1 && detached == 1)
  }

  /// A session of an earlier process ends if its client knows of more actions than the log, but only at its first
  /// resumption.
  @Test func aWrongAcknowledgementDoesNotEndASessionThatWasResumed() throws {
    let earlier = try Hub(recovering: [])
    let (first, welcome) = try earlier.openStored()
    earlier.send([increment], from: 1, on: first)
    earlier.turn()
    earlier.store()
    let hub = try Hub(recovering: earlier.log, sessions: earlier.log.lastSessions)
    let (again, resumed) = try hub.openStored(
      session: welcome.session, acknowledged: 1, history: hub.core.historyID)
    #expect(resumed.isResumed)
    hub.disconnect(again)
    let id = hub.connect()
    hub.send(Hello(session: welcome.session, acknowledged: 5, name: "test"), on: id)
    let error: PeerError = try #require(try hub.turn(id).first?.decoded())
    #expect(error.code == .sequenceGap)
    let (_, third) = try hub.openStored(session: welcome.session, acknowledged: 1, history: hub.core.historyID)
    #expect(third.isResumed && third.processed == 1)
  }

  // MARK: What leaves when

  @Test func noWelcomeBeforeTheSessionIsStored() throws {
    let hub = try Hub(recovering: [])
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    #expect(hub.turn(id).isEmpty)
    #expect(hub.log.map(\.sessions.count) == [1])
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.welcome])
  }

  @Test func noOutcomeAndNoStateBeforeTheTurnIsStored() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send(Attach(path: []), on: id)
    #expect(hub.turn(id).map(\.kind) == [.snapshot])
    hub.send([increment], from: 1, on: id)
    #expect(hub.turn(id).isEmpty)
    #expect(hub.engine.state.counter.count == 1)
    hub.send([increment, increment], from: 2, on: id)
    #expect(hub.turn(id).isEmpty)
    hub.store()
    let frames = hub.turn(id)
    #expect(frames.map(\.kind) == [.delta, .applied])
    #expect(frames.map(\.revision) == [3, 3])
    #expect(try frames[1].number == 3)
  }

  @Test func whatIsStoredLeavesAndTheRestWaits() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.turn()
    let position = try #require(hub.log.last).position
    hub.send([increment], from: 2, on: id)
    hub.turn()
    hub.store(upTo: position)
    let frames = hub.turn(id)
    #expect(try frames.map { try $0.number } == [1])
    #expect(frames.map(\.revision) == [1])
  }

  @Test func aLateSubscriberSeesOnlyWhatIsStored() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.send(Attach(path: []), on: id)
    let frames = hub.turn(id)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(frames.map(\.revision) == [0])
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.delta, .applied])
  }

  @Test func aRejectionWaitsForItsTurn() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send(actionsFrame([[0x82, 0x18, 0x63, 0x00]], from: 1), on: id)
    #expect(hub.turn(id).isEmpty)
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.rejected, .applied])
  }

  @Test func effectsBeginWhenTheirTurnIsStored() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([.counter(.numberFactButtonTapped)], from: 1, on: id)
    hub.turn()
    #expect(hub.startedEffects == 0)
    hub.store()
    hub.turn()
    #expect(hub.startedEffects == 1)
  }

  @Test func inAsyncModeNothingWaits() throws {
    let hub = try Hub(recovering: [], durability: .async)
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.send([increment], from: 1, on: id)
    #expect(hub.turn(id).map(\.kind) == [.welcome, .applied])
    #expect(hub.log.count == 1)
  }

  @Test func aHalfClosedPeerGetsTheOutcomesThatWait() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.core.inputEnded(id, at: hub.now)
    hub.turn()
    #expect(!hub.closed.contains(id))
    hub.now += .seconds(60)
    hub.core.expire(at: hub.now)
    hub.turn()
    #expect(!hub.closed.contains(id))
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.applied])
    #expect(hub.closed.contains(id))
  }

  // MARK: What is stored

  @Test func aTurnHasItsActionsWithTheirOrigin() throws {
    let hub = try Hub(recovering: [])
    let (id, welcome) = try hub.openStored()
    hub.send([increment, increment], from: 1, on: id)
    hub.send([increment], from: 3, on: id)
    hub.turn()
    let turn = try #require(hub.log.last)
    #expect((turn.baseRevision, turn.revision) == (0, 3))
    var decoder = CBORDecoder(turn.actions.span.bytes)
    let first = try LoggedActions(from: &decoder)
    let second = try LoggedActions(from: &decoder)
    try decoder.finish()
    #expect(first.origin == .session(welcome.session, first: 1, connection: 1 << 16))
    #expect(first.actions == increment.encoded() + increment.encoded())
    #expect(second.origin == .session(welcome.session, first: 3, connection: 1 << 16))
    #expect(turn.sessions.map(\.processed) == [3])
    #expect(turn.sessions.map(\.user) == [1000])
  }

  @Test func aQuietTurnIsNotStored() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    let count = hub.log.count
    hub.send(Ping(number: 1), on: id)
    #expect(hub.turn(id).map(\.kind) == [.pong])
    #expect(hub.log.count == count)
  }

  @Test func aSessionThatEndsIsStoredAsEnded() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send(leaveFrame, on: id)
    hub.turn()
    #expect(hub.log.lastSessions.isEmpty)
  }

  @Test func eventsOfTheHubBecomeActions() throws {
    let hub = try Hub(recovering: []) { event, _ in
      switch event {
      case .started: [.counter(.incrementButtonTapped)]
      case .attached, .detached: []
      }
    }
    hub.core.start()
    hub.turn()
    let turn = try #require(hub.log.last)
    #expect(try LoggedActions(decoding: turn.actions.span.bytes).origin == .hub)
    #expect(hub.engine.state.counter.count == 1)
  }

  /// The feature may read the whole state at the start, and recording an observer costs more than reading a field.
  @Test func aReactionToAnEventIsNotObserved() throws {
    var isObserved: Bool?
    let hub = try Hub(recovering: []) { _, _ in
      isObserved = storehub_can_observe()
      return []
    }
    hub.core.start()
    #expect(isObserved == false)
  }

  @Test func anActionOfTheProgramIsStoredAsTheHubsOwn() throws {
    let hub = try Hub(recovering: [])
    hub.core.send(AnyAction(increment))
    hub.turn()
    let turn = try #require(hub.log.last)
    #expect((turn.baseRevision, turn.revision) == (0, 1))
    #expect(try LoggedActions(decoding: turn.actions.span.bytes).origin == .hub)
  }

  @Test func attachingAndDetachingBecomeActions() throws {
    var events: [HubEvent] = []
    let hub = try Hub(recovering: []) { event, _ in
      events.append(event)
      return []
    }
    let (id, welcome) = try hub.openStored()
    hub.disconnect(id)
    let (_, second) = try hub.openStored(session: welcome.session)
    let (client, resumed) = (try #require(welcome.client), try #require(second.client))
    #expect(events == [.attached(client), .detached(client), .attached(resumed)])
    #expect(client.session == resumed.session && client.connection < resumed.connection)
  }

  @Test func aSnapshotIsDueAfterSoManyBytes() throws {
    var limits = HubLimits()
    limits.snapshotInterval = 4096
    let hub = try Hub(recovering: [], limits: limits)
    let (id, _) = try hub.openStored()
    for number in 1...100 {
      hub.send([increment], from: UInt64(number), on: id)
      hub.turn()
      hub.store()
      hub.turn()
    }
    // No snapshot is started before the previous one has ended.
    #expect(hub.snapshotCount == 1)
    let snapshot = hub.core.snapshot()
    #expect(snapshot.revision == 100)
    let next = snapshot.makePieces()
    var bytes: [UInt8] = []
    while let piece = next(7) { bytes += piece }
    #expect(bytes == hub.engine.state.encoded())
    hub.core.snapshotEnded()
    for number in 101...200 {
      hub.send([increment], from: UInt64(number), on: id)
      hub.turn()
      hub.store()
      hub.turn()
    }
    #expect(hub.snapshotCount == 2)
  }

  /// A hub may be restarted more often than it takes snapshots.
  @Test func turnsOfEarlierProcessesCountTowardsTheNextSnapshot() throws {
    var limits = HubLimits()
    limits.snapshotInterval = 4096
    func store(_ byteCount: Int, in hub: Hub) throws {
      let (id, _) = try hub.openStored()
      let before = hub.log.reduce(0) { $0 + $1.byteCount }
      var number: UInt64 = 0
      while hub.log.reduce(-before, { $0 + $1.byteCount }) < byteCount {
        number += 1
        hub.send([increment], from: number, on: id)
        hub.turn()
        hub.store()
        hub.turn()
      }
    }
    let old = try Hub(recovering: [], limits: limits)
    try store(2000, in: old)
    #expect(old.snapshotCount == 0)
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, limits: limits, seed: 8)
    try store(500, in: hub)
    #expect(hub.snapshotCount == 0)
    try store(1800, in: hub)
    #expect(hub.snapshotCount == 1)
  }

  /// A snapshot that is saved during the recovery restarts the count.
  @Test func turnsBeforeASnapshotDoNotCountTowardsTheNextOne() throws {
    let old = try Hub(recovering: [])
    _ = try old.openStored()
    let engine = FeatureEngine(initialState: State(), reducer: AppFeature())
    for isSaved in [false, true] {
      var recovery = Recovery(of: engine)
      for turn in old.log { try recovery.apply(turn, writtenFor: engine.schema) }
      if isSaved { #expect(recovery.snapshot().position == 1) }
      let history = recovery.history(id: 1, sessions: [])
      #expect(history.unsavedByteCount == (isSaved ? 0 : old.log[0].byteCount))
    }
  }

  // MARK: After a restart

  @Test func theStateIsTheStoredOneAndResentActionsTakeEffectOnce() throws {
    let old = try Hub(recovering: [])
    let (id, welcome) = try old.openStored()
    old.send([increment, increment], from: 1, on: id)
    old.turn()
    let stored = old.log
    old.send([increment], from: 3, on: id)
    old.turn()

    let hub = try Hub(recovering: stored, sessions: stored.lastSessions, seed: 8)
    #expect(hub.engine.state.counter.count == 2)
    #expect(hub.engine.revision == 2)
    let (again, resumed) = try hub.openStored(session: welcome.session)
    #expect(resumed.isResumed)
    #expect(resumed.processed == 2)
    hub.send([increment, increment, increment], from: 1, on: again)
    hub.turn()
    hub.store()
    #expect(hub.engine.state.counter.count == 3)
    #expect(try hub.turn(again).last?.number == 3)
  }

  @Test func aClientThatComesBackAfterARestartGetsADelta() throws {
    let old = try Hub(recovering: [])
    let (id, welcome) = try old.openStored()
    for number in 1...5 {
      old.send([increment], from: UInt64(number), on: id)
      old.turn()
    }
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, seed: 8)
    let (again, _) = try hub.openStored(session: welcome.session, acknowledged: 3, history: welcome.history)
    hub.send(Attach(path: [], knownRevision: 3), on: again)
    let frames = hub.turn(again)
    #expect(frames.map(\.kind) == [.delta])
    #expect(frames.map(\.revision) == [5])
  }

  /// In async mode a client may have seen revisions that were lost; their numbers are then used for other actions.
  @Test func aRevisionFromBeyondTheRecoveredOneIsNotTrusted() throws {
    let old = try Hub(recovering: [], durability: .async)
    let (id, welcome) = try old.openStored()
    old.send([increment], from: 1, on: id)
    old.turn()
    let stored = old.log
    let hub = try Hub(recovering: stored, sessions: stored.lastSessions, durability: .async, seed: 8)
    let (other, _) = try hub.open()
    hub.send(Attach(path: []), on: other)
    hub.send([increment, increment], from: 1, on: other)
    hub.turn()
    let (again, resumed) = try hub.open(
      session: welcome.session, acknowledged: 1, history: welcome.history)
    #expect(resumed.isResumed)
    hub.send(Attach(path: [], knownRevision: 3), on: again)
    #expect(hub.turn(again).map(\.kind) == [.snapshot])
  }

  /// Even if the first connection after the restart ended before the client had the new state.
  @Test func aRevisionFromBeyondTheRecoveredOneIsNeverTrusted() throws {
    let old = try Hub(recovering: [], durability: .async)
    let (_, welcome) = try old.openStored()
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, durability: .async, seed: 8)
    let (first, _) = try hub.open(session: welcome.session, history: welcome.history)
    hub.disconnect(first)
    let (other, _) = try hub.open()
    hub.send(Attach(path: []), on: other)
    hub.turn()
    for number in UInt64(1)...5 {
      hub.send([increment], from: number, on: other)
      hub.turn()
    }
    let (again, resumed) = try hub.open(session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    hub.send(Attach(path: [], knownRevision: 3), on: again)
    #expect(hub.turn(again).map(\.kind) == [.snapshot])
  }

  /// The hub's record of sent revisions is not sufficient: the client may have the same number from another history.
  @Test func aRevisionOfALostHistoryIsNotTakenForOneThatWasSentSince() throws {
    let old = try Hub(recovering: [], durability: .async)
    let (_, welcome) = try old.openStored()
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, durability: .async, seed: 8)
    let (other, _) = try hub.open()
    hub.send([increment, increment, increment], from: 1, on: other)
    hub.turn()
    // The hub sends a snapshot of revision 3, which the client does not receive.
    let (first, _) = try hub.open(session: welcome.session, history: welcome.history)
    hub.send(Attach(path: [], knownRevision: 3), on: first)
    #expect(hub.turn(first).map(\.kind) == [.snapshot])
    hub.disconnect(first)
    hub.send([increment], from: 4, on: other)
    hub.turn()
    let (second, known) = try hub.open(session: welcome.session, history: welcome.history)
    hub.send(Attach(path: [], knownRevision: 3), on: second)
    #expect(hub.turn(second).map(\.kind) == [.snapshot])
    hub.disconnect(second)
    // This one is received.
    hub.send([increment], from: 5, on: other)
    hub.turn()
    let (third, _) = try hub.open(session: welcome.session, history: known.history)
    hub.send(Attach(path: [], knownRevision: 4), on: third)
    #expect(hub.turn(third).map(\.kind) == [.delta])
  }

  /// The revisions of the hub's own state start again with each hub.
  @Test func aRevisionOfAnotherHubsOwnStateIsNotTrusted() throws {
    let old = try Hub(recovering: [])
    let (id, welcome) = try old.openStored()
    for _ in 1...5 {
      old.send([increment], from: old.engine.revision + 1, on: id)
      old.turn()
    }
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, seed: 8)
    let (other, _) = try hub.openStored()
    hub.send(Attach(root: .hub, path: []), on: other)
    hub.turn()
    for _ in 1...3 { _ = try hub.openStored() }
    let (again, resumed) = try hub.openStored(session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    hub.send(Attach(root: .hub, path: [], knownRevision: 2), on: again)
    #expect(hub.turn(again).map(\.kind) == [.snapshot])
  }

  @Test func aSessionWhoseOutcomesWereLostIsNotResumed() throws {
    let old = try Hub(recovering: [], durability: .async)
    let (id, welcome) = try old.openStored()
    let stored = old.log
    old.send([increment], from: 1, on: id)
    #expect(try old.turn(id).last?.number == 1)
    let hub = try Hub(recovering: stored, sessions: stored.lastSessions, durability: .async, seed: 8)
    let (_, answer) = try hub.open(session: welcome.session, acknowledged: 1)
    #expect(!answer.isResumed)
    #expect(answer.session != welcome.session)
  }

  @Test func rejectionsSurviveARestartUntilTheyAreAcknowledged() throws {
    let old = try Hub(recovering: [])
    let (id, welcome) = try old.openStored()
    old.send(actionsFrame([[0x82, 0x18, 0x63, 0x00]], from: 1), on: id)
    old.turn()
    let hub = try Hub(recovering: old.log, sessions: old.log.lastSessions, seed: 8)
    let again = hub.connect()
    hub.send(Hello(session: welcome.session, name: "test"), on: again)
    hub.turn()
    hub.store()
    #expect(hub.turn(again).map(\.kind) == [.welcome, .rejected, .applied, .released])
  }

  @Test func aTurnThatDoesNotFollowTheLastOneIsRefused() throws {
    let old = try Hub(recovering: [])
    let (id, _) = try old.openStored()
    for number in 1...3 {
      old.send([increment], from: UInt64(number), on: id)
      old.turn()
    }
    #expect(throws: RecoveryError.self) { try Hub(recovering: [old.log[0], old.log[2]]) }
  }
}
