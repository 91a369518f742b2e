import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The parts that a client waits for.
@Suite struct LoadingTests {
  @Test func aPartLoadsFromItsAttachmentOn() throws {
    let loading = try Loading()
    #expect(loading.byteCount == 0)
    loading.receivePiece([0x82, 1], isLast: false)
    #expect(loading.byteCount == 2)
    loading.receivePiece([2], isLast: true)
    #expect(loading.byteCount == 0)
    #expect(loading.numbers.part == [1, 2])
    // A part that is sent again.
    loading.receivePiece([0x82, 1], isLast: false)
    #expect(loading.byteCount == 2)
    #expect(loading.numbers.part == [1, 2])
    loading.replica.disconnected(reason: "cut", at: .zero)
    #expect(loading.byteCount == 0)
  }

  @Test func aPartThatDisappearsWhileItLoadsLeavesNothing() throws {
    let loading = try Loading()
    loading.receivePiece([0x82, 1], isLast: false)
    loading.receive { $0.frame(FrameHeader(kind: .absent, revision: 2)) { _ in } }
    #expect(loading.byteCount == 0)
    #expect(loading.numbers.part == nil && loading.numbers.revision == 2)
    // When it is there again, its snapshot starts anew.
    loading.receivePiece([0x82, 3, 4], isLast: true)
    #expect(loading.numbers.part == [3, 4])
  }

  /// Between the two frames of a refusal, it once looked like one that will not end.
  @Test func aRefusalIsReportedWithItsCode() throws {
    let loading = try Loading()
    loading.receive { writer in
      writer.frame(FrameHeader(kind: .absent)) { $0.text("no room") }
    }
    #expect(loading.changeCount == 0)
    loading.receive { $0.frame(FrameHeader(kind: .detached), number: PeerErrorCode.tooManyScopes.rawValue) }
    let (reason, code) = (
      loading.replica.refusal(of: loading.numbers), loading.replica.refusalCode(of: loading.numbers)
    )
    #expect(loading.changeCount == 1 && reason == "no room" && code == .tooManyScopes)
  }
}

/// A client that has attached a list of numbers.
private final class Loading {
  var replica: ReplicaCore
  let numbers: TypedMirror<[Int]>
  /// How often a change was reported.
  private(set) var changeCount = 0
  private static let schema = Schema(state: Board.State.self, action: Board.Action.self)

  var byteCount: Int { replica.loadedByteCount }

  init() throws {
    var replica = ReplicaCore(schema: Self.schema, random: SplitMix(seed: 1))
    numbers = replica.subscribe(to: StatePath<Board.State, Board.State>().numbers)
    replica.start()
    replica.connected(at: .zero)
    self.replica = consume replica
    receive {
      $0.frame(
        Welcome(
          version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20,
          hub: "", schema: Self.schema.fingerprint))
    }
    let phase = self.replica.phase
    try #require(phase == .open)
  }

  func receive(_ write: (inout FrameWriter) -> Void) {
    var writer = FrameWriter()
    write(&writer)
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    for case .changed in replica.commands { changeCount += 1 }
    replica.clear()
  }

  func receivePiece(_ bytes: [UInt8], isLast: Bool) {
    let offset = UInt64(replica.loadedByteCount)
    receive {
      $0.frame(FrameHeader(kind: .snapshot, flags: isLast ? SnapshotPiece.finalFlag : 0, revision: 1)) {
        SnapshotPiece.encodeHead(.attached, offset: offset, byteCount: bytes.count, to: &$0)
        $0.append(bytes.span.bytes)
      }
    }
  }
}
