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
  private let began = ContinuousClock.now

  init<State, Action>(_ engine: FeatureEngine<State, Action>) {
    var limits = HubLimits()
    limits.hashInterval = .max
    core = HubCore(engine, limits: limits)
    sender = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    say(Hello(), from: sender)
  }

  func follow(_ path: [PathStep], in root: StateRoot = .feature) {
    let id = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    say(Hello(), from: id)
    say(Attach(root: root, path: path), from: id)
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
    for case .write(_, let run) in core.commands {
      for piece in core.ranges[run] { written += piece.count }
    }
    core.clear()
  }

  var hasMoreToWrite: Bool { core.needsAnotherTurn }
}
