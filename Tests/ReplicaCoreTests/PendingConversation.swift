import ComposableArchitecture
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// A client without subscriptions, and the commands to its shell.
struct PendingConversation: ~Copyable {
  var replica: ReplicaCore
  private(set) var applied: [ActionTicket] = []
  private(set) var failed: [ActionTicket] = []
  private(set) var errors: [ActionError] = []
  private(set) var contexts: [AnyObject] = []
  /// The numbers of the actions whose effects the client has cancelled.
  private(set) var cancelled: [UInt64] = []
  /// The kinds of the frames that the client has written in its turns.
  private(set) var kinds: [FrameKind] = []
  /// The number of its last ping.
  private(set) var lastPing: UInt64 = 0
  private let schema: Schema

  struct Frame {
    let first: UInt64
    let actions: [Board.Action]
    /// The revision that the client had seen, if it says so.
    let seen: UInt64?
    let mayCancel: Bool
  }

  /// - Parameters:
  ///   - isPresented: True for a state that is presented.
  ///   - pendingActions: The maximum number of pending actions.
  init(isPresented: Bool = false, pendingActions: Int = 65_536) {
    schema =
      isPresented
      ? Schema(state: PresentationState<Board.State>.self, action: Board.Action.self)
      : Schema(state: Board.State.self, action: Board.Action.self)
    replica = ReplicaCore(
      schema: schema, options: ReplicaOptions(pendingActions: pendingActions), random: SplitMix(seed: 1))
    replica.start()
  }

  /// Connects, resuming the session if there was one.
  mutating func welcome(
    payloadLimit: UInt64 = 1 << 20, processed: UInt64 = 0, history: UInt64? = nil, cancelsEffects: Bool = false
  ) {
    replica.connected(at: .zero)
    let welcome = Welcome(
      version: 1, session: SessionID(high: 1, low: 1), isResumed: processed > 0, processed: processed,
      payloadLimit: payloadLimit, hub: "", schema: schema.fingerprint, history: history,
      cancelsEffects: cancelsEffects)
    receive(.welcome, welcome.encoded())
  }

  /// Loses the connection and opens another one, to a hub that takes *cancel*.
  mutating func reconnect(processed: UInt64, payloadLimit: UInt64 = 1 << 20) throws {
    replica.disconnected(reason: "cut", at: .zero)
    let retry = replica.deadline
    replica.expire(at: try #require(retry))
    welcome(payloadLimit: payloadLimit, processed: processed, cancelsEffects: true)
  }

  mutating func receive(_ kind: FrameKind, _ payload: [UInt8], revision: UInt64 = 0) {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: kind, revision: revision)) { $0.append(payload.span.bytes) }
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    perform()
  }

  /// Ends the turn, and returns the frames of actions that it has written.
  mutating func endTurn() throws -> [Frame] {
    replica.endTurn(at: .zero)
    var frames: [Frame] = []
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    let commands = replica.commands
    for case .write(let range) in commands {
      let bytes = Array(replica.output.bytes[range])
      try decoder.feed(bytes.span.bytes) { (header, payload) throws(WireError) in
        let kind = FrameKind(rawValue: header.kind)
        if let kind { kinds.append(kind) }
        if kind == .cancel { cancelled.append(try UInt64(decoding: payload)) }
        if kind == .ping { lastPing = try Ping(decoding: payload).number }
        guard header.kind == FrameKind.actions.rawValue else { return }
        var payload = CBORDecoder(payload)
        let first = try payload.unsigned()
        _ = try payload.unsigned()
        var actions: [Board.Action] = []
        while !payload.isAtEnd { actions.append(try Board.Action(from: &payload)) }
        frames.append(
          Frame(first: first, actions: actions, seen: header.seenRevision, mayCancel: header.mayCancel))
      }
    }
    perform()
    return frames
  }

  mutating func close() {
    replica.close()
    perform()
  }

  private mutating func perform() {
    let commands = replica.commands
    for command in commands {
      switch command {
      case .applied(let ticket, let context):
        applied.append(ticket)
        if let context { contexts.append(context) }
      case .failed(let ticket, _, let error):
        failed.append(ticket)
        errors.append(error)
      case .connect, .disconnect, .write, .store, .changed, .diverged, .connectionChanged: break
      }
    }
    replica.clear()
  }
}
