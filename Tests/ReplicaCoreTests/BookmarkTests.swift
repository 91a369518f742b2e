import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// A bookmark states the hub's revision for an unchanged part of any type, even if it is absent.
@Suite struct BookmarkTests {
  @Test func itFitsAPartWithoutParts() throws {
    var replica = try live()
    let count = replica.subscribe(to: StatePath<Board.State, Board.State>().count)
    receive(FrameHeader(kind: .snapshot, flags: 1, revision: 3), &replica) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: 1, to: &$0)
      $0.unsigned(7)
    }
    let commands = bookmark(9, &replica)
    #expect(commands.isEmpty)
    #expect(count.part == 7)
    #expect(count.revision == 9)
  }

  @Test func itFitsAPartThatIsNotThere() throws {
    var replica = try live()
    let note = replica.subscribe(to: StatePath<Board.State, Board.State>().chosen.unwrapped())
    receive(FrameHeader(kind: .absent, revision: 3), &replica) { _ in }
    let commands = bookmark(9, &replica)
    #expect(commands.isEmpty)
    #expect(note.part == nil)
    #expect(note.revision == 9)
  }

  @Test func itMustLeadOn() throws {
    var replica = try live()
    let count = replica.subscribe(to: StatePath<Board.State, Board.State>().count)
    receive(FrameHeader(kind: .snapshot, flags: 1, revision: 3), &replica) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: 1, to: &$0)
      $0.unsigned(7)
    }
    #expect(bookmark(3, &replica).contains { if case .disconnect = $0 { true } else { false } })
    #expect(count.revision == 3)
  }

  /// PROTOCOL.md, section 10: `{}` is a change of a struct or a collection only.
  @Test func aDeltaOfNoChangesDoesNotFitAnInteger() throws {
    var replica = try live()
    let count = replica.subscribe(to: StatePath<Board.State, Board.State>().count)
    receive(FrameHeader(kind: .snapshot, flags: 1, revision: 3), &replica) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: 1, to: &$0)
      $0.unsigned(7)
    }
    replica.clear()
    receive(FrameHeader(kind: .delta, revision: 9), &replica) {
      $0.arrayHeader(count: 2)
      $0.unsigned(3)
      $0.mapHeader(count: 0)
    }
    let commands = replica.commands
    #expect(commands.contains { if case .disconnect = $0 { true } else { false } })
    #expect(count.revision == 3)
  }

  private func live() throws -> ReplicaCore {
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    var replica = ReplicaCore(schema: schema, random: SplitMix(seed: 1))
    replica.start()
    replica.connected(at: .zero)
    let welcome = Welcome(
      version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20, hub: "",
      schema: schema.fingerprint)
    receive(FrameHeader(kind: .welcome), &replica) { welcome.encode(to: &$0) }
    return replica
  }

  /// Sends a bookmark, and returns the commands for the shell.
  private func bookmark(_ revision: UInt64, _ replica: inout ReplicaCore) -> [ReplicaCommand] {
    replica.clear()
    receive(FrameHeader(kind: .bookmark, revision: revision), &replica) { _ in }
    return replica.commands
  }

  private func receive(_ header: FrameHeader, _ replica: inout ReplicaCore, _ body: (inout CBOREncoder) -> Void) {
    var writer = FrameWriter()
    writer.frame(header, body: body)
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
  }
}
