import Features
import HubCore
import Testing
import Wire

@Suite struct SubscriptionTests {
  private func follow(_ hub: Hub) throws -> (ConnectionID, State) {
    let (client, _) = try hub.open()
    hub.send(Attach(), on: client)
    return (client, try snapshot(hub.turn(client)))
  }

  private func snapshot(_ frames: [Hub.Frame]) throws -> State {
    let frame = try #require(frames.first { $0.kind == .snapshot })
    let payload = frame.payload
    let piece = [UInt8](try SnapshotPiece(CBORDecoder(payload.span.bytes)).bytes)
    return try State(decoding: piece.span.bytes)
  }

  private func apply(_ frame: Hub.Frame, to state: inout State) throws -> UInt64 {
    let payload = frame.payload
    var decoder = CBORDecoder(payload.span.bytes)
    try decoder.tuple(2)
    let base = try decoder.unsigned()
    try state.apply(delta: &decoder)
    try decoder.finish()
    return base
  }

  @Test func aFollowerGetsTheStateAndThenOneDeltaATurn() throws {
    let hub = Hub()
    var (client, state) = try follow(hub)
    let (sender, _) = try hub.open()
    hub.send(Array(repeating: .counter(.incrementButtonTapped), count: 5), from: 1, on: sender)

    let frames = hub.turn(client)

    #expect(frames.map(\.kind) == [.delta])
    #expect(frames[0].revision == 5)
    #expect(try apply(frames[0], to: &state) == 0)
    #expect(state == hub.engine.state)
  }

  @Test func allFollowersShareOneEncoding() throws {
    let hub = Hub()
    let followers = try (0..<10).map { _ in try follow(hub).0 }
    let (sender, _) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: sender)

    hub.core.endTurn()

    let ranges = hub.core.commands.compactMap { command -> Range<Int>? in
      guard case .write(let id, let run) = command, followers.contains(id) else { return nil }
      // A separate head, and the delta.
      #expect(run.count == 2)
      return hub.core.ranges[run.upperBound - 1]
    }
    #expect(ranges.count == 10)
    #expect(Set(ranges).count == 1)
  }

  @Test func theSenderSeesTheStateBeforeTheAcknowledgement() throws {
    let hub = Hub()
    let (client, _) = try follow(hub)
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)

    #expect(hub.turn(client).map(\.kind) == [.delta, .applied])
  }

  @Test func aSlowReaderGetsOneDeltaForAllItMissed() throws {
    let hub = Hub()
    var (slow, state) = try follow(hub)
    let (sender, _) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: sender)
    hub.blocked.insert(slow)
    _ = try apply(try #require(hub.turn(slow).first), to: &state)

    for number in 2...100 {
      hub.send([.counter(.incrementButtonTapped)], from: UInt64(number), on: sender)
      #expect(hub.turn(slow).isEmpty)
    }
    hub.unblock(slow)
    let frames = hub.turn(slow)

    #expect(frames.map(\.kind) == [.delta])
    #expect(try apply(frames[0], to: &state) == 1)
    #expect(state == hub.engine.state)
    #expect(frames[0].revision == 100)
  }

  @Test func aReaderWhoseVersionIsNoLongerKeptGetsASnapshotWithTheReason() throws {
    var limits = HubLimits()
    limits.versions = 1
    let hub = Hub(limits: limits)
    let (first, _) = try follow(hub)
    let (second, _) = try follow(hub)
    let (sender, _) = try hub.open()
    var number: UInt64 = 0
    func step() {
      number += 1
      hub.send([.counter(.incrementButtonTapped)], from: number, on: sender)
      hub.turn(first)
      hub.turn(second)
    }
    hub.blocked.insert(first)
    step()
    step()
    hub.blocked.insert(second)
    step()
    step()

    hub.unblock(first)
    let frames = hub.turn(first)

    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try frames[0].value.description.hasPrefix("[\(SnapshotReason.versionNotKept.rawValue), "))
    #expect(try snapshot(frames) == hub.engine.state)
  }

  @Test func aResumedFollowerContinuesByDeltaWhenItsVersionIsCurrent() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    hub.send(Attach(), on: client)
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)
    hub.turn(client)
    let (_, _) = try follow(hub)
    hub.disconnect(client)

    let (again, resumed) = try hub.open(session: welcome.session, acknowledged: 1)
    #expect(resumed.isResumed)
    hub.send(Attach(knownRevision: 1), on: again)
    #expect(hub.turn(again).map(\.kind) == [])
    hub.send([.counter(.incrementButtonTapped)], from: 2, on: again)
    #expect(hub.turn(again).map(\.kind) == [.delta, .applied])
  }

  @Test func aRevisionKnownFromAnotherHubIsNotBelieved() throws {
    let hub = Hub()
    let (_, _) = try follow(hub)
    let (client, _) = try hub.open(session: SessionID(high: 1, low: 2))
    hub.send(Attach(knownRevision: 0), on: client)

    #expect(hub.turn(client).map(\.kind) == [.snapshot])
  }

  @Test func noVersionIsKeptForNobody() throws {
    let hub = Hub()
    let (client, _) = try follow(hub)
    let (sender, _) = try hub.open()
    hub.blocked.insert(client)
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: sender)
    hub.turn()
    hub.unblock(client)
    hub.send(leaveFrame, on: client)
    hub.send([.counter(.incrementButtonTapped)], from: 2, on: sender)
    hub.turn()

    #expect(hub.core.keptVersionCount == 0)
  }
}
