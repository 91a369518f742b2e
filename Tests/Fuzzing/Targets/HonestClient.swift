import HubCore
import ReplicaCore
import TestSupport
import Wire

/// A client of ours on a hub, without a socket between them.
final class HonestClient {
  private var replica: ReplicaCore<Specimen, SpecimenAction>

  init() {
    replica = ReplicaCore(random: SplitMix(seed: 1))
    replica.start()
    replica.clear()
  }

  var state: Specimen? { replica.state }
  var revision: UInt64 { replica.revision }
  var connection: ConnectionState { replica.connection }
  var isLive: Bool { replica.connection == .live }

  func connect(at now: Duration) { replica.connected(at: now) }

  /// Takes what the hub has written.
  func received(_ bytes: [UInt8], at now: Duration) throws {
    replica.received(bytes.span.bytes, at: now)
    try promise(
      !replica.commands.contains(.disconnect), "one who keeps to the protocol gives up: \(replica.connection)")
    for case .diverged(_, let divergence) in replica.commands { throw BrokenPromise("\(divergence)") }
  }

  /// Hands over what the replica has to write.
  func turn(at now: Duration, _ send: ([UInt8]) -> Void) {
    replica.endTurn(at: now)
    let commands = replica.commands
    for case .write(let range) in commands { send(Array(replica.output.bytes[range])) }
    replica.clear()
  }
}
