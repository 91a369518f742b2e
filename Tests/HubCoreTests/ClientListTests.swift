import Features
import HubCore
import IdentifiedCollections
import Testing
import Wire

/// The list of clients names what each has attached, for those who may see it.
@Suite struct ClientListTests {
  private let hub = Hub()
  private let todos: [PathStep] = [.key(1), .key(0)]

  private func endTurn(_ id: ConnectionID) -> [Hub.Frame] {
    hub.core.endTurn(at: hub.now)
    return hub.turn(id)
  }

  /// Attaches the hub's own state and returns its snapshot.
  private func list(_ id: ConnectionID, scope: UInt16 = 100) throws -> HubState {
    hub.send(Attach(root: .hub), scope: scope, on: id)
    let frame = try #require(endTurn(id).last { $0.kind == .snapshot })
    guard case .array(let items) = try frame.value, case .bytes(let bytes)? = items.last else { return HubState() }
    return try HubState(decoding: bytes.span.bytes)
  }

  private func apply(_ frames: [Hub.Frame], to state: inout HubState) throws {
    for frame in frames where frame.kind == .delta {
      var decoder = CBORDecoder(frame.payload.span.bytes)
      try decoder.tuple(2)
      _ = try decoder.unsigned()
      try state.apply(delta: &decoder)
    }
  }

  @Test func eachClientHasItsParts() throws {
    let (id, _) = try hub.open()
    for (number, path) in [todos, todos + [.id([3])], []].enumerated() {
      hub.send(Attach(path: path), scope: UInt16(number), on: id)
    }
    let (watcher, _) = try hub.open()
    let state = try list(watcher)
    #expect(state.attendees.map(\.scopes) == [3, 1])
    #expect(
      state.attendees.map(\.parts) == [
        [
          AttachedPart(root: 0, path: "todos.todos"), AttachedPart(root: 0, path: "todos.todos[3]"),
          AttachedPart(root: 0, path: ""),
        ], [AttachedPart(root: 1, path: "")],
      ])
  }

  /// Changes are published at most once a second, and an idle hub sleeps.
  @Test func changesFollowOnceASecond() throws {
    let (id, _) = try hub.open()
    let (watcher, _) = try hub.open()
    var state = try list(watcher)
    #expect(state.attendees[0].parts.isEmpty)
    hub.now += .seconds(2)
    hub.send(Attach(path: todos), scope: 1, on: id)
    try apply(endTurn(watcher), to: &state)
    #expect(state.attendees[0].parts == [AttachedPart(root: 0, path: "todos.todos")])
    let isUpToDate = hub.core.clientsDue == nil
    #expect(isUpToDate)
    hub.send(Attach(path: [.key(0)]), scope: 2, on: id)
    hub.core.endTurn(at: hub.now)
    let due = hub.core.clientsDue
    #expect(due == hub.now + .seconds(1))
    hub.now += .seconds(1)
    let frames = endTurn(watcher)
    try apply(frames, to: &state)
    #expect(frames.map(\.kind) == [.delta] && state.attendees[0].scopes == 2)
    hub.now += .seconds(1)
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .detach, scope: 1)) { _ in }
    hub.send(writer.bytes, on: id)
    try apply(endTurn(watcher), to: &state)
    #expect(state.attendees[0].parts == [AttachedPart(root: 0, path: "counter")])
  }

  /// Without a subscriber to the list, scopes of clients are only marked.
  @Test func withoutSubscribersNothingIsDue() throws {
    let (id, _) = try hub.open()
    hub.send(Attach(path: todos), scope: 1, on: id)
    hub.core.endTurn(at: hub.now)
    let isUnmarked = hub.core.clientsDue == nil
    #expect(isUnmarked)
    let (watcher, _) = try hub.open()
    _ = try list(watcher)
    hub.core.ended(watcher)
    hub.send(Attach(path: [.key(0)]), scope: 2, on: id)
    hub.core.endTurn(at: hub.now)
    let isIdle = hub.core.clientsDue == nil
    #expect(isIdle)
    // Who attaches the list later has all of it immediately.
    let (other, _) = try hub.open()
    #expect(try list(other).attendees[0].scopes == 2)
  }

  @Test func partsAreBounded() throws {
    let (id, _) = try hub.open()
    let long = String(repeating: "x", count: 1000)
    for number in 0..<40 {
      hub.send(Attach(path: todos + [.id((1_000_000 + number).encoded())]), scope: UInt16(number), on: id)
    }
    let attendee = try list(id).attendees[0]
    #expect(attendee.parts.count == 16 && attendee.scopes == 41)
    #expect(HubCore.shortened(long).count == 256)
  }

  @Test func bytesThatAreHeldAreCounted() throws {
    let (id, _) = try hub.open()
    let (watcher, _) = try hub.open()
    var state = try list(watcher)
    #expect(state.attendees[0].heldBytes == 0)
    hub.now += .seconds(2)
    hub.send([UInt8](repeating: 0, count: 10), on: id)
    try apply(endTurn(watcher), to: &state)
    #expect(state.attendees[0].heldBytes == 10)
  }

  @Test func theTimeOfTheConnectionIsKept() throws {
    let id = hub.core.connected(Peer(process: 1, user: 1, group: 1), at: hub.now, wallTime: 1_700_000_000_123)
    hub.send(Hello(name: "test"), on: id)
    let (watcher, _) = try hub.open()
    #expect(try list(watcher).attendees.map(\.since) == [1_700_000_000_123, 0])
  }

  /// Parts of other clients are for those who may read everything.
  @Test func scopedClientsDoNotSeeWhatOthersAttach() throws {
    let hub = Hub(policy: AccessPolicy(everyone: AccessGrant(read: [[0]], act: [[]])))
    let (id, _) = try hub.open()
    hub.send(Attach(root: .hub, path: [0, .id([1]), 5]), scope: 1, on: id)
    #expect(try hub.turn(id).first?.decoded(as: PeerError.self).code == .notPermitted)
  }

  /// A client of an older release skips the new fields, in values and in changes.
  @Test func olderReadersSkipTheNewFields() throws {
    let (id, _) = try hub.open()
    let (watcher, _) = try hub.open()
    hub.send(Attach(root: .hub), scope: 1, on: watcher)
    let frame = try #require(endTurn(watcher).last { $0.kind == .snapshot })
    guard case .array(let items) = try frame.value, case .bytes(let bytes)? = items.last else { return }
    var state = try OldState(decoding: bytes.span.bytes)
    hub.now += .seconds(2)
    hub.send(Attach(path: todos), scope: 1, on: id)
    for frame in endTurn(watcher) where frame.kind == .delta {
      var decoder = CBORDecoder(frame.payload.span.bytes)
      try decoder.tuple(2)
      _ = try decoder.unsigned()
      try state.apply(delta: &decoder)
    }
    #expect(state.attendees.map(\.name) == ["test", "test"])
    #expect(try HubState(decoding: state.encoded().span.bytes).attendees[0].parts.isEmpty)
  }
}

/// The hub's own state as the first release had it.
@Replicated
private struct OldState: Equatable, Sendable {
  var attendees: IdentifiedArrayOf<OldAttendee> = []
}

@Replicated
private struct OldAttendee: Equatable, Identifiable, Sendable {
  var id: UInt64
  var name: String
  var process: Int32
  var user: UInt32
}
