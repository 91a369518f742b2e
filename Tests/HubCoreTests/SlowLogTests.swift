import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A hub whose log is slow or fails.
@Suite struct SlowLogTests {
  private let increment = Action.counter(.incrementButtonTapped)

  @Test func aLogIsAlsoBehindByTheBytesOfTurns() throws {
    var limits = HubLimits()
    limits.unstoredBytes = 1000
    let hub = try Hub(recovering: [], limits: limits)
    let (id, _) = try hub.openStored()
    hub.send([.todos(.addButtonTapped(text: "short"))], from: 1, on: id)
    hub.turn()
    var isBehind = hub.core.isLogBehind
    #expect(!isBehind)
    hub.send([.todos(.addButtonTapped(text: String(repeating: "x", count: 2000)))], from: 2, on: id)
    hub.turn()
    isBehind = hub.core.isLogBehind
    #expect(isBehind)
  }

  @Test func aHubWhoseLogIsBehindOpensNoSessions() throws {
    var limits = HubLimits()
    limits.unstoredTurns = 2
    let hub = try Hub(recovering: [], limits: limits)
    let (id, _) = try hub.openStored()
    for number in 1...3 {
      hub.send([increment], from: UInt64(number), on: id)
      hub.turn()
    }
    let late = hub.connect()
    hub.send(Hello(name: "late"), on: late)
    let error: PeerError = try #require(try hub.turn(late).first?.decoded())
    #expect(error.code == .overloaded && hub.closed.contains(late))
    hub.store()
    _ = try hub.openStored()
  }

