import TestFeatures
import TestSupport
import Wire

@testable import HubCore

/// A hub of a board, with clients that send and receive frames.
final class BoardHub {
  struct Frame {
    let kind: FrameKind?
    let flags: UInt8
    let scope: UInt16
    let revision: UInt64
    let payload: [UInt8]

    var errorCode: PeerErrorCode {
      get throws { try PeerError(decoding: payload.span.bytes).code }
    }

    /// The text in an *absent*.
    var refusal: String {
      get throws { try String(decoding: payload.span.bytes) }
    }

    /// The code in a *detached*; nil if its payload is empty.
    var refusalCode: PeerErrorCode? {
      get throws { payload.isEmpty ? nil : PeerErrorCode(rawValue: try UInt64(decoding: payload.span.bytes)) }
    }

    /// The bytes of a snapshot's piece.
    var piece: [UInt8] {
      get throws {
        let piece = try SnapshotPiece(CBORDecoder(payload.span.bytes))
        return [UInt8](piece.bytes)
      }
    }
  }

  let engine: FeatureEngine<Board.State, Board.Action>
  var core: HubCore
  /// The plan of the next turns.
  var plan = TurnPlan()
  var state: Board.State { engine.state }
  var limits: HubLimits { core.limits }
  var deadline: Duration? { core.deadline }
  var publicationDue: Duration? { core.publicationDue }
  var keptVersionCount: Int { core.keptVersionCount }
  var hasMoreToWrite: Bool { core.needsAnotherTurn }
  private var decoders: [ConnectionID: FrameDecoder] = [:]
  private var frames: [ConnectionID: [Frame]] = [:]
  private var sequences: [ConnectionID: UInt64] = [:]
  private(set) var ended: Set<ConnectionID> = []
  private(set) var reports: [HubReport] = []

  init(_ state: Board.State = Board.State(), limits: HubLimits = HubLimits()) {
    engine = FeatureEngine(initialState: state, reducer: Board())
    core = HubCore(engine, limits: limits, name: "hub", random: SplitMix(seed: 7))
  }

  /// Connects without sending anything.
  func connect(user: UInt32 = 1000) -> ConnectionID {
    let id = core.connected(Peer(process: 41, user: user, group: 1000), at: .zero)
    decoders[id] = FrameDecoder(payloadLimit: 1 << 26)
    return id
  }

  /// Connects and opens a session, or resumes one.
  func open(session: SessionID? = nil, user: UInt32 = 1000) throws -> (ConnectionID, Welcome) {
    let id = connect(user: user)
    send(Hello(session: session, name: "test"), on: id)
    let welcome = turn(id)[0].payload
    return (id, try Welcome(decoding: welcome.span.bytes))
  }

  func send(_ message: some Message, scope: UInt16 = 0, on id: ConnectionID) {
    frame(FrameHeader(kind: type(of: message).kind, scope: scope), on: id) { message.encode(to: &$0) }
  }

  func frame(_ header: FrameHeader, on id: ConnectionID, _ body: (inout CBOREncoder) -> Void = { _ in }) {
    var writer = FrameWriter()
    writer.frame(header, body: body)
    let bytes = writer.bytes
    core.received(bytes.span.bytes, on: id, at: .zero)
  }

  func send(_ action: Board.Action, on id: ConnectionID) { send([action], on: id) }

  /// Sends actions in one frame.
  func send(_ actions: [Board.Action], on id: ConnectionID) {
    let last = sequences[id, default: 0]
    sequences[id] = last + UInt64(actions.count)
    frame(FrameHeader(kind: .actions), on: id) {
      $0.unsigned(last + 1)
      $0.unsigned(last)
      for action in actions { action.encode(to: &$0) }
    }
  }

  /// Makes the socket of a connection full until `unblock`.
  func block(_ id: ConnectionID) { core.noteBusy(id) }

  func unblock(_ id: ConnectionID) { core.drained(id, at: .zero) }

  func disconnect(_ id: ConnectionID) { core.ended(id) }

  /// Ends the turn and returns what a connection received.
  @discardableResult
  func turn(_ id: ConnectionID? = nil, at now: Duration? = nil) -> [Frame] {
    core.endTurn(at: now ?? .zero, plan: plan, flushing: now == nil)
    for command in core.commands {
      switch command {
      case .write(let target, let run):
        for range in core.ranges[run] { deliver(Array(core.output.bytes[range]), to: target) }
      case .close(let target), .abort(let target):
        ended.insert(target)
        core.ended(target)
      case .report(let index): reports.append(core.reports[index])
      case .effect, .resumeReading, .store, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    core.clear()
    return id.map(taken) ?? []
  }

  /// Returns what a connection received since it was last asked.
  func taken(_ id: ConnectionID) -> [Frame] { frames.removeValue(forKey: id) ?? [] }

  private func deliver(_ bytes: [UInt8], to id: ConnectionID) {
    try? decoders[id]?.feed(bytes.span.bytes) { header, payload in
      frames[id, default: []].append(
        Frame(
          kind: FrameKind(rawValue: header.kind), flags: header.flags, scope: header.scope, revision: header.revision,
          payload: payload.withUnsafeBytes { [UInt8]($0) }))
    }
  }
}
