import HubCore
import ReplicaCore
import TestSupport
import Wire

/// A step of a client or of its environment. Clients are numbered from 0 to 3.
enum HubStep: UInt8, CaseIterable {
  /// The client connects, unless it is connected.
  case connect
  /// The client sends *hello* with another client's session and an acknowledged sequence number.
  case hello
  /// The client sends a frame: kind, scope, and a payload after its length.
  case frame
  /// The client sends bytes, after their length.
  case bytes
  /// The client attaches a scope to one of `Specimen.paths`, with the revision that it claims to have, 0 for none. The
  /// scope's highest bit selects the hub's own state, the next one `Specimen.windows` in place of the paths, and the one
  /// after that the views with `Specimen.placesInViews`.
  case attach
  /// The client sends an action, after its length, with the next sequence number or one at an offset.
  case action
  /// The turn ends.
  case turn
  /// The client's connection ends.
  case end
  /// The client's socket is full, or has room again.
  case block
  /// A number of seconds pass.
  case time
  /// The hub itself or the honest client changes the state, as a bit selects.
  case change
  /// The client closes its direction of the stream.
  case endInput
}

/// A hub, the clients of a program, and one that obeys the protocol.
final class HubPlay {
  private let engine = FeatureEngine(initialState: Specimen(), reducer: SpecimenFeature(), views: Specimen.views)
  private var core: HubCore
  private let honest = HonestClient()
  private let honestID: ConnectionID
  private var clients: [Client?] = [nil, nil, nil, nil]
  private var now = Duration.seconds(100)

  private struct Client {
    let id: ConnectionID
    var session: SessionID?
    var processed: UInt64 = 0
    var isBlocked = false
    var isGreeted = false
    var decoder = FrameDecoder(payloadLimit: 1 << 26)
  }

  /// Small limits, which a short program can reach.
  private static var limits: HubLimits {
    var limits = HubLimits()
    (limits.connections, limits.payloadBytes, limits.detachedSessions, limits.rejections) = (4, 4096, 3, 4)
    // The client that obeys the protocol has 12 scopes, four of them of views.
    (limits.scopes, limits.versions, limits.bookmarkInterval, limits.hashInterval) = (12, 3, 2, 3)
    limits.views = 5
    limits.windowElements = 16
    (limits.deltaBytes, limits.snapshotBytesPerTurn, limits.snapshotPieces) = (2048, 512, 1)
    return limits
  }

  init() throws {
    core = HubCore(engine, limits: Self.limits, name: "hub", random: SplitMix(seed: 7))
    honestID = core.connected(Peer(process: 1, user: 1, group: 1), at: now)
    honest.connect(at: now)
    try turn()
  }

  func step(_ input: inout FuzzInput) throws {
    let step = HubStep.allCases[input.below(HubStep.allCases.count)]
    switch step {
    case .turn: try turn()
    case .time:
      now += .seconds(input.below(64))
      core.expire(at: now)
    case .change:
      let seed = input.byte()
      seed & 1 == 0 ? engine.send(.replace(.sample(seed))) : honest.send(.replace(.sample(seed)))
    case .connect, .hello, .frame, .bytes, .attach, .action, .end, .block, .endInput: act(step, input.below(4), &input)
    }
  }

  private func act(_ step: HubStep, _ number: Int, _ input: inout FuzzInput) {
    if step == .connect, clients[number] == nil {
      clients[number] = Client(id: core.connected(Peer(process: 2, user: 2, group: 2), at: now))
    }
    switch step {
    case .hello:
      let session = clients[input.below(4)]?.session
      send(Hello(session: session, acknowledged: UInt64(input.byte()), name: "fuzz"), from: number)
    case .frame:
      let (kind, scope, payload) = (input.byte(), UInt16(input.byte()), input.data())
      var header = FrameHeader(kind: .hello, scope: scope)
      header.kind = kind
      send(header, payload, from: number)
    case .bytes: send(input.data(), from: number)
    case .attach:
      let scope = UInt16(input.byte())
      let isOfView = scope & 0x20 != 0
      let paths = isOfView ? Specimen.placesInViews : scope & 0x40 == 0 ? Specimen.paths : Specimen.windows
      let (path, known) = (paths[input.below(paths.count)], input.byte())
      let root = isOfView ? StateRoot.views : scope & 0x80 == 0 ? .feature : .hub
      let wish = Attach(root: root, path: path, knownRevision: known == 0 ? nil : UInt64(known - 1))
      send(wish, scope: scope, from: number)
    case .action:
      let (skew, action) = (UInt64(input.byte()), input.data())
      let next = (clients[number]?.processed ?? 0) + 1 + skew
      send(FrameHeader(kind: .actions), next.encoded() + (next - 1).encoded() + action, from: number)
    case .end: end(number)
    case .endInput: if let client = clients[number] { core.inputEnded(client.id, at: now) }
    case .block: block(number)
    case .connect, .turn, .time, .change: break
    }
  }

