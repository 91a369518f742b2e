import TestFeatures
import Testing
import Wire

@testable import HubCore

/// Changes with many subscribers, sent for several turns together.
@Suite struct CoalescingTests {
  private func crowd(_ count: Int) throws -> (BoardHub, watchers: [ConnectionID], actor: ConnectionID) {
    let hub = BoardHub()
    let clients = try (0...count).map { _ in
      let (client, _) = try hub.open()
      hub.send(Attach(), on: client)
      return client
    }
    hub.turn()
    for client in clients { _ = hub.turn(client) }
    return (hub, Array(clients.dropLast()), clients[count])
  }

  @Test func whoActsIsToldAtOnceAndTheOthersOfSeveralTurns() throws {
    let (hub, watchers, actor) = try crowd(100)
    // After a quiet period every subscriber gets the change immediately.
    hub.send(.setCount(1), on: actor)
    #expect(hub.turn(actor, at: .seconds(10)).map(\.kind) == [.delta, .applied])
    #expect(hub.turn(watchers[7], at: .seconds(10)).map(\.revision) == [1])

    var told = 0
    for count in 2...20 {
      hub.send(.setCount(count), on: actor)
      #expect(hub.turn(actor, at: .seconds(10) + .microseconds(count)).map(\.kind) == [.delta, .applied])
      told += hub.turn(watchers[7], at: .seconds(10) + .microseconds(count)).count
    }
    #expect(told == 0)
    // 101 subscribers: 2 µs for each, from the turn after the change was sent; the hub requests to be called by then.
    let next = Duration.seconds(10) + .microseconds(2 * 101)
    #expect(try #require(hub.publicationDue) <= next)
    let frames = hub.turn(watchers[7], at: next)
    #expect(frames.map(\.revision) == [20])
    #expect(frames.map(\.kind) == [.delta])
    for watcher in watchers.dropFirst(8) {
      #expect(hub.turn(watcher, at: .seconds(11)).map(\.revision) == [1, 20])
    }
  }

  /// However long ago it was, no turn may have followed the last publication.
  @Test func afterAQuietPeriodNobodyWaits() throws {
    let (hub, watchers, actor) = try crowd(100)
    hub.send(.setCount(1), on: actor)
    hub.turn(at: .seconds(10))
    hub.core.published(from: .seconds(10), to: .seconds(10) + .microseconds(300))
    hub.send(.setCount(2), on: actor)
    #expect(hub.turn(watchers[7], at: .seconds(10) + .microseconds(501)).map(\.revision) == [1])
    hub.send(.setCount(3), on: actor)
    #expect(hub.turn(watchers[7], at: .seconds(10) + .microseconds(502)).map(\.revision) == [3])
    hub.core.published(from: .seconds(10), to: .seconds(10) + .milliseconds(1))
    hub.send(.setCount(4), on: actor)
    #expect(hub.turn(watchers[7], at: .seconds(20)).map(\.revision) == [4])
  }

  @Test func aFewAreAlwaysToldInTheSameTurn() throws {
    let (hub, watchers, actor) = try crowd(8)
    for count in 1...5 {
      hub.send(.setCount(count), on: actor)
      #expect(hub.turn(watchers[0], at: .seconds(1)).map(\.revision) == [UInt64(count)])
    }
  }

  @Test func whenNobodyWhoFollowsActsNothingIsEncodedInBetween() throws {
    let (hub, watchers, _) = try crowd(50)
    let (sender, _) = try hub.open()
    hub.send(.setCount(1), on: sender)
    hub.turn(at: .seconds(1))
    for count in 2...9 {
      hub.send(.setCount(count), on: sender)
      #expect(hub.turn(sender, at: .seconds(1)).last?.kind == .applied)
    }
    #expect(hub.turn(watchers[3], at: .seconds(2)).map(\.revision) == [1, 9])
  }

  @Test func whoLeavesWhileItWaitsIsForgotten() throws {
    let (hub, watchers, actor) = try crowd(40)
    hub.send(.setCount(1), on: actor)
    hub.turn(at: .seconds(1))
    hub.send(.setCount(2), on: actor)
    hub.turn(at: .seconds(1))
    for watcher in watchers.dropFirst() { hub.disconnect(watcher) }
    #expect(hub.turn(watchers[0], at: .seconds(2)).map(\.revision) == [1, 2])
  }
}
