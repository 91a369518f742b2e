import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The outcome of each kind of frame in each phase of a client.
@Suite struct PhaseTests {
  /// The effect of a frame, as seen by the shell.
  enum Outcome: Equatable {
    /// No visible effect: the frame is ignored or only recorded.
    case silent
    /// The session is open.
    case opens
    /// The client closes the connection and reconnects later.
    case goesDown
    /// The value of a mirror changes.
    case changes
    /// The value of a mirror differs from the hub's.
    case diverges
    /// A pending action has taken effect.
    case applies
    /// A pending action has failed.
    case fails
    /// None of these.
    case other
  }

  /// The kinds with an effect, by phase. All others must be silent.
  private static let table: [ReplicaPhase: [Outcome: [FrameKind]]] = [
    .idle: [.silent: hubKinds + clientKinds],
    .down: [.silent: hubKinds + clientKinds],
    .connecting: [.silent: hubKinds + clientKinds],
    .stopped: [.silent: hubKinds + clientKinds],
    .greeting: [
      .opens: [.welcome], .goesDown: [.error, .goodbye],
      .silent: [
        .snapshot, .delta, .absent, .detached, .hash, .applied, .rejected, .released, .pong, .schema, .bookmark,
        .standing,
      ]
        + clientKinds,
    ],
    // For a resumed session, outcomes follow immediately after the welcome. What was applied is reported with the parts.
    .comparing: [
      .opens: [.schema], .goesDown: [.error, .goodbye], .fails: [.rejected],
      .silent: [
        .snapshot, .delta, .absent, .detached, .hash, .applied, .released, .pong, .welcome, .bookmark, .standing,
      ]
        + clientKinds,
    ],
    .open: [
      // A hub that has not attached a part says *detached* unasked.
      .changes: [.snapshot, .delta, .absent, .detached], .diverges: [.hash], .applies: [.applied], .fails: [.rejected],
      .goesDown: [.error, .goodbye],
      .silent: [.bookmark, .released, .pong, .welcome, .schema, .standing] + clientKinds,
    ],
  ]

  /// The kinds whose payload the client decodes, by phase; a malformed one ends the connection.
  private static let read: [ReplicaPhase: [FrameKind]] = [
    .idle: [], .down: [], .connecting: [], .stopped: [],
    .greeting: [.welcome, .error, .goodbye],
    .comparing: [.schema, .applied, .rejected, .released, .standing, .error, .goodbye],
    .open: [
      .snapshot, .delta, .absent, .detached, .hash, .applied, .rejected, .released, .standing, .pong, .error, .goodbye,
    ],
  ]

  private static let hubKinds: [FrameKind] = [
    .welcome, .snapshot, .delta, .applied, .rejected, .error, .goodbye, .pong, .absent, .detached, .hash, .schema,
    .bookmark, .released, .standing,
  ]
  private static let clientKinds: [FrameKind] = [
    .hello, .attach, .actions, .ping, .leave, .detach, .verify, .describe, .cancel, .represent, .transfer,
  ]

  @Test(arguments: ReplicaPhase.allCases, FrameKind.allCases)
  func eachKindHasItsOutcomeInEachPhase(phase: ReplicaPhase, kind: FrameKind) throws {
    let expected = Self.table[phase]?.filter { $0.value.contains(kind) }.map(\.key) ?? []
    try #require(expected.count == 1, "\(phase) × \(kind) must be listed once")
    var conversation = try Conversation(in: phase)
    #expect(conversation.receive(kind, Conversation.payload(kind)) == expected[0])
  }

  @Test(arguments: ReplicaPhase.allCases, FrameKind.allCases)
  func aMalformedPayloadEndsTheConnectionIfItIsRead(phase: ReplicaPhase, kind: FrameKind) throws {
    let read = try #require(Self.read[phase], "\(phase) must be listed")
    var conversation = try Conversation(in: phase)
    let outcome = conversation.receive(kind, [0xff])
    if read.contains(kind) {
      #expect(outcome == .goesDown)
    } else {
      #expect(outcome == .silent)
    }
  }

  @Test(arguments: ReplicaPhase.allCases)
  func aKindOfALaterVersionIsIgnored(phase: ReplicaPhase) throws {
    var conversation = try Conversation(in: phase)
    for number in UInt8.min ... .max where FrameKind(rawValue: number) == nil {
      var header = FrameHeader(kind: .pong)
      header.kind = number
      #expect(conversation.receive(header, [0xff]) == .silent)
    }
  }
}

