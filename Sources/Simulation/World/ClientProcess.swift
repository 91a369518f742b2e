import ReplicaCore
import Wire

/// A client's process: the core and the virtual shell around it, which does what `StoreClient` does with a socket.
final class ClientProcess {
  /// A mirror under the eyes of the oracle.
  struct Watched {
    let mirror: any Mirror
    let part: SimulatedPart
    let isUntyped: Bool
    var path: [PathStep] { part.path }
    let bytes: () -> [UInt8]?
    /// The revision that was checked last, and the hub that had it.
    var revision: UInt64?
    var hub: HubProcess?
  }

  /// An action that has no outcome yet.
  struct Sent {
    let tag: UInt64
    /// Whether the feature has such an action.
    let isKnown: Bool
  }

  /// Differs for each process of a simulation.
  let number: UInt32
  let program: SimulatedProgram
  /// Whether it takes the schema from the hub.
  let isTool: Bool
  let name: String
  var replica: ReplicaCore
  var link: Link?
  /// When the attempt to connect succeeds or fails; nil if there is none.
  var connectsAt: Duration?
  var isAlive = true
  /// When it reads again.
  var stuckUntil = Duration.zero
  var sentCount: UInt32 = 0
  var waiting: [ActionTicket: Sent] = [:]
  var watched: [Watched] = []
  /// What it shows, if it subscribes to the whole state.
  var prediction: SimulatedPrediction?
  /// The hub's own state; nil if it is not subscribed to.
  var attendees: TypedMirror<HubState>?
  /// Whether a hub has opened a session for it.
  var hasOpenedSession = false

  init(
    _ number: UInt32, _ program: SimulatedProgram, isTool: Bool, options: ReplicaOptions, seed: UInt64
  ) {
    (self.number, self.program, self.isTool, name) = (number, program, isTool, options.name)
    replica = ReplicaCore(schema: isTool ? nil : program.schema, options: options, random: Chance(seed: seed))
  }

  func subscribe(_ part: SimulatedPart, untyped: Bool) {
    let (mirror, bytes) = untyped ? SimulatedPart.untyped() : part.makeMirror()
    replica.subscribe(mirror, to: part.path)
    if watched.isEmpty { prediction = part.path.isEmpty && !untyped ? program.predict(mirror) : nil }
    watched.append(Watched(mirror: mirror, part: part, isUntyped: untyped, bytes: bytes))
  }

  /// Subscribes to who is attached.
  func subscribeToHub() {
    let mirror = TypedMirror<HubState>()
    replica.subscribe(mirror, to: [], of: .hub)
    attendees = mirror
  }

  /// The program whose actions it sends and whose states it has; nil for a tool that has met no hub.
  var spoken: SimulatedProgram? {
    guard isTool else { return program }
    guard let schema = replica.schema else { return nil }
    return schema == SimulatedProgram.newer.schema ? .newer : .older
  }
}
