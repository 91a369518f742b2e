internal import Synchronization

/// What the threads of a run are told, and what they tell.
final class RunState: Sendable {
  /// What the threads shall do.
  enum Phase: Int, Sendable {
    /// Open the connections.
    case opening
    /// Send.
    case sending
    /// Send nothing new, and wait for what is unanswered.
    case draining
    /// Compare the subscribers' states with the hub's.
    case verifying
    /// Leave.
    case ending
    /// End at once.
    case aborting
  }

  private let phaseNumber = Atomic<Int>(0)
  private let startTime = Atomic<UInt64>(0)
  private let measureTime = Atomic<UInt64>(.max)
  private let endTime = Atomic<UInt64>(.max)
  let reports: [ThreadReport]

  init(threads: Int) {
    reports = (0..<threads).map { _ in ThreadReport() }
  }

  var phase: Phase {
    get { Phase(rawValue: phaseNumber.load(ordering: .acquiring)) ?? .aborting }
    set { phaseNumber.store(newValue.rawValue, ordering: .releasing) }
  }
  /// When sending begins.
  var start: UInt64 { startTime.load(ordering: .acquiring) }
  /// When the measurement begins.
  var measureStart: UInt64 { measureTime.load(ordering: .acquiring) }
  /// When nothing new is sent any more.
  var end: UInt64 { endTime.load(ordering: .acquiring) }

  /// Begins to send.
  func begin(at start: UInt64, measuringFrom measure: UInt64, until end: UInt64) {
    startTime.store(start, ordering: .releasing)
    measureTime.store(measure, ordering: .releasing)
    endTime.store(end, ordering: .releasing)
    phase = .sending
  }
}

/// The figures of one thread, which the main thread takes now and then.
final class ThreadReport: Sendable {
  let figures = Mutex(ThreadFigures())
}

/// What a thread has counted since the main thread took its figures last; the numbers at the end are totals.
struct ThreadFigures: Sendable {
  /// From the intended moment of sending, or in a closed loop the actual one, to the acknowledgement.
  var latencies = LatencyHistogram()
  /// From the intended moment of sending to the actual one.
  var lateness = LatencyHistogram()
  /// From connecting to the welcome.
  var connects = LatencyHistogram()
  /// Revisions that sampled subscribers read, and when.
  var arrivals: [Arrival] = []
  /// Actions that were acknowledged, and with which revision.
  var acknowledged: [Acknowledged] = []

  var totals = Totals()
  /// When the last measured action was acknowledged.
  var lastAnswer: UInt64 = 0
  /// When anything was read last.
  var lastHeard: UInt64 = 0
  /// How many connections and subscribers are ready.
  var ready = 0
  /// The phase in which the figures were published.
  var phase = RunState.Phase.opening
  /// Whether nothing is unanswered, and all subscribers have compared their states.
  var (isDrained, isVerified) = (false, false)
  /// Whether no action is left.
  var isDone = false
  var failure: LoadError?
  /// How many actions each connection has had acknowledged, by its number.
  var answeredBy: [Int: Int] = [:]
  /// Which of them the hub refused, and the first one's reason.
  var refusedBy: [Int: Set<Int>] = [:]
  var refusal: String?

  /// Numbers since the start of the run.
  struct Totals: Sendable {
    /// How many actions were measured, sent, acknowledged and refused.
    var (measured, sent, answered, refused) = (0, 0, 0, 0)
    /// How many frames the subscribers read.
    var (deltas, snapshots, bookmarks, absences) = (0, 0, 0, 0)
    /// The bytes of all connections.
    var (sentBytes, receivedBytes) = (0, 0)
    /// How often sessions were replaced, resumed, and hashes compared.
    var (replaced, resumed, hashes) = (0, 0, 0)
    /// How many subscribers keep their part of the state.
    var mirrors = 0

    static func += (left: inout Totals, right: Totals) {
      left.measured += right.measured
      left.sent += right.sent
      left.answered += right.answered
      left.refused += right.refused
      left.deltas += right.deltas
      left.snapshots += right.snapshots
      left.bookmarks += right.bookmarks
      left.absences += right.absences
      left.sentBytes += right.sentBytes
      left.receivedBytes += right.receivedBytes
      left.replaced += right.replaced
      left.resumed += right.resumed
      left.hashes += right.hashes
      left.mirrors += right.mirrors
    }
  }

  struct Arrival: Sendable {
    var watcher: Int
    var revision: UInt64
    var time: UInt64
  }

  struct Acknowledged: Sendable {
    var time: UInt64
    var revision: UInt64
    var count: Int
    /// The scope that the actions changed; nil for all.
    var scope: Int?
  }

  /// Moves what was counted into those that the main thread takes, and copies the totals there.
  mutating func publish(into shared: inout ThreadFigures) {
    take(into: &shared)
    (shared.totals, shared.ready) = (totals, ready)
    (shared.lastAnswer, shared.lastHeard) = (lastAnswer, lastHeard)
    (shared.isDrained, shared.isVerified, shared.isDone) = (isDrained, isVerified, isDone)
    shared.phase = phase
    (shared.failure, shared.answeredBy) = (failure, answeredBy)
    (shared.refusal, shared.refusedBy) = (refusal, refusedBy)
  }

  /// Moves what was counted to others.
  mutating func take(into total: inout ThreadFigures) {
    total.latencies.merge(latencies)
    total.lateness.merge(lateness)
    total.connects.merge(connects)
    latencies.removeAll()
    lateness.removeAll()
    connects.removeAll()
    total.arrivals += arrivals
    total.acknowledged += acknowledged
    arrivals.removeAll(keepingCapacity: true)
    acknowledged.removeAll(keepingCapacity: true)
  }
}
