import HubCore
import IdentifiedCollections
import ReplicaCore
import TestSupport
import Wire

/// A step of the hub, the client or its environment.
enum ReplicaStep: UInt8, CaseIterable {
  /// The connection is open.
  case connect
  /// The hub sends a frame: kind, flags, scope, revision, and a payload after its length.
  case frame
  /// The hub sends *welcome* (bit 0: resumed, bit 1: another schema) with a processed sequence number.
  case welcome
  /// The hub sends a piece of a snapshot: scope, flags, revision, bytes after their length; flag bit 7 changes its
  /// offset.
  case snapshot
  /// The connection ends.
  case disconnect
  /// The client sends an action of a sample.
  case action
  /// The turn ends.
  case turn
  /// A number of seconds pass.
  case time
  /// The client subscribes to another place.
  case subscribe
  /// The client ends a subscription, or requests a hash.
  case unsubscribe
  /// The hub sends bytes, after their length.
  case bytes
}

/// A client, and a hub that may violate the protocol.
final class ReplicaPlay {
  private var replica: ReplicaCore
  private let whole: TypedMirror<Specimen>
  private let untyped = ValueMirror()
  private var mirrors: [any Mirror] = []
  private var sent = 0
  private var now = Duration.seconds(100)
  private var written = FrameDecoder(payloadLimit: 1 << 24)
  private let fingerprint = Schema(state: Specimen.self, action: SpecimenAction.self).fingerprint

  init() {
    var options = ReplicaOptions()
    (options.stateBytes, options.pendingActions) = (4096, 8)
    options.probeInterval = .seconds(20)
    let schema = Schema(state: Specimen.self, action: SpecimenAction.self)
    replica = ReplicaCore(schema: schema, options: options, random: SplitMix(seed: 1))
    whole = replica.subscribe(to: StatePath<Specimen, Specimen>())
    replica.start()
  }

  func step(_ input: inout FuzzInput) throws {
    switch ReplicaStep.allCases[input.below(ReplicaStep.allCases.count)] {
    case .connect:
      written = FrameDecoder(payloadLimit: 1 << 24)
      sent = 0
      replica.connected(at: now)
    case .frame:
      var header = FrameHeader(kind: .pong, revision: 0)
      (header.kind, header.flags, header.scope) = (input.byte(), input.byte(), UInt16(input.byte()))
      header.revision = UInt64(input.byte())
      let payload = input.data()
      receive(header) { $0.append(payload.span.bytes) }
    case .welcome: welcome(flags: input.byte(), processed: UInt64(input.byte()))
    case .snapshot: snapshot(scope: UInt16(input.byte()), flags: input.byte(), UInt64(input.byte()), input.data())
    case .disconnect: replica.disconnected(reason: "it was cut", at: now)
    case .action: _ = try? replica.send(SpecimenAction.setParts(Specimen.sample(input.byte()).parts))
    case .turn: replica.endTurn(at: now)
    case .time:
      now += .seconds(input.below(64))
      replica.expire(at: now)
    case .subscribe: subscribe(input.byte())
    case .unsubscribe:
      guard let mirror = mirrors.last else { break }
      replica.verify(mirror)
      if input.byte() & 1 == 1 {
        replica.unsubscribe(mirror)
        mirrors.removeLast()
      }
    case .bytes: receive(input.data())
    }
    try readWritten()
  }

  private func subscribe(_ choice: UInt8) {
    guard mirrors.count < 8 else { return }
    let path = StatePath<Specimen, Specimen>()
    switch choice % 4 {
    case 0: mirrors.append(replica.subscribe(to: path.parts))
    case 1: mirrors.append(replica.subscribe(to: path.parts[id: "a"]))
    case 2: mirrors.append(replica.subscribe(to: path.root.branches))
    default: mirrors.append(replica.subscribeToHub(StatePath<HubState, HubState>()))
    }
    if choice & 0x20 != 0, mirrors.count < 8 {
      mirrors.append(replica.subscribe(to: path.parts[window: 0..<Int(choice & 0x0f) + 1]))
      if choice & 0x10 != 0, let window = mirrors.last { replica.move(window, to: path.parts[last: 2].steps) }
    }
    guard choice & 0x80 != 0, mirrors.count < 8 else { return }
    let untyped = ValueMirror()
    replica.subscribe(untyped, to: choice & 0x40 == 0 ? path.parts.steps : [])
    mirrors.append(untyped)
  }

