import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// A state too large for one turn, sent to late subscribers.
@Suite(.computing) struct SnapshotTests {
  private let itemCount = 20_000

  private static var limits: HubLimits {
    var limits = HubLimits()
    limits.snapshotBytesPerTurn = 64 << 10
    return limits
  }

  private func largeHub(_ limits: HubLimits = limits) throws -> (BoardHub, sender: ConnectionID) {
    let hub = BoardHub(limits: limits)
    let (sender, _) = try hub.open()
    hub.send(.addItems(itemCount), on: sender)
    hub.turn(sender)
    return (hub, sender)
  }

  /// Decodes the joined pieces, and applies a delta that follows them.
  private func state(of frames: [BoardHub.Frame]) throws -> Board.State {
    var bytes: [UInt8] = []
    var state: Board.State?
    for frame in frames {
      switch frame.kind {
      case .snapshot:
        let piece = try SnapshotPiece(CBORDecoder(frame.payload.span.bytes))
        if piece.offset == 0 { bytes = [] }
        #expect(piece.offset == UInt64(bytes.count))
        bytes += [UInt8](piece.bytes)
        if frame.flags & SnapshotPiece.finalFlag != 0 { state = try Board.State(decoding: bytes.span.bytes) }
      case .delta:
        var decoder = CBORDecoder(frame.payload.span.bytes)
        try decoder.tuple(2)
        _ = try decoder.unsigned()
        try state?.apply(delta: &decoder)
      default: break
      }
    }
    return try #require(state)
  }

  @Test func aLargeStateGoesOutInTurnsAndOthersAreServedBetween() throws {
    let (hub, sender) = try largeHub()
    let (late, _) = try hub.open()
    hub.send(Attach(), on: late)
    var frames: [BoardHub.Frame] = []
    var turns = 0
    repeat {
      turns += 1
      hub.send(.setCount(turns), on: sender)
      hub.send(.setTitle(turns, "changed meanwhile"), on: sender)
      let acknowledgement = hub.turn(sender)
      #expect(acknowledgement.map(\.kind) == [.applied])
      let came = hub.turn(late)
      let bytes = came.reduce(0) { $0 + $1.payload.count }
      #expect(bytes <= hub.limits.snapshotBytesPerTurn * 2 + 3 * SnapshotPiece.byteLimit)
      frames += came
    } while hub.hasMoreToWrite
    frames += hub.turn(late)

    #expect(turns >= 2)
    #expect(try state(of: frames) == hub.state)
    #expect(Set(frames.filter { $0.kind == .snapshot }.map(\.revision)).count == 1)
    #expect(frames.last?.kind == .delta)
  }

