import HubCore
import IdentifiedCollections
internal import RandomNumbers
import ReplicaCore
import TurnLog
import Wire

/// Counts a hub's operations for one action on a long list, from the incoming frame to the outgoing bytes.
///
/// Operations are counted, not time: an action on a list of 20,000 must not need more of them than one on a list of
/// 500.
package struct WorkProbe {
  /// The operations on the list.
  package enum Operation: String, CaseIterable, Sendable {
    /// A change outside the list.
    case count
    /// A change of an element's field.
    case rename, toggle
    /// Inserting, removing or moving an element.
    case insert, remove, move
    /// A reducer builds the same list again. This is too much work, and the probe must detect it.
    case remake
  }

  /// The cost of an action.
  package struct Cost: Equatable, Sendable {
    /// Comparisons, hashes, encodings and decodings of elements' ids and fields.
    package var operations = 0
    /// Bytes that the hub wrote for all clients and for the log.
    package var bytes = 0
    /// Commands to the shell.
    package var commands = 0

    /// Returns true if this cost, for a long list, exceeds the limit derived from a short one.
    package func exceeds(_ short: Cost) -> Bool {
      operations > 2 * short.operations + 64 || bytes > 2 * short.bytes + 64 || commands > short.commands
    }
  }

  /// The mean cost of an operation at several positions in a list.
  package static func cost(of operation: Operation, itemCount: Int, repetitions: Int = 20) -> Cost {
    var probe = WorkHub(itemCount: itemCount)
    var chance = SplitMix(seed: 7)
    var sum = Cost()
    for index in -2..<repetitions {
      let cost = probe.cost(of: action(operation, itemCount, index, &chance))
      // The first ones still allocate memory and build trees.
      guard index >= 0 else { continue }
      sum.operations += cost.operations
      sum.bytes += cost.bytes
      sum.commands += cost.commands
    }
    return Cost(
      operations: sum.operations / repetitions, bytes: sum.bytes / repetitions, commands: sum.commands / repetitions)
  }

  private static func action(
    _ operation: Operation, _ count: Int, _ index: Int, _ chance: inout SplitMix
  ) -> WorkFeature.Action {
    // Positions that exist in all sizes, and ids of one length, so that the bytes can be compared.
    let id = CountedID(number: chance.number(256...count - 40))
    switch operation {
    case .count: return .count
    case .rename: return .rename(id, "renamed \(10 + index)")
    case .toggle: return .toggle(id)
    case .insert: return .insert(CountedID(number: 100_000 + index), at: chance.number(256...count - 40))
    case .remove: return .remove(id)
    case .move: return .move(from: chance.number(256...count - 40), to: chance.number(256...count - 40))
    case .remake: return .remake
    }
  }
}

/// A hub with a log in sync mode and two clients, subscribed to the whole state and to one element.
private struct WorkHub: ~Copyable {
  private var hub: HubCore
  private let log: SimulatedLog
  private let counter = WorkCounter()
  private var connections: [ConnectionID] = []
  private var sequence: UInt64 = 0

  init(itemCount: Int) {
    let engine = FeatureEngine(initialState: WorkFeature.State(itemCount: itemCount), reducer: WorkFeature())
    var limits = HubLimits()
    limits.hashInterval = .max
    hub = HubCore(
      engine, limits: limits, history: Recovery(of: engine).history(id: 1, sessions: []), random: SplitMix(seed: 1))
    let (schema, truth) = (Schema(state: WorkFeature.State.self, action: WorkFeature.Action.self), HubTruth())
    log = SimulatedLog(SimulatedDisk(truth, bug: nil), schema, truth)
    let item = StatePath<WorkFeature.State, WorkFeature.State>().items[id: CountedID(number: 300)].steps
    for path in [[], item] {
      let id = hub.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
      connections.append(id)
      var writer = FrameWriter()
      writer.frame(Hello(name: "probe"))
      writer.frame(Attach(path: path))
      receive(writer.bytes, on: id)
    }
    // Until the snapshots have been sent.
    for _ in 0..<200 { _ = turn() }
  }

  mutating func cost(of action: WorkFeature.Action) -> WorkProbe.Cost {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .actions)) {
      $0.unsigned(sequence + 1)
      $0.unsigned(sequence)
      action.encode(to: &$0)
    }
    sequence += 1
    counter.count = 0
    receive(writer.bytes, on: connections[0])
    var cost = WorkProbe.Cost()
    for _ in 0..<3 {
      let (bytes, commands) = turn()
      cost.bytes += bytes
      cost.commands += commands
    }
    cost.operations = counter.count
    return cost
  }

  private mutating func receive(_ bytes: [UInt8], on id: ConnectionID) {
    WorkCounter.$current.withValue(counter) {
      let span = bytes.span.bytes
      hub.received(span, on: id, at: .zero)
    }
  }

  /// Ends and stores a turn.
  private mutating func turn() -> (bytes: Int, commands: Int) {
    var (bytes, commands) = (0, 0)
    WorkCounter.$current.withValue(counter) {
      hub.endTurn(at: .zero, flushing: true)
      bytes = hub.outputByteCount + hub.turnsToStore.reduce(0) { $0 + $1.byteCount }
      commands = hub.commandCount
      log.append(hub.turnsToStore)
      hub.clear()
      log.commit(.max)
      for event in log.takeEvents() {
        if case .stored(let position) = event { hub.stored(upTo: position, at: .zero) }
      }
    }
    return (bytes, commands)
  }
}
