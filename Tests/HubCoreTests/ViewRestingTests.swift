import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Connections at rest with views, which a hub continues after a crash of the previous process.
@Suite struct ViewRestingTests {
  private static var doubled: StateViews<State> {
    StateViews { StateView("doubled", of: \.counter.count) { $0 * 2 } }
  }
  private static var noted: StateViews<State> {
    StateViews { StateView("doubled", of: \.counter.count) { "\($0)" } }
  }

  private let increment = Action.counter(.incrementButtonTapped)

  /// The record of a client that has attached the view, if there is one.
  private func record(_ views: StateViews<State>) throws -> (hub: Hub, bytes: [UInt8]) {
    let hub = try Hub(recovering: [], views: views)
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    if views.schema != nil { hub.send(Attach(root: .views, path: [0]), scope: 7, on: id) }
    hub.send([increment], from: 1, on: id)
    for _ in 0..<3 {
      hub.turn()
      hub.store()
    }
    hub.turn()
    let record = hub.core.resting(id, token: 42)
    return (hub, try #require(record))
  }

  /// What the next process makes of a record.
  private func handOver(_ record: [UInt8], from hub: Hub, to views: StateViews<State>) throws -> HandOver? {
    var random = SplitMix(seed: 3)
    let engine = try Hub(recovering: hub.log, views: views).engine
    let history = HubHistory(
      id: 1, isLogged: true, position: hub.log.last?.position ?? 0, sessions: [], versions: [])
    let handOver = HandOver(resting: [record], engine: engine, history: history, random: &random)
    try handOver?.check(against: engine, history)
    return handOver
  }

  @Test func aClientOfAViewGoesOnAfterACrash() throws {
    let (hub, record) = try record(Self.doubled)
    let handOver = try #require(try handOver(record, from: hub, to: Self.doubled))
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), seed: 8, continuing: handOver, views: Self.doubled)
    let id = next.connect(isTakenOver: true)
    _ = next.core.takeOver(handOver, 0, on: id, at: next.now)
    // Another process may compute another value from the same state, so it is sent as a whole.
    let frames = next.turn(id)
    #expect(frames.map(\.kind) == [.snapshot] && frames.map(\.scope) == [7] && next.closed.isEmpty)
    next.send([increment], from: 2, on: id)
    next.turn()
    next.store()
    #expect(next.turn(id).map(\.kind) == [.delta, .applied])
  }

  @Test func aClientThatWasToldOtherViewsIsClosed() throws {
    let (hub, record) = try record(Self.doubled)
    #expect(try handOver(record, from: hub, to: Self.noted) == nil)
    #expect(try handOver(record, from: hub, to: StateViews()) == nil)
    let (older, plain) = try self.record(StateViews())
    #expect(try handOver(plain, from: older, to: Self.doubled) == nil)
  }

  /// A hub of a version without views writes records without their schema, as a hub that declares none.
  @Test func aRecordOfAVersionWithoutViewsIsThatOfAHubWithoutViews() throws {
    let (hub, record) = try record(StateViews())
    #expect(record[0] == 0x85)
    #expect(try handOver(record, from: hub, to: StateViews())?.tokens == [42])
    let (_, viewed) = try self.record(Self.doubled)
    #expect(viewed[0] == 0x86)
  }

  /// The log is shorter than what the client knows of the view.
  @Test func aClientOfAViewThatKnowsMoreThanTheLogIsClosed() throws {
    let (hub, record) = try record(Self.doubled)
    var random = SplitMix(seed: 3)
    let engine = try Hub(recovering: [], views: Self.doubled).engine
    let history = HubHistory(id: 1, isLogged: true, position: 0, sessions: [], versions: [])
    #expect(HandOver(resting: [record], engine: engine, history: history, random: &random) == nil)
    #expect(hub.core.revision == 1)
  }
}
