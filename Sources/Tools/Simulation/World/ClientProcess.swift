import HubCore
internal import RandomNumbers
import ReplicaCore
import Wire

/// A client's process: the core and a virtual shell, which does the same as `StoreClient` with a socket.
final class ClientProcess {
  /// A mirror that the oracle checks.
  struct Watched {
    let mirror: any Mirror
    var part: SimulatedPart
    let isUntyped: Bool
    var path: [PathStep] { part.path }
    let bytes: () -> [UInt8]?
    /// The last checked revision, and the hub that had it.
    var revision: UInt64?
    var hub: HubProcess?
  }

  /// An action without an outcome.
  struct Sent {
    /// The kinds of actions.
    enum Kind {
      /// One that every hub has and the client may send.
      case change
      /// The same, which the hub refuses if the state after it cannot be read back.
      case awkward
      /// One that hubs of the older version do not have.
      case label
      /// One that no hub has.
      case unknown
      /// One that the client may not send.
      case forbidden
    }

    let tag: UInt64
    let kind: Kind
    let time: Duration
  }

  /// A number that is unique among the processes of a simulation.
  let number: UInt32
  let program: SimulatedProgram
  /// True if it takes the schema from the hub.
  let isTool: Bool
  let name: String
  var replica: ReplicaCore
  var link: Link?
  /// The time at which the attempt to connect succeeds or fails; nil if there is none.
  var connectsAt: Duration?
  var isAlive = true
  /// The time at which it resumes reading.
  var stuckUntil = Duration.zero
  var sentCount: UInt32 = 0
  var waiting: [ActionTicket: Sent] = [:]
  var watched: [Watched] = []
  var views: [WatchedView] = []
  /// The truth of the hub of which the prediction's settled state is; nil if it may be of an earlier hub.
  private(set) weak var settledTruth: HubTruth?
  /// True if its state was the hub's at the end of its last turn.
  var hasHubsState = false
  /// The predicted state that it shows, if it subscribes to the whole state.
  var prediction: SimulatedPrediction?
  /// True if no hub can tell the outcome of the actions that it has sent: its session is gone, or it is over itself.
  var hasLostSession: Bool {
    switch replica.connection {
    case .closed, .refused: true
    case .connecting, .live, .stale: link.map { $0.tap.session != nil && !$0.tap.isResumed } ?? false
    }
  }
  /// The actions that it predicts, in order.
  var predicted: [(ticket: ActionTicket, bytes: [UInt8])] = []
  /// The mirror of the hub's own state; nil if it is not subscribed to that.
  var attendees: TypedMirror<HubState>?
  /// The user that the kernel reports to hubs.
  let user: UInt32
  /// The file of its outbox; nil if it has none.
  var outbox: SimulatedOutbox?
  /// The actions whose outcomes were reported since the outbox was stored last. Another process reports them again.
  var unstoredOutcomes: [ActionTicket: Sent] = [:]
  /// What a shell with a planted bug has not stored yet.
  var lateOutbox: SimulatedOutbox?
  /// True if its process ends after the command that it executes.
  var hasCrashed = false
  /// The session that a hub has opened or resumed for it last; nil if it has none to resume.
  var openedSession: SessionID?
  /// The *cancel* frames that it has written, for a planted bug.
  var cancelled: Set<[UInt8]> = []
  /// The number of the last hub that has opened or resumed its session.
  var sessionHub: UInt64?

  init(
    _ number: UInt32, _ program: SimulatedProgram, isTool: Bool, user: UInt32, options: ReplicaOptions, seed: UInt64
  ) {
    (self.number, self.program, self.isTool, name) = (number, program, isTool, options.name)
    self.user = user
    replica = ReplicaCore(schema: isTool ? nil : program.schema, options: options, random: SplitMix(seed: seed))
    replica.onSettled = { [weak self] in self?.settled() }
  }

  /// Replaces the core by that of another process.
  func restartReplica(seed: UInt64) {
    let options = replica.options
    replica = ReplicaCore(schema: isTool ? nil : program.schema, options: options, random: SplitMix(seed: seed))
    replica.onSettled = { [weak self] in self?.settled() }
  }

  private func settled() {
    prediction?.settle()
    settledTruth = hasHubsState ? link?.hub.truth : nil
  }

  /// Predicts an action of the feature.
  func predict(_ bytes: [UInt8], _ ticket: ActionTicket) {
    guard prediction?.sent(bytes, ticket) == true else { return }
    if predicted.isEmpty { settledTruth = hasHubsState ? link?.hub.truth : nil }
    predicted.append((ticket, bytes))
  }

  func subscribe(_ part: SimulatedPart, untyped: Bool) {
    let (mirror, bytes) = untyped ? SimulatedPart.untyped() : part.makeMirror()
    replica.subscribe(mirror, to: part.path)
    if watched.isEmpty {
      prediction = part.path.isEmpty && !untyped ? program.predict(mirror) : nil
      predicted = []
    }
    watched.append(Watched(mirror: mirror, part: part, isUntyped: untyped, bytes: bytes))
  }

  /// Subscribes to the attendees.
  func subscribeToHub() {
    let mirror = TypedMirror<HubState>()
    replica.subscribe(mirror, to: [], of: .hub)
    attendees = mirror
  }

  /// The identity that the kernel reports to hubs.
  var peer: Peer { Peer(process: Int32(number), user: user, group: user) }

  /// The program that defines its actions and states; nil for a tool that has not connected to a hub yet.
  var spoken: SimulatedProgram? {
    guard isTool else { return program }
    guard let schema = replica.schema else { return nil }
    return schema == SimulatedProgram.newer.schema ? .newer : .older
  }
}
