import ComposableArchitecture
import IdentifiedCollections
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// Subscriptions to windows of collections.
@Suite struct WindowTests {
  private static let board = StatePath<Board.State, Board.State>()

  private func hub(_ count: Int, limits: HubLimits = HubLimits()) -> BoardHub {
    var state = Board.State()
    state.items = IdentifiedArray(uniqueElements: (0..<count).map { Board.Item(id: $0, title: "item \($0)") })
    return BoardHub(state, limits: limits)
  }

  private func attach(
    _ hub: BoardHub, _ window: Range<Int>, scope: UInt16 = 0, knownRevision: UInt64? = nil, on client: ConnectionID
  ) {
    hub.send(
      Attach(path: Self.board.items[window: window].steps, knownRevision: knownRevision), scope: scope, on: client)
  }

  private func window(_ frame: BoardHub.Frame) throws -> Window<IdentifiedArrayOf<Board.Item>> {
    let piece = try frame.piece
    return try Window(decoding: piece.span.bytes)
  }

  private func reason(_ frame: BoardHub.Frame) throws -> SnapshotReason {
    try SnapshotPiece(CBORDecoder(frame.payload.span.bytes)).reason
  }

  private func text(_ frame: BoardHub.Frame) throws -> String {
    try CBORValue(decoding: frame.payload.span.bytes).description
  }