  private func end(_ number: Int) {
    guard let client = clients[number] else { return }
    clients[number] = nil
    core.ended(client.id)
  }

  private func block(_ number: Int) {
    guard let client = clients[number] else { return }
    clients[number]?.isBlocked.toggle()
    if client.isBlocked { core.drained(client.id, at: now) } else { core.noteBusy(client.id) }
  }

  // MARK: Bytes

  private func send(_ message: some Message, scope: UInt16 = 0, from number: Int) {
    send(FrameHeader(kind: type(of: message).kind, scope: scope), message.encoded(), from: number)
  }

  private func send(_ header: FrameHeader, _ payload: [UInt8], from number: Int) {
    var writer = FrameWriter()
    writer.frame(header) { $0.append(payload.span.bytes) }
    send(writer.bytes, from: number)
  }

  private func send(_ bytes: [UInt8], from number: Int) {
    guard let client = clients[number] else { return }
    // A small limit, so that frames have to wait.
    core.received(bytes.span.bytes, on: client.id, at: now, limit: 2)
  }

  /// Ends the turn and executes the hub's commands; returns false if there were none.
  @discardableResult
  private func turn() throws -> Bool {
    honest.turn(at: now) { core.received($0.span.bytes, on: honestID, at: now) }
    if core.hasBacklog { core.workOnBacklog(limit: 3, at: now) }
    core.endTurn(at: now, flushing: true)
    let commands = core.commands
    for command in commands {
      switch command {
      case .write(let id, let run):
        let bytes = core.ranges[run].flatMap { core.output.bytes[$0] }
        try id == honestID ? honest.received(bytes, at: now) : read(bytes, for: id)
      case .close(let id), .abort(let id):
        try promise(id != honestID, "the hub has closed the connection of one who keeps to the protocol")
        clients.firstIndex { $0?.id == id }.map(end)
      case .report, .effect, .resumeReading, .store, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    core.clear()
    try promise(core.keptVersionCount <= Self.limits.versions, "more versions are kept than may be")
    try promise(core.detachedSessionCount <= Self.limits.detachedSessions, "more sessions are kept than may be")
    return !commands.isEmpty
  }

  /// Reads the frames that a client has received.
  private func read(_ bytes: [UInt8], for id: ConnectionID) throws {
    guard let number = clients.firstIndex(where: { $0?.id == id }), var client = clients[number] else { return }
    try client.decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
      switch FrameKind(rawValue: header.kind) {
      case .welcome:
        let welcome = try Welcome(decoding: payload)
        (client.session, client.processed, client.isGreeted) = (welcome.session, welcome.processed, true)
      case .applied: client.processed = try UInt64(decoding: payload)
      case .snapshot: _ = try SnapshotPiece(CBORDecoder(payload))
      case .rejected: _ = try Rejected(decoding: payload)
      case .error: _ = try PeerError(decoding: payload)
      case .pong: _ = try Pong(decoding: payload)
      case .hash: _ = try StateHash(decoding: payload)
      case .schema: _ = try Schema(decoding: payload)
      case .released: _ = try UInt64(decoding: payload)
      case .delta, .bookmark, .absent, .detached: break
      default: throw WireError(.unknownCase(UInt64(header.kind), type: "frame of a hub"), at: 0)
      }
    }
    try promise(!client.decoder.isInsideFrame, "the hub has written a part of a frame")
    clients[number] = client
  }

  /// Runs turns until nothing changes, and checks the honest client.
  func finish() throws {
    // More than enough for a snapshot of everything.
    for _ in 0..<1000 {
      let isBusy = try turn()
      if !isBusy, !core.needsAnotherTurn { break }
    }
    let attendeeCount = clients.count { $0?.isGreeted ?? false } + 1
    try honest.check(against: engine.state, attendeeCount: attendeeCount)
  }
}