  /// A client that sends one action at a time would have to wait for each piece.
  @Test func piecesAreSmallWhileOthersSend() throws {
    let (hub, sender) = try largeHub()
    hub.send(.addItems(40_000), on: sender)
    let (late, _) = try hub.open()
    hub.send(Attach(), on: late)
    func sent() -> Int { hub.turn(late).filter { $0.kind == .snapshot }.reduce(0) { $0 + $1.payload.count } }
    #expect(sent() > 32 << 10)
    for count in 1...2 {
      hub.send(.setCount(count), on: sender)
      _ = sent()
    }
    for _ in 0..<5 { #expect(1...(8 << 10) ~= sent()) }
    // A turn that answers other clients continues no snapshot, which goes on in the next one.
    hub.plan.answersFirst = true
    #expect(sent() == 0)
    let goesOn = hub.core.needsAnotherTurn
    #expect(goesOn)
    hub.plan.answersFirst = false
    #expect(1...(8 << 10) ~= sent())
    // The pieces of the next snapshot are small, too.
    while hub.core.needsAnotherTurn { hub.turn() }
    let (later, _) = try hub.open()
    hub.send(Attach(), on: later)
    #expect(1...(8 << 10) ~= hub.turn(later).reduce(0) { $0 + $1.payload.count })
  }

  @Test func whatOneSendsIsAcknowledgedBehindItsState() throws {
    let (hub, _) = try largeHub()
    let (late, _) = try hub.open()
    hub.send(Attach(), on: late)
    hub.turn(late)
    hub.send(.setCount(7), on: late)
    var frames: [BoardHub.Frame] = []
    repeat { frames += hub.turn(late) } while hub.hasMoreToWrite
    #expect(frames.last?.kind == .applied)
    #expect(frames.dropLast().last?.kind == .delta)
    #expect(frames.count { $0.kind == .applied } == 1)
  }

  @Test func manyWhoComeTogetherShareOneEncoding() throws {
    let (hub, _) = try largeHub()
    let clients = try (0..<3).map { _ in try hub.open().0 }
    for client in clients { hub.send(Attach(), on: client) }
    var frames: [ConnectionID: [BoardHub.Frame]] = [:]
    repeat {
      hub.turn()
      for client in clients { frames[client, default: []] += hub.turn(client) }
    } while hub.hasMoreToWrite
    for client in clients { #expect(try state(of: frames[client] ?? []) == hub.state) }
    #expect(hub.keptVersionCount == 1)
  }

  /// One that waited for the end of another's snapshot would reconnect after its time limit, and take the other's place.
  @Test(arguments: [16 << 20, 1])
  func readersTakeTurnsAlsoWhileTheStateChanges(deltaBytes: Int) throws {
    var limits = Self.limits
    (limits.snapshotBytesPerTurn, limits.deltaBytes) = (1, deltaBytes)
    let (hub, sender) = try largeHub(limits)
    var readers: [ConnectionID] = []
    var lastServed: [ConnectionID: Int] = [:]
    for turn in 0..<60 {
      // A new reader does not come before those that wait.
      if turn % 15 == 0 {
        let (reader, _) = try hub.open()
        hub.send(Attach(), on: reader)
        readers.append(reader)
        lastServed[reader] = turn
      }
      hub.send(.setTitle(turn, "changed meanwhile"), on: sender)
      hub.turn()
      for reader in readers {
        if hub.taken(reader).contains(where: { $0.kind == .snapshot }) { lastServed[reader] = turn }
        #expect(turn - lastServed[reader, default: 0] <= readers.count)
      }
    }
    #expect(readers.count == 4)
  }

  @Test func aReaderThatStopsInTheMiddleGoesOnWhereItWas() throws {
    let (hub, sender) = try largeHub()
    let (slow, _) = try hub.open()
    hub.send(Attach(), on: slow)
    var frames = hub.turn(slow)
    hub.block(slow)
    #expect(!hub.hasMoreToWrite)
    for count in 0..<10 {
      hub.send(.setCount(count), on: sender)
      #expect(hub.turn(slow).isEmpty)
    }
    hub.unblock(slow)
    repeat { frames += hub.turn(slow) } while hub.hasMoreToWrite
    #expect(try state(of: frames) == hub.state)
  }

  @Test func aReaderMuchSlowerThanAnotherBeginsAnewAndLosesNothing() throws {
    var limits = Self.limits
    limits.snapshotPieces = 2
    let (hub, _) = try largeHub(limits)
    let (slow, _) = try hub.open()
    let (fast, _) = try hub.open()
    hub.send(Attach(), on: slow)
    hub.send(Attach(), on: fast)
    hub.block(slow)
    var frames: [BoardHub.Frame] = []
    repeat { frames += hub.turn(fast) } while hub.hasMoreToWrite
    #expect(try state(of: frames) == hub.state)
    hub.unblock(slow)
    frames = []
    repeat { frames += hub.turn(slow) } while hub.hasMoreToWrite
    #expect(try state(of: frames) == hub.state)
  }

  /// Other readers may still be reading it, for any length of time.
  @Test func aReaderThatMustBeginAnewDoesNotGetTheSameSnapshotAgain() throws {
    var limits = Self.limits
    limits.deltaBytes = 1
    let (hub, sender) = try largeHub(limits)
    let (slow, _) = try hub.open()
    hub.send(Attach(), on: slow)
    hub.turn(slow)
    hub.block(slow)
    let (fast, _) = try hub.open()
    hub.send(Attach(), on: fast)
    hub.send(.setTitle(1, "changed meanwhile"), on: sender)
    var frames = hub.turn(fast)
    for _ in 0..<200 where hub.hasMoreToWrite { frames += hub.turn(fast) }
    #expect(!hub.hasMoreToWrite)
    #expect(try state(of: frames) == hub.state)
  }

  @Test func aSnapshotThatIsNotWantedAnyMoreIsLetGo() throws {
    let (hub, sender) = try largeHub()
    let (late, _) = try hub.open()
    hub.send(Attach(), on: late)
    hub.turn(late)
    hub.disconnect(late)
    hub.send(.setCount(1), on: sender)
    hub.turn()
    #expect(hub.keptVersionCount == 0)
    #expect(!hub.hasMoreToWrite)
  }

  // MARK: Memory

  /// A version that a detached session has keeps what all later turns have replaced, however little each of them.
  @Test func aVersionThatKeepsMuchIsDropped() throws {
    var limits = Self.limits
    (limits.versions, limits.versionBytes) = (2, 256 << 10)
    let (hub, sender) = try largeHub(limits)
    let (follower, _) = try hub.open()
    let (gone, welcome) = try hub.open()
    for id in [follower, gone] { hub.send(Attach(), on: id) }
    repeat { hub.turn() } while hub.hasMoreToWrite
    hub.disconnect(gone)
    for id in stride(from: 0, to: itemCount, by: 4) {
      hub.send(.setTitle(id, "changed"), on: sender)
      hub.turn()
    }
    let (again, _) = try hub.open(session: welcome.session)
    hub.send(Attach(knownRevision: 1), on: again)
    var frames: [BoardHub.Frame] = []
    repeat { frames += hub.turn(again) } while hub.hasMoreToWrite
    #expect(frames.allSatisfy { $0.kind == .snapshot })
    #expect(try state(of: frames) == hub.state)
  }

  @Test func aVersionOfASmallStateIsKeptHoweverOftenItChanges() throws {
    var limits = Self.limits
    (limits.versions, limits.versionBytes) = (2, 512 << 10)
    let hub = BoardHub(limits: limits)
    let (sender, _) = try hub.open()
    let (follower, _) = try hub.open()
    let (gone, welcome) = try hub.open()
    hub.send(.setCount(-1), on: sender)
    for id in [follower, gone] { hub.send(Attach(), on: id) }
    hub.turn()
    hub.disconnect(gone)
    for count in 0..<20_000 {
      hub.send(.setCount(count), on: sender)
      hub.turn()
    }
    let (again, _) = try hub.open(session: welcome.session)
    hub.send(Attach(knownRevision: 1), on: again)
    #expect(hub.turn(again).map(\.kind) == [.delta])
  }

  @Test func stalledReadersKeepFewStates() throws {
    var limits = Self.limits
    (limits.versions, limits.extraSnapshotStates) = (1, 3)
    let (hub, sender) = try largeHub(limits)
    var readers: [(id: ConnectionID, frames: [BoardHub.Frame])] = []
    for number in 0..<8 {
      let (id, _) = try hub.open()
      hub.send(Attach(), on: id)
      readers.append((id, hub.turn(id)))
      #expect(readers[number].frames.contains { $0.kind == .snapshot })
      hub.block(id)
      hub.send(.setCount(number + 1), on: sender)
      hub.turn()
    }
    // Readers that have not stalled for long are left alone.
    let before = hub.core.extraStateCount
    #expect(before == 8)
    hub.send(.setCount(100), on: sender)
    hub.turn(at: limits.snapshotTimeout)
    let after = hub.core.extraStateCount
    #expect(after == 3)
    for reader in readers { hub.unblock(reader.id) }
    for _ in 0..<200 {
      for index in readers.indices { readers[index].frames += hub.turn(readers[index].id) }
    }
    #expect(!hub.hasMoreToWrite)
    for reader in readers { #expect(try state(of: reader.frames) == hub.state) }
  }

  /// The pieces of a large state in small turns take longer than the time limit.
  @Test func aReaderThatHasClosedItsDirectionGetsTheWholeSnapshot() throws {
    let (hub, _) = try largeHub()
    let (reader, _) = try hub.open()
    hub.send(Attach(), on: reader)
    var frames = hub.turn(reader)
    hub.core.inputEnded(reader, at: .zero)
    hub.core.expire(at: hub.limits.frameTimeout + .seconds(1))
    #expect(hub.hasMoreToWrite)
    repeat { frames += hub.turn(reader) } while hub.hasMoreToWrite
    #expect(try state(of: frames) == hub.state)
    #expect(hub.ended == [reader])
  }
}
