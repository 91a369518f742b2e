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

  /// Two versions of a type whose schemas are equal: the second one's decoder refuses more.
  private enum Earlier {
    struct Factor: WireValue {
      let number: Int

      init(from decoder: inout CBORDecoder) throws(WireError) { number = try Int(from: &decoder) }

      func encode(to encoder: inout CBOREncoder) { number.encode(to: &encoder) }
    }
  }

  private enum Later {
    struct Factor: WireValue {
      let number: Int

      init(from decoder: inout CBORDecoder) throws(WireError) {
        let start = decoder.offset
        number = try Int(from: &decoder)
        guard number < 3 else { throw WireError(.outOfRange(type: "Factor"), at: start) }
      }

      func encode(to encoder: inout CBOREncoder) { number.encode(to: &encoder) }
    }
  }

  private let increment = Action.counter(.incrementButtonTapped)

  /// The record of a client that has attached the view, if there is one, and a second one by a path.
  private func record(
    _ views: StateViews<State>, second: [PathStep]? = nil
  ) throws -> (hub: Hub, bytes: [UInt8]) {
    let hub = try Hub(recovering: [], views: views)
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    if views.schema != nil { hub.send(Attach(root: .views, path: [0]), scope: 7, on: id) }
    if let second { hub.send(Attach(root: .views, path: second), scope: 8, on: id) }
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

  /// This process cannot compute the view of which the client has a value. It says so, and the other parts go on.
  @Test func aParameterThatTheNextProcessRefusesConcernsItsViewOnly() throws {
    let earlier = StateViews<State> {
      StateView("doubled", of: \.counter.count) { $0 * 2 }
      StateView("scaled", of: \.counter.count, parameter: Earlier.Factor.self) { $0 * $1.number }
    }
    let later = StateViews<State> {
      StateView("doubled", of: \.counter.count) { $0 * 2 }
      StateView("scaled", of: \.counter.count, parameter: Later.Factor.self) { $0 * $1.number }
    }
    let (hub, record) = try record(earlier, second: [1, .id(3.encoded())])
    let handOver = try #require(try handOver(record, from: hub, to: later))
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), seed: 8, continuing: handOver, views: later)
    let id = next.connect(isTakenOver: true)
    _ = next.core.takeOver(handOver, 0, on: id, at: next.now)
    let frames = next.turn(id)
    #expect(frames.filter { $0.scope == 7 }.map(\.kind) == [.snapshot])
    let refusal = frames.filter { $0.scope == 8 }
    #expect(refusal.map(\.kind) == [.absent, .detached] && next.closed.isEmpty)
    #expect(try refusal.last?.number == PeerErrorCode.unknownScope.rawValue)
    #expect(next.core.heldBytes == 0)
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
