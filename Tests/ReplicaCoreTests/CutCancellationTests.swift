import ComposableArchitecture
import HubCore
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// A client and its hub, whose connections are cut at every byte around a cancellation.
@Suite struct CutCancellationTests {
  @Reducer
  struct Feed {
    @Replicated
    struct State: Equatable, Sendable { var count = 0 }

    @Replicated
    enum Action: Sendable { case watch, share }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.count += 1
        let effect = Effect<Action>.run { _ in }
        return action.is(\.share) ? effect.shared(id: "feed") : effect
      }
    }
  }

  /// A connection that ends after a number of bytes in either direction.
  struct Cuts {
    var toHub = Int.max
    var toClient = Int.max
  }

  final class Line {
    var hub: HubCore
    var replica: ReplicaCore
    /// The effects that run in the hub.
    private(set) var running: Set<EffectID> = []
    /// The number of bytes that have arrived in each direction.
    private(set) var arrived = (toHub: 0, toClient: 0)
    private var cuts = Cuts()
    private var connection: ConnectionID?
    private var now = Duration.zero

    init() {
      hub = HubCore(FeatureEngine(initialState: Feed.State(), reducer: Feed()), random: SplitMix(seed: 1))
      let schema = Schema(state: Feed.State.self, action: Feed.Action.self)
      replica = ReplicaCore(schema: schema, random: SplitMix(seed: 2))
      replica.start()
      run()
    }

    /// Runs until both sides have nothing to do. The connection is cut once after some bytes, and opened again.
    func run(_ cuts: Cuts = Cuts()) {
      self.cuts = cuts
      while step() {}
    }

    private func step() -> Bool {
      replica.endTurn(at: now)
      let (commands, output) = (replica.commands, replica.output.bytes)
      replica.clear()
      for command in commands {
        switch command {
        case .connect:
          connection = hub.connected(Peer(process: 1, user: 1, group: 1), at: now)
          replica.connected(at: now)
        case .write(let range): deliver(Array(output[range]), toHub: true)
        case .store, .disconnect, .changed, .diverged, .connectionChanged, .applied, .failed: break
        }
      }
      hub.endTurn(at: now)
      let written = hub.commands.flatMap { command -> [UInt8] in
        guard case .write(let id, let run) = command, id == connection else { return [] }
        return hub.ranges[run].flatMap { hub.output.bytes[$0] }
      }
      for command in hub.effectCommands {
        switch command {
        case .start(let effect, _, _): running.insert(effect)
        case .cancel(let effect): running.remove(effect)
        case .cancelTasks: break
        }
      }
      hub.clear()
      deliver(written, toHub: false)
      if connection == nil, let retry = replica.deadline {
        now = max(now, retry)
        replica.expire(at: now)
      }
      return !commands.isEmpty || !written.isEmpty || !replica.commands.isEmpty
    }

    private func deliver(_ bytes: [UInt8], toHub: Bool) {
      guard let id = connection, !bytes.isEmpty else { return }
      let limit = toHub ? cuts.toHub : cuts.toClient
      let part = Array(bytes.prefix(limit))
      if toHub {
        hub.received(part.span.bytes, on: id, at: now)
        arrived.toHub += part.count
      } else {
        replica.received(part.span.bytes, at: now)
        arrived.toClient += part.count
      }
      if limit > bytes.count {
        if toHub { cuts.toHub -= part.count } else { cuts.toClient -= part.count }
        return
      }
      cuts = Cuts()
      connection = nil
      hub.ended(id)
      replica.disconnected(reason: "cut", at: now)
    }
  }

  /// Starts an effect and cancels it, in one turn or in two, and checks that nothing of it is left.
  private func check(_ action: Feed.Action, atOnce: Bool, _ cuts: [Cuts]) throws -> (toHub: Int, toClient: Int) {
    let line = Line()
    let before = line.arrived
    let ticket = try line.replica.send(action)
    var cuts = cuts[...]
    if !atOnce { line.run(cuts.popFirst() ?? Cuts()) }
    line.replica.cancelEffects(of: ticket)
    line.run(cuts.popFirst() ?? Cuts())
    let end = line.arrived
    let (pending, kept) = (line.replica.pendingActionCount, line.replica.cancellationCount)
    try #require(line.running.isEmpty && pending == 0 && kept == 0 && line.hub.revision == 1, "\(cuts)")
    // A second cancellation, and one more connection, change nothing.
    line.replica.cancelEffects(of: ticket)
    line.run(Cuts(toHub: 1))
    let last = line.replica.cancellationCount
    try #require(line.running.isEmpty && last == 0 && line.hub.revision == 1)
    return (end.toHub - before.toHub, end.toClient - before.toClient)
  }

  @Test(arguments: [true, false]) func aCancellationSurvivesACutAtEachByte(atOnce: Bool) throws {
    for action in [Feed.Action.watch, .share] {
      let count = try check(action, atOnce: atOnce, [])
      for byte in 1...count.toHub {
        _ = try check(action, atOnce: atOnce, [Cuts(toHub: byte), Cuts(toHub: byte)])
        _ = try check(action, atOnce: atOnce, [Cuts(), Cuts(toHub: byte)])
      }
      for byte in 1...count.toClient {
        _ = try check(action, atOnce: atOnce, [Cuts(toClient: byte), Cuts(toClient: byte)])
        _ = try check(action, atOnce: atOnce, [Cuts(), Cuts(toClient: byte)])
      }
    }
  }
}
