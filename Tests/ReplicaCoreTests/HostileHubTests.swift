import Features
import ReplicaCore
import TestSupport
import Testing
import Wire

/// A hub that violates the protocol.
@Suite(.timeLimit(.minutes(30))) struct HostileHubTests {
  /// After each different hash the client attaches with another number. A hub that never confirms the old numbers
  /// exhausts them.
  @Test func aClientDoesNotLookForEverForANumberThatIsFree() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    var replica = ReplicaCore(schema: schema, random: SplitMix(seed: 1))
    _ = replica.subscribe(to: StatePath<AppFeature.State, AppFeature.State>())
    replica.start()
    replica.connected(at: .zero)
    var writer = FrameWriter()
    writer.welcome(schema)
    receive(&writer, &replica)
    let state = AppFeature.State().encoded()
    for number in 0..<70_000 where replica.connection == .live || number == 0 {
      let scope = UInt16(truncatingIfNeeded: number)
      writer.frame(FrameHeader(kind: .snapshot, flags: 1, scope: scope, revision: 1)) {
        SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: state.count, to: &$0)
        $0.append(state.span.bytes)
      }
      writer.frame(FrameHeader(kind: .hash, scope: scope, revision: 1)) { $0.unsigned(1) }
      receive(&writer, &replica)
    }
    let connection = replica.connection
    guard case .stale = connection else {
      Issue.record("the client should have given up, and is \(connection)")
      return
    }
  }

  @Test(arguments: [0, 2, .max] as [UInt64])
  func aVersionThatTheClientDoesNotSpeakIsRefused(version: UInt64) {
    var replica = ReplicaCore(
      schema: Schema(state: AppFeature.State.self, action: AppFeature.Action.self), random: SplitMix(seed: 1))
    replica.start()
    replica.connected(at: .zero)
    var writer = FrameWriter()
    writer.frame(
      Welcome(
        version: version, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20,
        hub: ""))
    receive(&writer, &replica)
    guard case .refused(let reason) = replica.connection else {
      Issue.record("the client should have refused the hub, and is \(replica.connection)")
      return
    }
    #expect(reason.hasPrefix("this hub chose version \(version) of the protocol, and this client speaks 1 to 1"))
  }

  @Test func anAnswerForAnActionThatWasNotSentEndsTheConnection() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    var replica = ReplicaCore(schema: schema, random: SplitMix(seed: 1))
    replica.start()
    replica.connected(at: .zero)
    var writer = FrameWriter()
    writer.welcome(schema)
    receive(&writer, &replica)
    _ = try replica.send(AppFeature.Action.counter(.incrementButtonTapped))
    replica.endTurn(at: .zero)
    writer.frame(FrameHeader(kind: .applied, revision: 1)) { $0.unsigned(1) }
    receive(&writer, &replica)
    #expect(replica.connection == .live && replica.pendingActionCount == 0)
    writer.frame(FrameHeader(kind: .applied, revision: 1)) { $0.unsigned(2) }
    receive(&writer, &replica)
    guard case .stale(_, _, let reason) = replica.connection else {
      Issue.record("the client should have given up, and is \(replica.connection)")
      return
    }
    #expect(reason == "the hub answered action 2, and only 1 were sent")
  }

  private func receive(
    _ writer: inout FrameWriter, _ replica: inout ReplicaCore
  ) {
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    replica.clear()
    writer.removeAll()
  }
}

extension FrameWriter {
  /// Writes the welcome of a hub with a schema.
  mutating func welcome(_ schema: Schema) {
    frame(
      Welcome(
        version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20, hub: "",
        schema: schema.fingerprint))
  }
}
