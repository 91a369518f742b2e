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

  // MARK: First values in pieces

  /// The same with little work in a turn.
  private func slowHub(choreCount: Int) throws -> (hub: ViewHub, client: ConnectionID, other: ConnectionID) {
    var limits = HubLimits()
    limits.viewSteps = 200
    let hub = ViewHub(limits: limits)
    let (client, _) = try hub.open(user: 1)
    let (other, _) = try hub.open(user: 2)
    for number in 0..<choreCount {
      hub.send(.add(owner: UInt32(1 + number % 2), title: "chore \(100_000 + number)"), on: client)
      if number % 100 == 0 { hub.turn(client) }
    }
    hub.turn(client)
    return (hub, client, other)
  }

  @Test func othersAreServedWhileAFirstValueIsComputed() throws {
    let (hub, client, other) = try slowHub(choreCount: 1_000)
    #expect(try hub.attach("byTitle", scope: 1, on: client).isEmpty)
    #expect(hub.needsAnotherTurn)
    var turns = 0
    var frames: [BoardHub.Frame] = []
    while frames.isEmpty, turns < 1_000 {
      turns += 1
      hub.send(.setTitle(turns * 7 % 1_000 + 1, "renamed \(turns)"), .setDone(turns * 3 % 1_000 + 1, true), on: other)
      #expect(hub.turn(other).map(\.kind) == [.applied])
      frames = hub.taken(client)
    }
    #expect(turns > 50)
    let expected = hub.engine.state.chores.filter { !$0.isDone }.sorted { $0.title < $1.title }
    #expect(try #require(frames.first).revision == hub.core.revision)
    while try #require(frames.last).flags & SnapshotPiece.finalFlag == 0 { frames += hub.turn(client) }
    let bytes = try frames.flatMap { try $0.piece }
    let chores = try IdentifiedArrayOf<Chore>(decoding: bytes.span.bytes)
    #expect(chores.map(\.id) == expected.map(\.id))
    // From now on, changes are sent at once.
    let done = try #require(chores.first).id
    hub.send(.setDone(done, true), on: other)
    hub.turn(other)
    #expect(hub.taken(client).map(\.kind) == [.delta] && !hub.needsAnotherTurn)
  }

  /// Each turn changes more than the steps of a turn are enough for.
  @Test func aFirstValueIsCompleteAlthoughMuchChanges() throws {
    let (hub, client, other) = try slowHub(choreCount: 600)
    try hub.attach("byTitle", scope: 1, on: client)
    var turns = 0
    var frames: [BoardHub.Frame] = []
    while frames.isEmpty, turns < 1_000 {
      turns += 1
      for index in 0..<40 {
        hub.send(.setTitle((turns * 40 + index) % 600 + 1, "renamed \(turns) \(index)"), on: other)
      }
      hub.turn(other)
      frames = hub.taken(client)
    }
    #expect(turns > 10 && !frames.isEmpty)
    while hub.needsAnotherTurn { hub.turn() }
    #expect(hub.core.views.unprepared.isEmpty)
  }

  @Test func aClientThatActsIsAnsweredAfterTheFirstValue() throws {
    let (hub, client, _) = try slowHub(choreCount: 300)
    try hub.attach("byTitle", scope: 1, on: client)
    hub.send(.setDone(1, true), on: client)
    var frames: [BoardHub.Frame] = []
    for _ in 0..<500 where frames.isEmpty { frames = hub.turn(client) }
    #expect(frames.map(\.kind) == [.snapshot, .applied])
    let chores: IdentifiedArrayOf<Chore> = try frames[0].value()
    #expect(chores.map(\.id) == Array(2...300))
  }

  @Test func allClientsOfAViewWaitForOneValue() throws {
    let (hub, client, other) = try slowHub(choreCount: 140)
    try hub.attach("byTitle", scope: 1, on: client)
    for _ in 0..<3 { #expect(hub.turn(client).isEmpty) }
    try hub.attach("byTitle[0..<2]", scope: 1, on: other)
    var turns = 0
    while turns < 500, hub.needsAnotherTurn {
      hub.turn()
      turns += 1
    }
    let all: IdentifiedArrayOf<Chore> = try #require(hub.taken(client).first).value()
    let first: Window<IdentifiedArrayOf<Chore>> = try #require(hub.taken(other).first).value()
    #expect(all.count == 140 && first.elements.map(\.id) == [1, 2])
    #expect(hub.core.views.groups.map(\.work.count).reduce(0, +) == 1)
  }

  /// A value is not kept up to date without clients, and all of it may have changed when one comes back.
  @Test func othersAreServedWhileAValueCatchesUp() throws {
    let (hub, other, _) = try slowHub(choreCount: 600)
    let (client, welcome) = try hub.open(user: 1)
    try hub.attach("byTitle[0..<2]", scope: 1, on: client)
    while hub.needsAnotherTurn { hub.turn() }
    let known = try #require(hub.taken(client).last).revision
    hub.core.ended(client)
    for number in 1...600 { hub.send(.setTitle(number, "renamed \(1_600 - number)"), on: other) }
    hub.turn(other)
    let (again, _) = try hub.open(user: 1, session: welcome.session, history: welcome.history)
    #expect(try hub.attach("byTitle[0..<2]", scope: 1, known: known, on: again).isEmpty)
    var turns = 0
    var frames: [BoardHub.Frame] = []
    while frames.isEmpty, turns < 1_000 {
      turns += 1
      hub.send(.setNote("\(turns)"), on: other)
      #expect(hub.turn(other).map(\.kind) == [.applied])
      frames = hub.taken(again)
    }
    #expect(turns > 10 && frames.count == 1)
    let now: Window<IdentifiedArrayOf<Chore>> = try hub.attach("byTitle[0..<2]", scope: 2, on: again)[0].value()
    #expect(now.elements.map(\.id) == [600, 599])
    hub.send(.setTitle(300, "before all others"), on: other)
    hub.turn(other)
    #expect(hub.taken(again).map(\.kind) == [.delta, .delta] && !hub.needsAnotherTurn)
  }

  /// The client has what is published, so it does not wait, and nothing else would go on with the pieces.
  @Test func aClientThatComesBackWithinATurnIsSentItsChanges() throws {
    let (hub, other, _) = try slowHub(choreCount: 600)
    let (client, welcome) = try hub.open(user: 1)
    try hub.attach("byTitle[0..<2]", scope: 1, on: client)
    while hub.needsAnotherTurn { hub.turn() }
    let known = try #require(hub.taken(client).last).revision
    for number in 1...600 { hub.send(.setTitle(number, "renamed \(1_600 - number)"), on: other) }
    hub.core.ended(client)
    let again = hub.connect(user: 1)
    hub.send(Hello(session: welcome.session, name: "test", history: welcome.history), on: again)
    let attach = Attach(root: .views, path: try ViewHub.path("byTitle[0..<2]"), knownRevision: known)
    hub.send(attach, scope: 1, on: again)
    repeat { hub.turn() } while hub.needsAnotherTurn
    #expect(hub.taken(again).contains { $0.scope == 1 && $0.revision == hub.core.revision })
  }

  @Test func aValueThatNobodyWaitsForIsGivenUp() throws {
    let (hub, client, _) = try slowHub(choreCount: 300)
    for _ in 0..<3 {
      try hub.attach("byTitle", scope: 1, on: client)
      #expect(hub.turn(client).isEmpty && hub.needsAnotherTurn)
      hub.frame(FrameHeader(kind: .detach, scope: 1), on: client)
      #expect(hub.turn(client).map(\.kind) == [.detached])
      #expect(!hub.needsAnotherTurn && hub.core.views.unprepared.isEmpty)
      #expect(hub.core.views.groups.allSatisfy { $0.count == 0 })
    }
  }

  /// A user who attaches many values does not get more of a turn, and the others get their values too.
  @Test func allFirstValuesShareATurn() throws {
    let (hub, client, other) = try slowHub(choreCount: 300)
    for count in 1...10 {
      hub.send(Attach(root: .views, path: try ViewHub.path("firstOfMine[\(count)]")), scope: UInt16(count), on: client)
    }
    hub.send(Attach(root: .views, path: try ViewHub.path("firstOfMine[2]")), scope: 1, on: other)
    hub.turn()
    #expect(hub.core.views.unprepared.count == 11)
    var turns = 0
    while hub.needsAnotherTurn, turns < 1_000 {
      hub.turn()
      turns += 1
    }
    #expect(hub.core.views.unprepared.isEmpty && hub.taken(client).count == 10 && hub.taken(other).count == 1)
    #expect(turns > 10)
  }
}
