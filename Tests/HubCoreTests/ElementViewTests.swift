import ComposableArchitecture
import IdentifiedCollections
import TestFeatures
import Testing
import Wire

@testable import HubCore

/// Views of elements in a hub: when they are computed, and what their subscribers are sent.
@Suite struct ElementViewTests {
  private typealias Chore = Chores.Chore

  /// A hub with open chores of the users 1 and 2, and a connection of user 1.
  private func hub(choreCount: Int) throws -> (hub: ViewHub, client: ConnectionID) {
    let hub = ViewHub()
    let (client, _) = try hub.open(user: 1)
    for number in 0..<choreCount {
      hub.send(.add(owner: UInt32(1 + number % 2), title: "chore \(100 + number)"), on: client)
    }
    hub.turn(client)
    return (hub, client)
  }

  /// A value with the change that a frame has.
  private func changed<Value: Replicated>(_ value: Value, by frame: BoardHub.Frame?) throws -> Value {
    let payload = try #require(frame).payload
    var decoder = CBORDecoder(payload.span.bytes)
    try decoder.tuple(2)
    _ = try decoder.unsigned()
    return try value.applying(delta: &decoder)
  }

  @Test func aChangeOfOneElementIsSentAlone() throws {
    let (hub, client) = try hub(choreCount: 200)
    var chores: IdentifiedArrayOf<Chore> = try hub.attach("byTitle", scope: 1, on: client)[0].value()
    #expect(chores.map(\.id) == Array(1...200))
    let changes: [(Chores.Action, ids: [Int])] = [
      (.setDone(100, true), Array(1...99) + Array(101...200)),
      (.setTitle(3, "before all others"), [3, 1, 2] + Array(4...99) + Array(101...200)),
      (.setDone(100, false), [3, 1, 2] + Array(4...200)),
      (.give(7, to: 2), [3, 1, 2] + Array(4...200)),
    ]
    for (action, ids) in changes {
      hub.send(action, on: client)
      let frame = try #require(hub.turn(client).first { $0.scope == 1 })
      #expect(frame.kind == .delta && frame.payload.count <= 40)
      chores = try changed(chores, by: frame)
      #expect(chores.map(\.id) == ids)
    }
    #expect(chores[id: 7]?.owner == 2)
  }

  @Test func anElementOutsideOfTheViewCostsItsSubscribersNothing() throws {
    let (hub, client) = try hub(choreCount: 10)
    hub.send(.setDone(1, true), on: client)
    hub.turn(client)
    try hub.attach("byTitle", scope: 1, on: client)
    hub.send(.setTitle(1, "done"), on: client)
    #expect(hub.turn(client).map(\.kind) == [.applied])
  }

  @Test func aViewIsNotComputedWhenOtherStateChanges() throws {
    let (hub, client) = try hub(choreCount: 10)
    try hub.attach("byTitle", scope: 1, on: client)
    try hub.attach("firstOfMine[3]", scope: 2, on: client)
    func computations() -> [UInt64] { hub.core.views.groups.map(\.work.count) }
    let before = computations()
    #expect(before.reduce(0, +) == 2)
    hub.send(.setNote("x"), on: client)
    hub.turn(client)
    #expect(computations() == before)
    hub.send(.setDone(1, true), .setDone(2, true), on: client)
    hub.turn(client)
    #expect(computations().reduce(0, +) == 4)
  }

  @Test func usersAndParametersHaveValuesOfTheirOwn() throws {
    let (hub, client) = try hub(choreCount: 10)
    let (other, _) = try hub.open(user: 2)
    func ids(_ view: String, _ client: ConnectionID, scope: UInt16) throws -> [Int] {
      let chores: IdentifiedArrayOf<Chore> = try hub.attach(view, scope: scope, on: client)[0].value()
      return chores.map(\.id)
    }
    #expect(try ids("firstOfMine[3]", client, scope: 1) == [1, 3, 5])
    #expect(try ids("firstOfMine[2]", client, scope: 2) == [1, 3])
    #expect(try ids("firstOfMine[2]", other, scope: 1) == [2, 4])
    hub.send(.give(2, to: 1), on: client)
    #expect(Set(hub.turn(client).filter { $0.kind == .delta }.map(\.scope)) == [1, 2])
    #expect(hub.taken(other).map(\.scope) == [1])
    // Their values are unchanged, so nothing is sent.
    hub.send(.setTitle(10, "last"), on: client)
    #expect(hub.turn(client).map(\.kind) == [.applied])
    #expect(hub.taken(other).isEmpty)
  }

  @Test func groupsAreSentAsNumbersThatChange() throws {
    let (hub, client) = try hub(choreCount: 5)
    var groups: IdentifiedArrayOf<GroupCount<UInt32>> = try hub.attach("owners", scope: 1, on: client)[0].value()
    #expect(Array(groups) == [GroupCount(id: 1, count: 3), GroupCount(id: 2, count: 2)])
    #expect(try hub.attach("owners[2].count", scope: 2, on: client)[0].value(Int.self) == 2)
    hub.send(.give(1, to: 2), on: client)
    let frames = hub.turn(client)
    #expect(try frames.first { $0.scope == 2 }?.text == "[5, 3]")
    groups = try changed(groups, by: frames.first { $0.scope == 1 })
    // The first of a group, and then the last.
    hub.send(.give(3, to: 7), on: client)
    groups = try changed(groups, by: hub.turn(client).first { $0.scope == 1 })
    #expect(groups.map(\.id) == [1, 2, 7] && groups.map(\.count) == [1, 3, 1])
    hub.send(.remove(3), on: client)
    groups = try changed(groups, by: hub.turn(client).first { $0.scope == 1 })
    #expect(groups.map(\.id) == [1, 2] && groups.map(\.count) == [1, 3])
  }

  @Test func windowsOfAViewShareItsValue() throws {
    let (hub, client) = try hub(choreCount: 30)
    let first: Window<IdentifiedArrayOf<Chore>> =
      try hub.attach("byTitle[0..<3]", scope: 1, on: client)[0].value()
    let last: Window<IdentifiedArrayOf<Chore>> =
      try hub.attach("byTitle[27..<30]", scope: 2, on: client)[0].value()
    #expect(first.elements.map(\.id) == [1, 2, 3] && last.elements.map(\.id) == [28, 29, 30])
    #expect(hub.core.views.groups.map(\.count).reduce(0, +) == 1)
    hub.send(.setTitle(30, "at the start"), on: client)
    #expect(Set(hub.turn(client).filter { $0.kind == .delta }.map(\.scope)) == [1, 2])
  }
}
