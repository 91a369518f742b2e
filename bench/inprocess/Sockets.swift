import HubCore
import Wire

/// A hub and connections without sockets: what the hub itself costs.
@MainActor
final class Sockets {
  private var core: HubCore
  private var sequence: UInt64 = 0
  private var writer = FrameWriter()
  private let sender: ConnectionID
  private(set) var written = 0
  private var listener: (id: ConnectionID, decoder: FrameDecoder, away: Away)?
  private let began = ContinuousClock.now

  init<State, Action>(_ engine: FeatureEngine<State, Action>) {
    var limits = HubLimits()
    limits.hashInterval = .max
    core = HubCore(engine, limits: limits)
    sender = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    say(Hello(), from: sender)
  }

  func follow(_ path: [PathStep], in root: StateRoot = .feature) { attach(path, in: root, on: connect()) }

  func connect(resuming away: Away? = nil) -> ConnectionID {
    let id = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    say(Hello(session: away?.session, history: away?.history), from: id)
    return id
  }

  func attach(_ path: [PathStep], in root: StateRoot, knowing revision: UInt64? = nil, on id: ConnectionID) {
    say(Attach(root: root, path: path, knownRevision: revision), from: id)
  }

  /// Detaches what a connection follows.
  func detach(_ id: ConnectionID) {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .detach)) { _ in }
    let bytes = writer.bytes
    core.received(bytes.span.bytes, on: id, at: .zero)
  }

  /// What a client knows that has lost its connection.
  struct Away {
    fileprivate(set) var session: SessionID?
    fileprivate(set) var history: UInt64?
    /// The revision of what it has attached; nil if it has no value.
    fileprivate(set) var revision: UInt64?
  }

  /// Reads what a connection is sent from its beginning on, until it ends.
  func listen(to id: ConnectionID) { listener = (id, FrameDecoder(payloadLimit: 1 << 28), Away()) }

  /// Ends the connection that is listened to.
  func leave() -> Away {
    guard let (id, _, away) = listener.take() else { preconditionFailure("no connection is listened to") }
    core.ended(id)
    return away
  }

  private func hear(_ bytes: [UInt8]) {
    guard let heard = listener.take() else { return }
    var (decoder, away) = (heard.decoder, heard.away)
    do throws(WireError) {
      try decoder.feed(bytes.span.bytes) { (header, payload) throws(WireError) in
        switch FrameKind(rawValue: header.kind) {
        case .welcome:
          let welcome = try Welcome(decoding: payload)
          (away.session, away.history) = (welcome.session, welcome.history)
        case .snapshot, .delta: away.revision = header.revision
        default: break
        }
      }
    } catch {
      preconditionFailure("the hub sends frames: \(error)")
    }
    listener = (heard.id, decoder, away)
  }

  private func say(_ message: some Message, from id: ConnectionID) {
    var writer = FrameWriter()
    writer.frame(message)
    let bytes = writer.bytes
    core.received(bytes.span.bytes, on: id, at: .zero)
  }

  /// One turn in which as many actions come.
  func turn(_ count: Int, _ action: some WireValue) {
    writer.removeAll()
    writer.frame(FrameHeader(kind: .actions)) {
      $0.unsigned(sequence + 1)
      $0.unsigned(sequence)
      for _ in 0..<count { action.encode(to: &$0) }
    }
    sequence += UInt64(count)
    let bytes = writer.bytes
    core.received(bytes.span.bytes, on: sender, at: .zero)
    end()
  }

  func end() {
    core.endTurn(at: ContinuousClock.now - began)
    for case .write(let id, let run) in core.commands {
      for piece in core.ranges[run] {
        written += piece.count
        if id == listener?.id { hear(Array(core.output.bytes[piece])) }
      }
    }
    core.clear()
  }

  var hasMoreToWrite: Bool { core.needsAnotherTurn }
}
