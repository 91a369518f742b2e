import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// A state larger than the client accepts.
@Suite struct TooLargeTests {
  /// The client once gave up and received the same snapshot again at every attempt.
  @Test func itIsRefusedForGood() throws {
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    var options = ReplicaOptions()
    options.stateBytes = 10
    var replica = ReplicaCore(schema: schema, options: options, random: SplitMix(seed: 1))
    _ = replica.subscribe(to: StatePath<Board.State, Board.State>())
    replica.start()
    replica.connected(at: .zero)
    let welcome = Welcome(
      version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20, hub: "",
      schema: schema.fingerprint)
    receive(FrameHeader(kind: .welcome), &replica) { welcome.encode(to: &$0) }
    receive(FrameHeader(kind: .snapshot, revision: 3), &replica) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: 11, to: &$0)
      let bytes = [UInt8](repeating: 0, count: 11)
      $0.append(bytes.span.bytes)
    }

    let (connection, deadline, commands) = (replica.connection, replica.deadline, replica.commands)
    guard case .refused(let reason) = connection else {
      Issue.record("the connection is \(connection)")
      return
    }
    #expect(reason.contains("10 bytes"))
    #expect(deadline == nil)
    #expect(commands.contains { if case .disconnect = $0 { true } else { false } })
  }

  private func receive(_ header: FrameHeader, _ replica: inout ReplicaCore, _ body: (inout CBOREncoder) -> Void) {
    var writer = FrameWriter()
    writer.frame(header, body: body)
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
  }
}
