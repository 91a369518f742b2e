import ComposableArchitecture
import IdentifiedCollections
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

@Replicated private struct Named: Identifiable {
  let id: String
}

/// Subscriptions to parts of a state.
@Suite struct ScopeTests {
  private let board = StatePath<Board.State, Board.State>()

  private func attach(_ hub: BoardHub, _ path: [PathStep], scope: UInt16 = 0) throws -> ConnectionID {
    let (client, _) = try hub.open()
    hub.send(Attach(path: path), scope: scope, on: client)
    return client
  }

  private func delta(_ frame: BoardHub.Frame) throws -> CBORValue {
    try CBORValue(decoding: frame.payload.span.bytes)
  }

  private func reason(_ frame: BoardHub.Frame) throws -> SnapshotReason {
    try SnapshotPiece(CBORDecoder(frame.payload.span.bytes)).reason
  }

  @Test func aPartComesAloneAndItsChangesAlone() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.count.steps, scope: 7)
    let snapshot = hub.turn(client)
    #expect(snapshot.map(\.kind) == [.snapshot])
    #expect(snapshot[0].scope == 7)
    #expect(try snapshot[0].piece == [0])

    let (other, _) = try hub.open()
    hub.send(.addItems(3), on: other)
    #expect(hub.turn(client).isEmpty)
    hub.send(.setCount(9), on: other)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.delta])
    #expect(frames[0].revision == 2)
    #expect(try delta(frames[0]).description == "[0, 9]")
  }

  /// Otherwise a client that does not read could attach and detach forever, with unlimited pending replies.
  @Test func aNumberIsTakenUntilTheClientIsToldThatItIsFree() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.count.steps)
    hub.turn(client)
    hub.frame(FrameHeader(kind: .detach), on: client)
    hub.send(Attach(path: board.count.steps), scope: 0, on: client)
    let frames = hub.turn(client)
    #expect(frames.last?.kind == .error)
    #expect(try frames.last?.errorCode == .scopeInUse)
  }

  @Test func aNumberIsFreeOnceTheClientWasTold() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.count.steps)
    hub.turn(client)
    hub.frame(FrameHeader(kind: .detach), on: client)
    #expect(hub.turn(client).map(\.kind) == [.detached])
    hub.send(Attach(path: board.count.steps), scope: 0, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
  }

  @Test func oneEncodingServesEveryoneWhateverTheyFollow() throws {
    let hub = BoardHub()
    let paths = [board.steps, board.items.steps, board.items[id: 1].steps, board.items[id: 1].title.steps]
    let clients = try (0..<20).map { number in try attach(hub, paths[number % 4], scope: UInt16(number)) }
    let (sender, _) = try hub.open()
    hub.send(.addItems(3), on: sender)
    hub.turn()
    hub.send(.setTitle(1, "a longer title than before"), on: sender)
    hub.core.endTurn()

    var slices: [Range<Int>] = []
    for case .write(let id, let run) in hub.core.commands where clients.contains(id) {
      #expect(run.count == 2)
      slices.append(hub.core.ranges[run.upperBound - 1])
    }
    #expect(slices.count == 20)
    // Each path has one slice within that of the whole state.
    let whole = try #require(slices.max { $0.count < $1.count })
    #expect(Set(slices).count == 4)
    #expect(slices.allSatisfy { whole.contains($0.lowerBound) && $0.upperBound <= whole.upperBound })
    // The bytes of the text are in the output once.
    let text = [UInt8]("a longer title than before".utf8)
    let output = hub.core.output.bytes
    #expect(output.indices.count { output[$0...].starts(with: text) } == 1)
  }

  @Test func aPartThatGoesAndComesBackIsTold() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.chosen.text.steps)
    #expect(hub.turn(client).map(\.kind) == [.absent])
    let (other, _) = try hub.open()

    func change(_ body: (inout Board.State) -> Void) -> [BoardHub.Frame] {
      // An action with this effect, found by trying.
      var wanted = hub.state
      body(&wanted)
      for seed in UInt64(0)... {
        var state = hub.state
        var random = SplitMix(seed: seed)
        state.change(using: &random)
        guard (state.chosen == nil) == (wanted.chosen == nil), state.chosen != hub.state.chosen else { continue }
        hub.send(.change(seed), on: other)
        return hub.turn(client)
      }
      return []
    }
    let appeared = change { $0.chosen = Board.Note() }
    #expect(appeared.map(\.kind) == [.snapshot])
    #expect(try reason(appeared[0]) == .returned)
    let gone = change { $0.chosen = nil }
    #expect(gone.map(\.kind) == [.absent])
    #expect(change { $0.chosen = Board.Note() }.map(\.kind) == [.snapshot])
  }

  @Test func anElementThatIsReplacedByAnotherOfItsIDIsChanged() throws {
    let hub = BoardHub()
    let (sender, _) = try hub.open()
    hub.send(.addItems(3), on: sender)
    hub.turn()
    let client = try attach(hub, board.items[id: 1].steps)
    hub.turn(client)
    hub.send(.setTitle(2, "other"), on: sender)
    #expect(hub.turn(client).isEmpty)
    hub.send(.setTitle(1, "this"), on: sender)
    let frames = hub.turn(client)
    #expect(try frames.map { try delta($0).description } == ["[1, {1: \"this\"}]"])
  }

  @Test func severalScopesOfOneConnectionComeInOneWrite() throws {
    let hub = BoardHub()
    let (client, _) = try hub.open()
    for (number, path) in [board.count.steps, board.title.steps, board.items.steps].enumerated() {
      hub.send(Attach(path: path), scope: UInt16(number), on: client)
    }
    #expect(hub.turn(client).map(\.scope) == [0, 1, 2])
    hub.send(.setCount(1), on: client)
    hub.send(.addItems(1), on: client)
    hub.core.endTurn()
    #expect(hub.core.commands.count == 1)
    #expect(hub.turn(client).map(\.kind) == [.delta, .delta, .applied])
  }

  @Test func whatIsDetachedComesNoMoreAndItsNumberIsFree() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.count.steps, scope: 3)
    hub.turn(client)
    hub.frame(FrameHeader(kind: .detach, scope: 3), on: client)
    hub.send(.setCount(1), on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.applied, .detached])
    #expect(frames[1].scope == 3)
    hub.send(Attach(path: board.title.steps), scope: 3, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
  }

  @Test func aNumberInUseIsRefused() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.count.steps, scope: 3)
    hub.send(Attach(), scope: 3, on: client)
    let refused = hub.turn(client).last
    #expect(try #require(refused).errorCode == .scopeInUse)
  }

  /// The others of the connection go on, and the number is free afterwards.
  @Test func aScopeBeyondTheLimitIsRefusedAlone() throws {
    var limits = HubLimits()
    limits.scopes = 2
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, board.count.steps, scope: 0)
    hub.send(Attach(path: board.title.steps), scope: 1, on: client)
    hub.send(Attach(), scope: 2, on: client)
    // The hub has not attached it.
    hub.frame(FrameHeader(kind: .detach, scope: 2), on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.snapshot, .snapshot, .absent, .detached])
    #expect(frames[2...].allSatisfy { $0.scope == 2 && $0.revision == 0 })
    #expect(try frames[2].refusal.contains("2 scopes; detach one first, or raise the limit 'scopes'"))
    #expect(try frames[3].refusalCode == .tooManyScopes)
    #expect(hub.reports.contains { if case .scopeRefused(client, _, _) = $0 { true } else { false } })
    hub.send(.setCount(5), on: client)
    #expect(hub.turn(client).map(\.kind) == [.delta, .applied])
    hub.frame(FrameHeader(kind: .detach, scope: 1), on: client)
    hub.send(Attach(), scope: 2, on: client)
    let more = hub.turn(client)
    #expect(more.map(\.kind) == [.snapshot, .detached])
    #expect(more[1].scope == 1 && more[1].payload.isEmpty)
  }

  /// A client that does not read what it is told cannot make the hub keep more and more of it.
  @Test func aFloodOfRefusedScopesEndsTheConnection() throws {
    var limits = HubLimits()
    limits.scopes = 1
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, board.count.steps, scope: 0)
    hub.turn(client)
    for number in 1...HubCore.refusedScopeLimit { hub.send(Attach(), scope: UInt16(number), on: client) }
    #expect(hub.turn(client).count == 2 * HubCore.refusedScopeLimit)
    for number in 0...HubCore.refusedScopeLimit { hub.send(Attach(), scope: UInt16(number + 1), on: client) }
    #expect(try hub.turn(client).last?.errorCode == .tooManyScopes)
  }

  /// Refusals that a client has not read are charged to its user, like other output.
  @Test func refusedScopesAreChargedUntilTheirClientIsTold() throws {
    var limits = HubLimits()
    limits.scopes = 1
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, board.count.steps, scope: 0)
    hub.turn(client)
    let before = hub.core.heldBytes
    hub.block(client)
    for number in 1...100 { hub.send(Attach(), scope: UInt16(number), on: client) }
    #expect(hub.turn(client).isEmpty)
    #expect(hub.core.heldBytes == before + 100 * RefusedScope.chargedBytes)
    #expect(MemoryLayout<RefusedScope>.stride <= RefusedScope.chargedBytes)
    hub.unblock(client)
    #expect(hub.turn(client).count == 200)
    #expect(hub.core.heldBytes == before)
  }

  /// Many connections together cannot make the hub keep more than it keeps for one user.
  @Test func refusedScopesThatNobodyReadsEndTheConnectionThatHasTheMost() throws {
    var limits = HubLimits()
    (limits.scopes, limits.heldBytesPerUser) = (0, 150 * RefusedScope.chargedBytes)
    let hub = BoardHub(limits: limits)
    let clients = try (0..<3).map { _ in try hub.open().0 }
    for client in clients { hub.block(client) }
    for (client, count) in zip(clients, [40, 50, 80]) {
      for number in 0..<count { hub.send(Attach(), scope: UInt16(number), on: client) }
    }
    #expect(try hub.turn(clients[1]).isEmpty && hub.turn(clients[2]).map { try $0.errorCode } == [.tooManyBytes])
    #expect(hub.ended == [clients[2]] && hub.core.heldBytes == 90 * RefusedScope.chargedBytes)
  }

  /// A refusal has two frames and a text, so it is longer than its request, but by a small factor.
  @Test func theAnswerToARefusedScopeIsNotMuchLongerThanItsRequest() throws {
    var limits = HubLimits()
    limits.scopes = 0
    let hub = BoardHub(limits: limits)
    let (client, _) = try hub.open()
    var request = FrameWriter()
    request.frame(FrameHeader(kind: .attach)) { Attach().encode(to: &$0) }
    hub.send(Attach(), on: client)
    let answer = hub.turn(client).reduce(0) { $0 + FrameHeader.byteCount + $1.payload.count }
    #expect(answer <= 10 * request.count, "\(request.count) bytes in, \(answer) bytes out")
  }

  /// The next process of the hub does not know of them.
  @Test func aHandOverHasTheRefusalsThatWereNotWritten() throws {
    var limits = HubLimits()
    limits.scopes = 1
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, board.count.steps, scope: 0)
    hub.turn(client)
    hub.send(Attach(), scope: 7, on: client)
    let handOver = try #require(hub.core.handOver { _ in (token: 1, unsent: [1, 2]) })
    let unsent = handOver.connections[0].unsent
    #expect(unsent.starts(with: [1, 2]))
    var kinds: [UInt8] = []
    var decoder = FrameDecoder(payloadLimit: 4096)
    let frames = Array(unsent.dropFirst(2))
    try decoder.feed(frames.span.bytes) { header, _ in
      #expect(header.scope == 7)
      kinds.append(header.kind)
    }
    #expect(kinds == [FrameKind.absent.rawValue, FrameKind.detached.rawValue])
  }

  private static let impossible: [[PathStep]] = [
    [9], [0, 0], [2, 1], [2, .id([0x01]), 9], [3, 1], [4, 0], [4, 2, 7], [5, 0],
  ]

  @Test(arguments: impossible)
  func aPathThatTheStateCannotHaveIsRefusedByName(path: [PathStep]) throws {
    let hub = BoardHub()
    let client = try attach(hub, path)
    let frame = try #require(hub.turn(client).last)
    #expect(frame.kind == .error)
    #expect(try frame.errorCode == .unknownScope)
  }

  @Test func aLoneFollowerThatComesBackGetsADelta() throws {
    let hub = BoardHub()
    let (client, welcome) = try hub.open()
    hub.send(Attach(path: board.items.steps), on: client)
    hub.send(Attach(path: board.count.steps), scope: 1, on: client)
    hub.turn(client)
    let (sender, _) = try hub.open()
    hub.send(.setCount(1), on: sender)
    #expect(hub.turn(client).map(\.revision) == [1])
    hub.disconnect(client)
    for count in 2...50 {
      hub.send(.setCount(count), on: sender)
      hub.turn()
    }

    let (again, _) = try hub.open(session: welcome.session)
    // The items have not changed since the snapshot at revision 0; the count was sent at 1.
    hub.send(Attach(path: board.items.steps, knownRevision: 0), on: again)
    hub.send(Attach(path: board.count.steps, knownRevision: 1), scope: 1, on: again)
    let frames = hub.turn(again)
    #expect(frames.map(\.kind) == [.delta])
    #expect(try delta(frames[0]).description == "[1, 50]")
    #expect(frames[0].revision == 50)
  }

  /// A hub that stops ends a turn itself, before the shell sends the output of the last one.
  @Test func aScopeAttachedBetweenTurnsGetsItsWholeChange() throws {
    let hub = BoardHub()
    let (client, welcome) = try hub.open()
    for (number, path) in [[], board.count.steps].enumerated() {
      hub.send(Attach(path: path), scope: UInt16(number), on: client)
    }
    let (sender, _) = try hub.open()
    hub.send(.setCount(1), on: sender)
    hub.turn()
    hub.disconnect(client)
    hub.send(.setCount(2), on: sender)
    hub.turn()
    let (again, _) = try hub.open(session: welcome.session)
    hub.send(Attach(path: [], knownRevision: 1), on: again)
    hub.core.endTurn(at: .zero, flushing: true)
    hub.send(Attach(path: board.count.steps, knownRevision: 1), scope: 1, on: again)
    let frames = hub.turn(again)
    #expect(frames.map(\.scope) == [0, 1])
    #expect(try delta(#require(frames.last)).description == "[1, 2]")
  }

  @Test func aSessionResumedFromALiveConnectionKeepsWhatItHas() throws {
    var limits = HubLimits()
    limits.versions = 4
    let hub = BoardHub(limits: limits)
    let (client, welcome) = try hub.open()
    hub.send(Attach(path: board.items.steps), on: client)
    hub.turn(client)
    let (sender, _) = try hub.open()
    for count in 1...20 {
      hub.send(.setCount(count), on: sender)
      hub.turn()
    }
    // The hub does not know yet that the old connection is dead.
    let (again, resumed) = try hub.open(session: welcome.session)
    #expect(resumed.isResumed)
    hub.send(Attach(path: board.items.steps, knownRevision: 0), on: again)
    #expect(hub.turn(again).isEmpty)
    hub.send(.addItems(1), on: sender)
    #expect(hub.turn(again).map(\.kind) == [.delta])
  }

  @Test func anIdleFollowerLearnsHowFarTheHubIs() throws {
    var limits = HubLimits()
    limits.bookmarkInterval = 10
    // A text, a list, an enum, an optional, and an absent place.
    for path in [
      board.title.steps, board.items.steps, board.mode.steps, board.chosen.steps, board.chosen.unwrapped().steps,
    ] {
      let hub = BoardHub(limits: limits)
      let client = try attach(hub, path)
      hub.turn(client)
      let (sender, _) = try hub.open()
      var frames: [BoardHub.Frame] = []
      for count in 1...35 {
        hub.send(.setCount(count), on: sender)
        frames += hub.turn(client)
      }
      #expect(frames.map(\.revision) == [10, 20, 30])
      #expect(frames.allSatisfy { $0.kind == .bookmark && $0.payload.isEmpty })
    }
  }

  @Test func verifyIsAnsweredAlsoIfNothingIsThere() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.chosen.unwrapped().steps, scope: 3)
    #expect(hub.turn(client).map(\.kind) == [.absent])
    let (sender, _) = try hub.open()
    hub.send(.setCount(1), on: sender)
    hub.turn(client)
    // Two requests in one turn get one answer.
    for _ in 0..<2 { hub.frame(FrameHeader(kind: .verify, scope: 3), on: client) }
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.absent])
    #expect(frames.map(\.scope) == [3])
    #expect(frames.map(\.revision) == [1])
  }

  /// The hash of a long list takes several turns, in which nothing waits for it.
  @Test func aHashOfALargeStateDoesNotHoldUpActions() throws {
    var limits = HubLimits()
    limits.hashedBytesPerTurn = 10_000
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, [], scope: 1)
    hub.send(.addItems(2000), on: client)
    repeat { hub.turn(client) } while hub.core.needsAnotherTurn
    hub.frame(FrameHeader(kind: .verify, scope: 1), on: client)
    #expect(hub.turn(client).isEmpty)
    var goesOn = hub.core.needsAnotherTurn
    #expect(goesOn)
    hub.send(.setCount(7), on: client)
    #expect(hub.turn(client).map(\.kind) == [.delta, .applied])
    var (frames, turns): ([BoardHub.Frame], Int) = ([], 0)
    while frames.isEmpty, turns < 1000 {
      frames = hub.turn(client)
      turns += 1
    }
    #expect(turns > 5 && frames.map(\.kind) == [.hash])
    let payload = try #require(frames.first).payload
    #expect(try StateHash(decoding: payload.span.bytes) == hub.state.stateHash())
    goesOn = hub.core.needsAnotherTurn
    #expect(!goesOn)
  }

  /// Parts outside lists are hashed as a whole, so at most one of them in a turn that has spent its budget.
  @Test func hashesOfLargePartsTakeTurns() throws {
    var limits = HubLimits()
    limits.hashedBytesPerTurn = 10_000
    var state = Board.State()
    state.numbers = Array(repeating: 1_000_000, count: 5_000)
    let hub = BoardHub(state, limits: limits)
    let (client, _) = try hub.open()
    hub.send(Attach(path: []), scope: 1, on: client)
    hub.send(Attach(path: board.numbers.steps), scope: 2, on: client)
    repeat { hub.turn(client) } while hub.core.needsAnotherTurn
    for scope: UInt16 in 1...2 { hub.frame(FrameHeader(kind: .verify, scope: scope), on: client) }
    #expect(hub.turn(client).map(\.scope) == [1])
    #expect(hub.turn(client).map(\.scope) == [2])
    let goesOn = hub.core.needsAnotherTurn
    #expect(!goesOn)
  }

  /// Two texts may be equal although their bytes differ. Deltas name an element by the bytes of its id, so another
  /// spelling names no element.
  @Test func anElementHasOneName() throws {
    let items: IdentifiedArrayOf<Named> = [Named(id: "caf\u{e9}")]
    func steps(_ id: String) -> ArraySlice<PathStep> { [.id(id.encoded())] }
    try #require("caf\u{e9}" == "cafe\u{301}")
    #expect(items.part(at: steps("caf\u{e9}")) != nil)
    #expect(items.part(at: steps("cafe\u{301}")) == nil)
  }

  @Test func eachRootHasASchema() throws {
    let hub = BoardHub()
    let (client, _) = try hub.open()
    for root in [1, 0, 1] as [UInt16] { hub.frame(FrameHeader(kind: .describe, scope: root), on: client) }
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.schema, .schema])
    #expect(frames.map(\.scope) == [1, 0])
    let payload = frames[0].payload
    #expect(try Schema(decoding: payload.span.bytes) == Schema(state: HubState.self, action: Never.self))
    hub.frame(FrameHeader(kind: .describe, scope: 3), on: client)
    let error = hub.turn(client)
    #expect(error.map(\.kind) == [.error])
    #expect(try error[0].errorCode == .unknownScope)
  }

  @Test func theDocumentationComesOnRequestOnly() throws {
    let hub = BoardHub()
    let (client, _) = try hub.open()
    for flags in [1, 0, 5, 1] as [UInt8] {
      hub.frame(FrameHeader(kind: .describe, flags: flags, scope: 1), on: client)
    }
    let frames = hub.turn(client)
    // One answer answers all requests of one kind. A hub ignores the flags that it does not know.
    #expect(frames.map(\.kind) == [.schema, .schema])
    #expect(frames.map(\.flags) == [1, 0])
    let (documented, plain) = (frames[0].payload, frames[1].payload)
    let answer = try DocumentedSchema(decoding: documented.span.bytes)
    #expect(try Schema(decoding: plain.span.bytes) == answer.schema)
    #expect(answer.documentation == SchemaDocumentation(state: HubState.self, action: Never.self))
    #expect(answer.documentation.text(of: 1) == "A client that is attached to a hub.")

    hub.frame(FrameHeader(kind: .describe, flags: 1), on: client)
    let payload = try #require(hub.turn(client).first).payload
    let board = try DocumentedSchema(decoding: payload.span.bytes)
    #expect(board.schema == Schema(state: Board.State.self, action: Board.Action.self))
    #expect(board.documentation == SchemaDocumentation(state: Board.State.self, action: Board.Action.self))
  }

  @Test func aHelloAcknowledgesOnlyWhatWasProcessed() throws {
    let hub = BoardHub()
    let (first, welcome) = try hub.open()
    hub.send(.setCount(1), on: first)
    hub.turn(first)
    let second = hub.connect()
    hub.send(Hello(session: welcome.session, acknowledged: 2), on: second)
    let frames = hub.turn(second)
    #expect(frames.map(\.kind) == [.error])
    #expect(try frames[0].errorCode == .sequenceGap)
    // The session is kept, and its connection.
    hub.core.ended(second)
    hub.send(.setCount(2), on: first)
    #expect(hub.turn(first).map(\.kind) == [.applied])
    #expect(try hub.open(session: welcome.session).1.isResumed)
    // Without a session, or with an unknown one, the number has no meaning.
    let third = hub.connect()
    hub.send(Hello(session: SessionID(high: 1, low: 2), acknowledged: 9), on: third)
    #expect(hub.turn(third).map(\.kind) == [.welcome])
  }

  @Test func anIDOfAnotherTypeIsNoPartOfTheState() throws {
    let hub = BoardHub()
    let client = try attach(hub, board.items.steps + [.id("a".encoded())])
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.error])
    #expect(try frames[0].errorCode == .unknownScope)
  }

  /// Too large in itself, or for what is held for its reader.
  @Test(arguments: [(100, 64 << 20), (16 << 20, 400)])
  func aDeltaThatWouldBeTooLargeIsASnapshotWithTheReason(deltaBytes: Int, heldBytesPerUser: Int) throws {
    var limits = HubLimits()
    (limits.deltaBytes, limits.heldBytesPerUser) = (deltaBytes, heldBytesPerUser)
    let hub = BoardHub(limits: limits)
    let client = try attach(hub, [])
    hub.turn(client)
    let (sender, _) = try hub.open()
    hub.send(.addItems(100), on: sender)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try reason(frames[0]) == .deltaTooLarge)
  }

  @Test func whoIsAttachedIsAStateOfTheHubsOwn() throws {
    let hub = BoardHub()
    let (client, _) = try hub.open()
    hub.send(Attach(root: .hub), on: client)
    let snapshot = try #require(hub.turn(client).first)
    let piece = try snapshot.piece
    var state = try HubState(decoding: piece.span.bytes)
    #expect(state.attendees.map(\.name) == ["test"])
    #expect(state.attendees[0].process == 41 && state.attendees[0].user == 1000)

    func follow() throws {
      for frame in hub.turn(client) {
        var decoder = CBORDecoder(frame.payload.span.bytes)
        try decoder.tuple(2)
        _ = try decoder.unsigned()
        try state.apply(delta: &decoder)
      }
    }
    let (second, _) = try hub.open()
    try follow()
    #expect(state.attendees.count == 2)
    hub.disconnect(second)
    try follow()
    #expect(state.attendees.map(\.id) == [1])
  }

  @Test func anOutcomeThatCannotBeKnownIsRefused() throws {
    let hub = BoardHub()
    let (client, _) = try hub.open()
    hub.frame(FrameHeader(kind: .actions), on: client) {
      $0.unsigned(1)
      $0.unsigned(5)
    }
    let frame = try #require(hub.turn(client).last)
    #expect(try frame.errorCode == .sequenceGap)
  }
}