/// A replica in one phase, with one subscription and, if a session is open, one sent action.
private struct Conversation: ~Copyable {
  private var replica: ReplicaCore
  private let mirror = TypedMirror<Int>()
  private static let schema = Schema(state: Board.State.self, action: Board.Action.self)

  init(in phase: ReplicaPhase) throws {
    replica = ReplicaCore(schema: Self.schema, random: SplitMix(seed: 1))
    replica.subscribe(mirror, to: [1])
    try enter(phase)
    let reached = replica.phase
    try #require(reached == phase)
    replica.clear()
  }

  private mutating func enter(_ phase: ReplicaPhase) throws {
    if phase == .idle { return }
    replica.start()
    switch phase {
    case .idle, .connecting: break
    case .down: replica.disconnected(reason: "refused", at: .zero)
    case .stopped: replica.close()
    case .greeting: replica.connected(at: .zero)
    case .comparing:
      try open()
      replica.disconnected(reason: "cut", at: .zero)
      replica.expire(at: .seconds(60))
      replica.connected(at: .zero)
      var welcome = Self.welcome(SchemaFingerprint(ofBytes: [1]))
      (welcome.isResumed, welcome.processed) = (true, 1)
      _ = receive(FrameHeader(kind: .welcome), welcome.encoded())
    case .open:
      try open()
    }
  }

  private mutating func open() throws {
    replica.connected(at: .zero)
    _ = receive(.welcome, Self.payload(.welcome))
    _ = receive(FrameHeader(kind: .snapshot, flags: 1, revision: 3), Self.snapshot(of: 7))
    try replica.send(Board.Action.setCount(8))
    replica.endTurn(at: .zero)
  }

  private static func welcome(_ fingerprint: SchemaFingerprint) -> Welcome {
    Welcome(
      version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20,
      hub: "hub",
      schema: fingerprint)
  }

  private static func snapshot(of count: UInt64) -> [UInt8] {
    var encoder = CBOREncoder()
    SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: 1, to: &encoder)
    encoder.unsigned(count)
    return encoder.bytes
  }

  /// Returns a valid payload of a kind that fits the conversation.
  static func payload(_ kind: FrameKind) -> [UInt8] {
    switch kind {
    case .hello: Hello().encoded()
    case .attach: Attach().encoded()
    case .actions: [1, 0]
    case .ping: Ping(number: 1).encoded()
    case .cancel: UInt64(1).encoded()
    case .represent: Represent(user: 1).encoded()
    case .transfer: Transfer(to: "").encoded()
    case .leave, .detach, .verify, .describe, .absent, .detached, .bookmark: []
    case .welcome: welcome(schema.fingerprint).encoded()
    case .snapshot: snapshot(of: 8)
    case .delta: [0x82, 3, 8]
    case .applied, .released: UInt64(1).encoded()
    case .rejected: Rejected(sequence: 1, code: .unknownAction, reason: "unknown").encoded()
    case .error: PeerError(.malformed, "malformed").encoded()
    case .goodbye: Goodbye(.shuttingDown, "the hub stops").encoded()
    case .pong: Pong(number: 0).encoded()
    case .standing: HubStanding(staleMilliseconds: nil).encoded()
    case .hash: StateHash(value: 1).encoded()
    case .schema: schema.encoded()
    }
  }

  mutating func receive(_ kind: FrameKind, _ payload: [UInt8]) -> PhaseTests.Outcome {
    receive(FrameHeader(kind: kind, flags: kind == .snapshot ? 1 : 0, revision: 4), payload)
  }

  mutating func receive(_ header: FrameHeader, _ payload: [UInt8]) -> PhaseTests.Outcome {
    let before = replica.phase
    var writer = FrameWriter()
    writer.frame(header) { $0.append(payload.span.bytes) }
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    defer { replica.clear() }
    switch (before, replica.phase) {
    case (_, .open) where before != .open: return .opens
    case (_, .down) where before != .down: return .goesDown
    case (let before, let after) where before != after: return .other
    default: break
    }
    for command in replica.commands {
      switch command {
      case .diverged: return .diverges
      case .changed: return .changes
      case .applied: return .applies
      case .failed: return .fails
      case .connect, .disconnect, .write, .store, .connectionChanged: return .other
      }
    }
    return .silent
  }
}