  // MARK: Bytes

  private func welcome(flags: UInt8, processed: UInt64) {
    let other = SchemaFingerprint(ofBytes: [flags])
    let welcome = Welcome(
      version: 1, session: SessionID(high: 1, low: UInt64(flags)), isResumed: flags & 1 == 1, processed: processed,
      payloadLimit: flags & 4 == 0 ? 1 << 20 : UInt64(flags), hub: "fuzz",
      schema: flags & 2 == 2 ? other : fingerprint, windowElements: flags & 8 == 0 ? 10 : 0)
    receive(FrameHeader(kind: .welcome)) { welcome.encode(to: &$0) }
    sent = 0
  }

  private func snapshot(scope: UInt16, flags: UInt8, _ revision: UInt64, _ bytes: [UInt8]) {
    let offset = UInt64(sent) + (flags & 0x80 == 0 ? 0 : 1)
    sent = flags & SnapshotPiece.finalFlag == 0 ? sent + bytes.count : 0
    receive(FrameHeader(kind: .snapshot, flags: flags, scope: scope, revision: revision)) {
      SnapshotPiece.encodeHead(.attached, offset: offset, byteCount: bytes.count, to: &$0)
      $0.append(bytes.span.bytes)
    }
  }

  private func receive(_ header: FrameHeader, _ body: (inout CBOREncoder) -> Void) {
    var writer = FrameWriter()
    writer.frame(header, body: body)
    receive(writer.bytes)
  }

  private func receive(_ bytes: [UInt8]) { replica.received(bytes.span.bytes, at: now) }

  /// Reads the frames that the client has written.
  private func readWritten() throws {
    let commands = replica.commands
    for case .write(let range) in commands {
      let bytes = Array(replica.output.bytes[range])
      try written.feed(bytes.span.bytes) { header, payload throws(WireError) in
        switch FrameKind(rawValue: header.kind) {
        case .hello: _ = try Hello(decoding: payload)
        case .attach: _ = try Attach(decoding: payload)
        case .ping: _ = try Ping(decoding: payload)
        case .cancel: _ = try UInt64(decoding: payload)
        case .actions, .leave, .detach, .verify, .describe: break
        default: throw WireError(.unknownCase(UInt64(header.kind), type: "frame of a client"), at: 0)
        }
      }
      try promise(!written.isInsideFrame, "the client has written a part of a frame")
    }
    replica.clear()
    if let violation = whole.part?.parts.checkInvariants() { throw BrokenPromise(violation) }
  }

  /// Checks that a hub that obeys the protocol corrects the client's state.
  func finish() throws {
    replica.disconnected(reason: "it was cut", at: now)
    now += .seconds(60)
    replica.expire(at: now)
    if case .refused = replica.connection { return }
    replica.connected(at: now)
    replica.subscribe(untyped, to: [])
    let engine = FeatureEngine(initialState: Specimen.sample(9), reducer: SpecimenFeature())
    var hub = HubCore(engine, name: "hub", random: SplitMix(seed: 7))
    let id = hub.connected(Peer(process: 1, user: 1, group: 1), at: now)
    for _ in 0..<20 {
      replica.endTurn(at: now)
      let wishes = replica.commands
      for case .write(let range) in wishes {
        let bytes = Array(replica.output.bytes[range])
        hub.received(bytes.span.bytes, on: id, at: now)
      }
      replica.clear()
      hub.endTurn(at: now, flushing: true)
      let commands = hub.commands
      for case .write(_, let run) in commands {
        let bytes = hub.ranges[run].flatMap { hub.output.bytes[$0] }
        replica.received(bytes.span.bytes, at: now)
      }
      hub.clear()
    }
    try promise(replica.connection == .live, "a good hub does not help: \(replica.connection)")
    try promise(whole.part?.encoded() == engine.state.encoded(), "a good hub's state is not taken")
    try promise(untyped.value?.encoded() == engine.state.encoded(), "the untyped mirror has another state")
  }
}
