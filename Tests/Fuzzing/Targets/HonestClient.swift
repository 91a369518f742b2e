import HubCore
import IdentifiedCollections
import ReplicaCore
import TestSupport
import Wire

/// A client of ours on a hub, without a socket between them. It follows the whole state and parts of it.
final class HonestClient {
  private var replica: ReplicaCore<Specimen, SpecimenAction>
  private let parts: Mirror<IdentifiedArrayOf<Part>>
  private let part: Mirror<Part>
  private let branches: Mirror<IdentifiedArrayOf<Branch>>
  private let attendees: Mirror<HubState>

  init() {
    replica = ReplicaCore(random: SplitMix(seed: 1))
    let whole = StatePath<Specimen, Specimen>()
    (parts, part) = (replica.follow(whole.parts), replica.follow(whole.parts[id: "a"]))
    (branches, attendees) = (replica.follow(whole.root.branches), replica.followHub(StatePath<HubState, HubState>()))
    replica.start()
    replica.clear()
  }

  /// Asks whether all that it has is what the hub has, and all that it wished has happened.
  func check(against hub: Specimen, attendeeCount: Int) throws {
    try promise(replica.connection == .live, "one who keeps to the protocol is not live: \(replica.connection)")
    try promise(replica.unansweredCount == 0, "\(replica.unansweredCount) actions have no answer")
    try same(replica.state, hub)
    try same(parts.part, hub.parts)
    try same(part.part, hub.parts[id: "a"])
    try same(branches.part, hub.root?.branches)
    try promise(attendees.part?.attendees.count == attendeeCount, "the hub counts others than are there")
  }

  private func same<Value: WireValue>(_ mine: Value?, _ theirs: Value?) throws {
    let (mine, theirs) = (mine?.encoded(), theirs?.encoded())
    try promise(
      mine == theirs, "\(Value.self) is \(mine?.hexadecimal ?? "nil") and not \(theirs?.hexadecimal ?? "nil")")
  }

  func send(_ action: SpecimenAction) { _ = try? replica.send(action) }

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
