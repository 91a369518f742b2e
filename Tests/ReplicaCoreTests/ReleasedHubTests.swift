import Features
import ReplicaCore
import TestSupport
import Testing
import Wire

/// The clients of today with the hubs of earlier releases, as far as these are recorded in `Tests/Golden/releases`.
@Suite struct ReleasedHubTests {
  @Test func thereAreReleases() { #expect(Releases.versions.contains("0.1.0")) }

  @Test(arguments: Releases.versions, ["session", "resume", "scopes", "bookmarks"])
  func aClientOfTheFeatureUnderstandsThem(version: String, name: String) throws {
    try play(name, of: version, compiled: Schema(state: AppFeature.State.self, action: AppFeature.Action.self)) {
      root, path in
      if root == .feature, path.isEmpty { TypedMirror<AppFeature.State>() } else { ValueMirror() }
    }
  }

  @Test(arguments: Releases.versions, ["session", "resume", "scopes", "bookmarks"])
  func aToolUnderstandsThem(version: String, name: String) throws {
    try play(name, of: version, compiled: nil) { _, _ in ValueMirror() }
  }

  private func play(
    _ name: String, of version: String, compiled: Schema?, mirror: @escaping (StateRoot, [PathStep]) -> any Mirror
  ) throws {
    let transcript = try ReleasedTranscript(name, of: version)
    var clients: [String: ReleasedHubClient] = [:]
    for event in transcript.events {
      switch event {
      case .sent(let frame, let connection):
        if frame.header.kind == FrameKind.hello.rawValue {
          let hello = try Hello(decoding: frame.payload.span.bytes)
          let resumed = clients.values.first { $0.session != nil && $0.session == hello.session }
          let client = resumed ?? ReleasedHubClient(transcript.schema, compiled: compiled, mirror: mirror)
          clients[connection] = client
          try client.connect()
        } else {
          try clients[connection]?.repeatRequest(frame)
        }
      case .received(let frame, let connection): try clients[connection]?.receive(frame)
      case .cut(let connection): clients[connection]?.cut()
      }
    }
    let all = clients.values
    #expect(!all.isEmpty)
    for client in all { client.check() }
    // Where the hub told a hash, its client compared it.
    if name != "bookmarks" { #expect(all.contains { $0.comparisons > 0 }) }
  }
}

/// A client of today for the recorded frames of a hub. It requests what the recorded client requested.
private final class ReleasedHubClient {
  private struct Part: Hashable {
    let root: StateRoot
    let path: [PathStep]
  }

  private var replica: ReplicaCore
  private let schema: Schema
  /// True if values have the hub's bytes; the hash of a converted value is another one.
  private let comparesHashes: Bool
  private let newMirror: (StateRoot, [PathStep]) -> any Mirror
  private var mirrors: [Part: any Mirror] = [:]
  /// The scope numbers of the recorded client, and of this one.
  private var (recorded, own): ([UInt16: Part], [Part: UInt16]) = ([:], [:])
  private(set) var session: SessionID?
  private var now = Duration.seconds(1)
  private var decoder = FrameDecoder(payloadLimit: 1 << 24)
  private var sentCount: UInt64 = 0
  private var (applied, failed) = (0, 0)
  private var rejected: Set<UInt64> = []
  private(set) var comparisons = 0
  private var isOver = false

  init(_ schema: Schema, compiled: Schema?, mirror: @escaping (StateRoot, [PathStep]) -> any Mirror) {
    (self.schema, newMirror) = (schema, mirror)
    comparesHashes = compiled.map { $0.fingerprint == schema.fingerprint } ?? true
    replica = ReplicaCore(schema: compiled, random: SplitMix(seed: 1))
    replica.start()
  }

  func connect() throws {
    if let deadline = replica.deadline { now = max(now, deadline) }
    replica.expire(at: now)
    decoder = FrameDecoder(payloadLimit: 1 << 24)
    replica.connected(at: now)
    try turn()
  }

  func cut() {
    replica.disconnected(reason: "cut", at: now)
    replica.clear()
  }

  /// Requests what a frame of the recorded client requests.
  func repeatRequest(_ frame: ReleasedTranscript.Frame) throws {
    let (payload, scope) = (frame.payload, frame.header.scope)
    switch FrameKind(rawValue: frame.header.kind) {
    case .attach:
      let attach = try Attach(decoding: payload.span.bytes)
      let part = Part(root: attach.root, path: attach.path)
      recorded[scope] = part
      // After a reconnection the replica attaches its parts by itself.
      guard mirrors[part] == nil else { break }
      let mirror = newMirror(attach.root, attach.path)
      mirrors[part] = mirror
      replica.subscribe(mirror, to: attach.path, of: attach.root)
    case .actions:
      var decoder = CBORDecoder(payload.span.bytes)
      var sequence = try decoder.unsigned()
      _ = try decoder.unsigned()
      while !decoder.isAtEnd {
        let action = [UInt8](try decoder.nextItem())
        try decoder.skip()
        if sequence > sentCount {
          try replica.send { $0.append(action.span.bytes) }
          sentCount = sequence
        }
        sequence += 1
      }
    case .detach: if let mirror = mirror(scope) { replica.unsubscribe(mirror) }
    case .verify: if let mirror = mirror(scope) { replica.verify(mirror) }
    case .leave: replica.close()
    default: break
    }
    try turn()
  }

  private func mirror(_ scope: UInt16) -> (any Mirror)? { recorded[scope].flatMap { mirrors[$0] } }

  /// Delivers a recorded frame of the hub.
  func receive(_ frame: ReleasedTranscript.Frame) throws {
    let kind = FrameKind(rawValue: frame.header.kind)
    switch kind {
    case .welcome: session = try Welcome(decoding: frame.payload.span.bytes).session
    case .rejected: rejected.insert(try Rejected(decoding: frame.payload.span.bytes).sequence)
    case .goodbye: isOver = true
    default: break
    }
    deliver(frame.bytes(scope: recorded[frame.header.scope].flatMap { own[$0] } ?? frame.header.scope))
    try turn()
    if kind == .hash, let value = mirror(frame.header.scope) as? ValueMirror {
      #expect((value.lastComparison != nil) == comparesHashes)
    }
    if kind == .hash { comparisons += 1 }
    if kind == .goodbye {
      guard case .stale(_, _, let reason) = replica.connection else { return unexpectedConnection(after: kind) }
      #expect(!reason.isEmpty)
    } else if !isOver, replica.connection != .closed, replica.phase != .open {
      unexpectedConnection(after: kind)
    }
  }

  private func unexpectedConnection(after kind: FrameKind?) {
    let connection = replica.connection
    Issue.record("after \(kind.map { "\($0)" } ?? "a frame") of the hub, the client is \(connection)")
  }

  private func deliver(_ bytes: [UInt8]) {
    let time = now
    replica.received(bytes.span.bytes, at: time)
  }

  /// Reads what the replica has written and reported.
  private func turn() throws {
    replica.endTurn(at: now)
    let (commands, output) = (replica.commands, replica.output.bytes)
    replica.clear()
    var describes = false
    for command in commands {
      switch command {
      case .write(let range):
        let bytes = Array(output[range])
        try decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
          switch FrameKind(rawValue: header.kind) {
          case .describe: describes = true
          case .attach:
            let attach = try Attach(decoding: payload)
            own[Part(root: attach.root, path: attach.path)] = header.scope
          default: break
          }
        }
      case .applied: applied += 1
      case .failed(_, _, let error):
        failed += 1
        guard case .rejected = error else {
          Issue.record("an action failed: \(error)")
          continue
        }
      case .diverged(_, let divergence): Issue.record("\(divergence)")
      case .store, .changed, .connect, .disconnect, .connectionChanged: break
      }
    }
    guard describes else { return }
    // The recorded client knew the schema; the hub would have answered with it.
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .schema)) { schema.encode(to: &$0) }
    deliver(writer.bytes)
    try turn()
  }

  /// Every action has the outcome that the hub gave it, and every part the value that the hub sent last.
  func check() {
    #expect(applied == Int(sentCount) - rejected.count && failed == rejected.count)
    let pending = replica.pendingActionCount
    #expect(pending == 0)
    for (part, mirror) in mirrors { #expect(mirror.revision != nil, "\(part.path)") }
  }
}