  /// Otherwise the goodbye would wait for all that clients have sent.
  @Test func aHubThatStopsHandlesNoWaitingFrames() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    let (bytes, now) = (actionsFrame(Array(repeating: increment.encoded(), count: 1000), from: 1), hub.now)
    let work = hub.core.received(bytes.span.bytes, on: id, at: now, limit: 10)
    #expect(work.count == 10 && !work.isComplete)
    hub.turn()
    hub.core.shutDown(reason: "the end", at: hub.now)
    let goesOn = hub.core.needsAnotherTurn
    #expect(!goesOn && hub.work(limit: 100) == 0)
    hub.turn()
    hub.store()
    let frames = hub.turn(id)
    #expect(frames.map(\.kind) == [.applied, .goodbye])
    #expect(try frames.first?.number == 9)
  }

  /// A client that leaves while the hub stops may cause the last turn.
  @Test func theLastTurnHasATimeToo() throws {
    let hub = try Hub(
      recovering: [],
      onEvent: { event, _ in
        if case .detached = event { [.counter(.incrementButtonTapped)] } else { [] }
      })
    let (id, _) = try hub.openStored()
    hub.core.inputEnded(id, at: hub.now)
    hub.core.shutDown(reason: "the end", at: hub.now, wallTime: 5)
    hub.turn()
    hub.store()
    hub.turn()
    #expect(hub.engine.state.counter.count == 1)
    #expect(hub.log.filter { !$0.actions.isEmpty }.map(\.time) == [5])
  }

  @Test func aHubWhoseLogIsBehindHandlesNoFurtherFrames() throws {
    var limits = HubLimits()
    limits.unstoredTurns = 2
    let hub = try Hub(recovering: [], limits: limits)
    let (id, _) = try hub.openStored()
    for number in 1...3 {
      hub.send([increment], from: UInt64(number), on: id)
      hub.turn()
    }
    var isBehind = hub.core.isLogBehind
    #expect(isBehind)
    let bytes = actionsFrame([increment.encoded()], from: 4)
    let span = bytes.span.bytes
    let work = hub.core.received(span, on: id, at: hub.now, limit: 0)
    #expect(work.count == 0 && !work.isComplete)
    var goesOn = hub.core.needsAnotherTurn
    #expect(!goesOn)
    hub.store()
    (isBehind, goesOn) = (hub.core.isLogBehind, hub.core.needsAnotherTurn)
    #expect(!isBehind && goesOn)
    hub.work(limit: 10)
    hub.turn()
    hub.store()
    #expect(try hub.turn(id).last?.number == 4)
  }

  // MARK: The hub's own actions

  /// A hub with a session whose log is behind.
  private func hubBehindItsLog(
    onEvent: @escaping (HubEvent, State) -> [Action] = { _, _ in [] }
  ) throws -> (Hub, ConnectionID) {
    var limits = HubLimits()
    limits.unstoredTurns = 2
    let hub = try Hub(recovering: [], limits: limits, onEvent: onEvent)
    let (id, _) = try hub.openStored()
    for number in 1...3 {
      hub.send([increment], from: UInt64(number), on: id)
      hub.turn()
    }
    let isBehind = hub.core.isLogBehind
    #expect(isBehind)
    return (hub, id)
  }

  @discardableResult
  private func add(_ text: String, to hub: Hub) -> Bool {
    hub.core.apply(AnyAction(Action.todos(.addButtonTapped(text: text))), from: nil)
  }

  private func texts(of hub: Hub) -> [String] { hub.engine.state.todos.todos.map(\.text) }

  @Test func actionsOfEffectsWaitInOrderForALogThatIsBehind() throws {
    let (hub, _) = try hubBehindItsLog()
    let (count, names) = (hub.log.count, ["a", "b", "c"])
    for name in names {
      #expect(add(name, to: hub))
      hub.turn()
    }
    hub.core.send(AnyAction(increment))
    hub.turn()
    #expect(texts(of: hub).isEmpty && hub.log.count == count)
    hub.store()
    let goesOn = hub.core.needsAnotherTurn
    #expect(goesOn)
    // What arrives now does not overtake them.
    add("d", to: hub)
    #expect(hub.work(limit: 2) == 2)
    #expect(texts(of: hub) == ["a", "b"])
    while hub.work(limit: 100) > 0 {}
    #expect(texts(of: hub) == names + ["d"] && hub.engine.state.counter.count == 4)
  }

  @Test func framesDoNotOvertakeActionsOfEffects() throws {
    let (hub, id) = try hubBehindItsLog()
    add("by an effect", to: hub)
    hub.store()
    hub.send([.todos(.addButtonTapped(text: "by a client"))], from: 4, on: id)
    #expect(texts(of: hub).isEmpty)
    while hub.work(limit: 100) > 0 {}
    #expect(texts(of: hub) == ["by an effect", "by a client"])
  }

  @Test func reactionsToConnectionsWaitForALogThatIsBehind() throws {
    let (hub, id) = try hubBehindItsLog { event, _ in
      if case .detached = event { [.todos(.addButtonTapped(text: "gone"))] } else { [] }
    }
    add("before", to: hub)
    hub.disconnect(id)
    hub.turn()
    #expect(texts(of: hub).isEmpty)
    hub.store()
    while hub.work(limit: 100) > 0 {}
    #expect(texts(of: hub) == ["before", "gone"])
  }

  /// They cannot be repeated: effects end with the process.
  @Test func aHubThatStopsAppliesTheWaitingActionsOfEffects() throws {
    let (hub, id) = try hubBehindItsLog()
    add("the last", to: hub)
    hub.core.shutDown(reason: "the end", at: hub.now)
    #expect(texts(of: hub) == ["the last"])
    hub.turn()
    hub.store()
    #expect(hub.turn(id).last?.kind == .goodbye)
    #expect(hub.log.last?.revision == hub.engine.revision)
  }

  @Test func nothingThatWaitsIsAppliedAfterAFailure() throws {
    let (hub, id) = try hubBehindItsLog()
    add("never", to: hub)
    hub.core.logFailed(reason: "the disk is full", at: hub.now)
    #expect(hub.turn(id).map(\.kind) == [.goodbye])
    #expect(texts(of: hub).isEmpty && !hub.hasBacklog)
  }

  @Test func nothingIsAcknowledgedAfterAFailure() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.turn()
    hub.core.logFailed(reason: "the disk is full", at: hub.now)
    #expect(hub.turn(id).map(\.kind) == [.goodbye])
    hub.store()
    #expect(hub.turn(id).isEmpty)
  }

  @Test func whatTheFailedTurnDidIsNotAcknowledgedInAsyncModeEither() throws {
    let hub = try Hub(recovering: [], durability: .async)
    let (id, _) = try hub.openStored()
    hub.send(Attach(path: []), on: id)
    hub.turn(id)
    hub.send([increment], from: 1, on: id)
    hub.core.logFailed(reason: "the disk is full", at: hub.now)
    #expect(hub.turn(id).map(\.kind) == [.goodbye])
  }

  /// Otherwise the hub would wait forever for turns that are never stored.
  @Test func aHubWhoseLogHasFailedCanStop() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.core.logFailed(reason: "the disk is full", at: hub.now)
    hub.turn()
    let count = hub.core.unstoredTurnCount
    #expect(count == 0)
    hub.core.shutDown(reason: "the end", at: hub.now)
    hub.turn()
    let last = hub.core.unstoredTurnCount
    #expect(last == 0)
  }

  @Test func noEffectBeginsAfterAFailure() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([.counter(.numberFactButtonTapped)], from: 1, on: id)
    hub.core.logFailed(reason: "the disk is full", at: hub.now)
    hub.turn()
    #expect(hub.startedEffects == 0)
  }

  @Test func goodbyeComesBehindTheLastOutcome() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    hub.send([increment], from: 1, on: id)
    hub.core.shutDown(reason: "the end", at: hub.now)
    #expect(hub.turn(id).isEmpty)
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.applied, .goodbye])
  }
}
