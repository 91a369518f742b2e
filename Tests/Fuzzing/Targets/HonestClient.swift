import HubCore
import IdentifiedCollections
import ReplicaCore
import TestSupport
import Wire

/// A client that obeys the protocol, connected to a hub without a socket. It subscribes to the whole state, parts and views.
final class HonestClient {
  private var replica: ReplicaCore
  private let whole: TypedMirror<Specimen>
  private let untyped = ValueMirror()
  private let parts: TypedMirror<IdentifiedArrayOf<Part>>
  private let part: TypedMirror<Part>
  private let branches: TypedMirror<IdentifiedArrayOf<Branch>>
  private let attendees: TypedMirror<HubState>
  private let window: TypedMirror<Window<IdentifiedArrayOf<Part>>>
  private let lastNumbers: TypedMirror<Window<[Int]>>
  private let total = TypedMirror<Int>()
  private let even = TypedMirror<IdentifiedArrayOf<Part>>()
  private let byCount = TypedMirror<Window<IdentifiedArrayOf<Part>>>()
  private let longer = TypedMirror<IdentifiedArrayOf<Part>>()

  init() {
    let schema = Schema(state: Specimen.self, action: SpecimenAction.self)
    replica = ReplicaCore(schema: schema, random: SplitMix(seed: 1))
    let path = StatePath<Specimen, Specimen>()
    whole = replica.subscribe(to: path)
    replica.subscribe(untyped, to: path.steps)
    (parts, part) = (replica.subscribe(to: path.parts), replica.subscribe(to: path.parts[id: "a"]))
    branches = replica.subscribe(to: path.root.branches)
    attendees = replica.subscribeToHub(StatePath<HubState, HubState>())
    (window, lastNumbers) = (
      replica.subscribe(to: path.parts[window: 1..<4]), replica.subscribe(to: path.numbers[last: 2])
    )
    typealias Parts = IdentifiedArrayOf<Part>
    subscribe(total, to: ViewName<Int>("total"))
    subscribe(even, to: ViewName<Parts>("even"))
    subscribe(byCount, to: ViewName<Parts>("byCount"), at: StatePath<Parts, Parts>()[window: 0..<2].steps)
    subscribe(longer, to: ViewName<Parts>("longer", 1))
    replica.start()
    replica.clear()
  }

  private func subscribe<Value: Replicated>(
    _ mirror: any Mirror, to view: ViewName<Value>, at path: [PathStep] = []
  ) {
    replica.subscribe(
      mirror, to: view.reference, at: path, schema: Schema(state: Value.self, action: Never.self))
  }

  /// Checks that it has the hub's state, and that all its actions have taken effect.
  func check(against hub: Specimen, attendeeCount: Int) throws {
    try promise(replica.connection == .live, "one who keeps to the protocol is not live: \(replica.connection)")
    try promise(replica.pendingActionCount == 0, "\(replica.pendingActionCount) actions are pending")
    try same(whole.part, hub)
    try promise(untyped.value?.encoded() == hub.encoded(), "the untyped mirror has another state")
    try same(parts.part, hub.parts)
    try same(part.part, hub.parts[id: "a"])
    try same(branches.part, hub.root?.branches)
    try same(window.part, Window(of: hub.parts, from: 1, count: 3))
    try same(lastNumbers.part, Window(of: hub.numbers, from: -2, count: 2))
    try same(total.part, Specimen.total(hub.numbers))
    try same(even.part, hub.parts.filter(\.isEven))
    let sorted = hub.parts.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }
    try same(byCount.part, Window(of: IdentifiedArray(uniqueElements: sorted.map(\.element)), from: 0, count: 2))
    try same(longer.part, hub.parts.filter { $0.id.utf8.count > 1 })
    try promise(attendees.part?.attendees.count == attendeeCount, "the hub counts others than are there")
  }

  private func same<Value: WireValue>(_ mine: Value?, _ theirs: Value?) throws {
    let (mine, theirs) = (mine?.encoded(), theirs?.encoded())
    try promise(
      mine == theirs, "\(Value.self) is \(mine?.hexadecimal ?? "nil") and not \(theirs?.hexadecimal ?? "nil")")
  }

  func send(_ action: SpecimenAction) { _ = try? replica.send(action) }

  func connect(at now: Duration) { replica.connected(at: now) }

  /// Handles bytes from the hub.
  func received(_ bytes: [UInt8], at now: Duration) throws {
    replica.received(bytes.span.bytes, at: now)
    let commands = replica.commands
    for command in commands {
      switch command {
      case .disconnect: throw BrokenPromise("one who keeps to the protocol gives up: \(replica.connection)")
      case .diverged(_, let divergence): throw BrokenPromise("\(divergence)")
      default: break
      }
    }
  }

  /// Ends a turn, and sends the replica's output.
  func turn(at now: Duration, _ send: ([UInt8]) -> Void) {
    replica.endTurn(at: now)
    let commands = replica.commands
    for case .write(let range) in commands { send(Array(replica.output.bytes[range])) }
    replica.clear()
  }
}