  @Test func aWindowComesAloneWithTheNumberOfAllElements() throws {
    let hub = hub(1_000)
    let (client, welcome) = try hub.open()
    #expect(welcome.windowElements == 4096)
    attach(hub, 100..<102, scope: 7, on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.snapshot] && frames[0].scope == 7)
    let window = try window(frames[0])
    #expect(window.count == 1_000 && window.start == 100 && window.elements.map(\.id) == [100, 101])
  }

  @Test func onlyChangesOfTheWindowAreSent() throws {
    let hub = hub(1_000)
    let (client, _) = try hub.open()
    attach(hub, 100..<102, on: client)
    hub.turn(client)
    let (other, _) = try hub.open()
    for id in [0, 99, 102, 500] { hub.send(.setTitle(id, "changed"), on: other) }
    hub.send(.setCount(3), on: other)
    #expect(hub.turn(client).isEmpty)
    hub.send(.setTitle(101, "x"), on: other)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.delta] && frames[0].revision == 6)
    // The base is the revision of the snapshot, and the element is named by its id.
    #expect(try text(frames[0]) == #"[0, {2: {3: [101, {1: "x"}]}}]"#)
    hub.send(.addItems(1), on: other)
    #expect(try hub.turn(client).map(text) == ["[6, {0: 1001}]"])
  }

  @Test func aWindowIsEncodedOnceForAllItsSubscribers() throws {
    let hub = hub(200)
    let clients = try (0..<20).map { number in
      let (client, _) = try hub.open()
      attach(hub, number < 10 ? 0..<50 : 25..<75, scope: UInt16(number), on: client)
      return client
    }
    let (sender, _) = try hub.open()
    hub.turn()
    hub.send(.setTitle(30, "a longer title than before"), on: sender)
    hub.core.endTurn()
    var slices: [Range<Int>] = []
    for case .write(let id, let run) in hub.core.commands where clients.contains(id) {
      slices.append(hub.core.ranges[run.upperBound - 1])
    }
    #expect(slices.count == 20 && Set(slices).count == 2)
    // Once for the whole state, and once for each window.
    let text = [UInt8]("a longer title than before".utf8)
    let output = hub.core.output.bytes
    #expect(output.indices.count { output[$0...].starts(with: text) } == 3)
  }

  @Test func aWindowAtTheEndFollowsIt() throws {
    let hub = hub(3)
    let (client, _) = try hub.open()
    hub.send(Attach(path: Self.board.items[last: 2].steps), on: client)
    #expect(try window(hub.turn(client)[0]).elements.map(\.id) == [1, 2])
    let (other, _) = try hub.open()
    hub.send(.addItems(1), on: other)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.delta])
    // The first one leaves, and the new one comes.
    #expect(try text(frames[0]).hasPrefix("[0, {0: 4, 1: 2, 2: {0: [1], 2: [1, "))
  }

  @Test func aSlowClientGetsOneDeltaForAllChanges() throws {
    let hub = hub(1_000)
    let (client, _) = try hub.open()
    attach(hub, 0..<3, on: client)
    hub.turn(client)
    hub.block(client)
    let (other, _) = try hub.open()
    for turn in 0..<5 {
      hub.send(.setTitle(turn % 2, "turn \(turn)"), on: other)
      hub.send(.setTitle(900, "turn \(turn)"), on: other)
      hub.turn()
    }
    hub.unblock(client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.delta])
    #expect(try text(frames[0]) == #"[0, {2: {3: [0, {1: "turn 4"}, 1, {1: "turn 3"}]}}]"#)
  }

  @Test func aResumedSessionContinuesItsWindow() throws {
    let hub = hub(1_000)
    let (client, welcome) = try hub.open()
    attach(hub, 10..<12, on: client)
    hub.turn(client)
    hub.disconnect(client)
    let (other, _) = try hub.open()
    hub.send(.setTitle(500, "elsewhere"), on: other)
    hub.turn()
    let (again, _) = try hub.open(session: welcome.session)
    attach(hub, 10..<12, knownRevision: 0, on: again)
    #expect(hub.turn(again).isEmpty)
    hub.disconnect(again)
    hub.send(.setTitle(11, "here"), on: other)
    hub.turn()
    let (third, _) = try hub.open(session: welcome.session)
    attach(hub, 10..<12, knownRevision: 0, on: third)
    #expect(try hub.turn(third).map(text) == [#"[0, {2: {3: [11, {1: "here"}]}}]"#])
  }

  @Test func theHashOfAWindowIsThatOfItsValue() throws {
    let hub = hub(1_000)
    let (client, _) = try hub.open()
    attach(hub, 10..<12, on: client)
    hub.turn(client)
    hub.frame(FrameHeader(kind: .verify), on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.hash])
    let expected = Window(of: hub.state.items, from: 10, count: 2).stateHash()
    let payload = frames[0].payload
    let hash = try StateHash(decoding: payload.span.bytes)
    #expect(hash == expected)
  }

  @Test func aWindowOfACollectionThatComesAndGoesIsAbsentMeanwhile() throws {
    let hub = hub(0)
    let (client, _) = try hub.open()
    hub.send(Attach(path: Self.board.items[id: 1].subitems[window: 0..<2].steps), on: client)
    #expect(hub.turn(client).map(\.kind) == [.absent])
    let (other, _) = try hub.open()
    hub.send(.addItems(2), on: other)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try reason(frames[0]) == .returned)
  }

  // MARK: Limits and rights

  @Test func theWindowsOfAConnectionHaveALimitedNumberOfElements() throws {
    var limits = HubLimits()
    limits.windowElements = 100
    let hub = hub(1_000, limits: limits)
    let (client, _) = try hub.open()
    attach(hub, 0..<60, scope: 1, on: client)
    attach(hub, 60..<100, scope: 2, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot, .snapshot])
    // Detaching makes room for another one.
    hub.frame(FrameHeader(kind: .detach, scope: 2), on: client)
    attach(hub, 500..<540, scope: 3, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot, .detached])
    attach(hub, 0..<1, scope: 4, on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.absent, .detached])
    #expect(try frames[0].refusal.contains("100 elements in all, and this one would add 1"))
    #expect(try frames[1].refusalCode == .tooManyScopes)
    // The others go on.
    hub.send(.addItems(1), on: client)
    #expect(hub.turn(client).map(\.kind) == [.delta, .delta, .applied])
  }

  @Test func theWindowsOfAUserHaveALimitedNumberOfElements() throws {
    var limits = HubLimits()
    limits.windowElementsPerUser = 100
    let hub = hub(1_000, limits: limits)
    let clients = try (0..<4).map { _ in try hub.open().0 }
    let (other, _) = try hub.open(user: 2000)
    attach(hub, 0..<60, scope: 1, on: clients[0])
    // A small window counts as 16 elements.
    attach(hub, 0..<1, scope: 1, on: clients[1])
    attach(hub, 1..<2, scope: 2, on: clients[1])
    #expect(hub.turn(clients[1]).map(\.kind) == [.snapshot, .snapshot])
    attach(hub, 2..<3, scope: 1, on: clients[2])
    #expect(try hub.turn(clients[2]).first?.refusal.contains("window-elements-per-user") == true)
    attach(hub, 2..<90, scope: 1, on: other)
    #expect(hub.turn(other).map(\.kind) == [.snapshot])
    // Both a detached window and a closed connection leave their places.
    hub.frame(FrameHeader(kind: .detach, scope: 2), on: clients[1])
    hub.disconnect(clients[0])
    attach(hub, 0..<84, scope: 1, on: clients[3])
    #expect(hub.turn(clients[3]).map(\.kind) == [.snapshot])
    attach(hub, 0..<1, scope: 2, on: clients[3])
    #expect(try hub.turn(clients[3]).last?.refusalCode == .tooManyScopes)
  }

  @Test func aHubMayServeNoWindows() throws {
    var limits = HubLimits()
    limits.windowElements = 0
    let hub = hub(10, limits: limits)
    let (client, welcome) = try hub.open()
    #expect(welcome.windowElements == 0)
    hub.send(Attach(path: Self.board.items.steps), scope: 1, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
    attach(hub, 0..<1, on: client)
    #expect(try hub.turn(client).last?.refusalCode == .tooManyScopes)
  }

  @Test(
    arguments: [
      [.window(start: 0, count: 1)], [0, .window(start: 0, count: 1)], [2, .window(start: 0, count: 1), 0],
      [2, .window(start: 0, count: 1), .window(start: 0, count: 1)],
    ] as [[PathStep]])
  func aPlaceWithoutWindowsIsRefused(path: [PathStep]) throws {
    let hub = hub(10)
    let (client, _) = try hub.open()
    hub.send(Attach(path: path), on: client)
    #expect(try hub.turn(client).last?.errorCode == .unknownScope)
  }

  @Test func whoMayReadACollectionMayReadItsWindows() throws {
    let hub = hub(10)
    let (client, _) = try hub.open()
    hub.core.setPolicy(AccessPolicy(everyone: AccessGrant(read: [Self.board.items.steps])), at: .zero)
    attach(hub, 0..<1, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
    // The right is taken back.
    hub.core.setPolicy(AccessPolicy(everyone: AccessGrant(read: [Self.board.count.steps])), at: .zero)
    #expect(try hub.turn(client).last?.errorCode == .notPermitted)
    // It is of no use to ask for the window of another collection, nor for one in an element.
    for path in [Self.board.items[window: 0..<1].steps, Self.board.items[id: 1].subitems[window: 0..<1].steps] {
      let (client, _) = try hub.open()
      hub.send(Attach(path: path), on: client)
      #expect(try hub.turn(client).last?.errorCode == .notPermitted)
    }
  }

  /// Who may read one element learns nothing of the others, nor of their number.
  @Test func theRightToReadAnElementIsNotThatToItsWindow() throws {
    let hub = hub(10)
    hub.core.setPolicy(AccessPolicy(everyone: AccessGrant(read: [Self.board.items[id: 3].steps])), at: .zero)
    let (client, _) = try hub.open()
    attach(hub, 3..<4, on: client)
    #expect(try hub.turn(client).last?.errorCode == .notPermitted)
  }
}
