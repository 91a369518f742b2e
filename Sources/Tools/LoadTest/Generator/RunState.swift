internal import Synchronization

/// The shared state of a run's threads: the phase, and their measurements.
final class RunState: Sendable {
  /// The task of the threads.
  enum Phase: Int, Sendable {
    /// Open the connections.
    case opening
    /// Send actions.
    case sending
    /// Send only what was due before the end, and wait for pending acknowledgements.
    case draining
    /// Compare the subscribers' states with the hub's.
    case verifying
    /// Leave the sessions.
    case ending
    /// End immediately.
    case aborting
  }

  private let phaseNumber = Atomic<Int>(0)
  private let startTime = Atomic<UInt64>(0)
  private let measureTime = Atomic<UInt64>(.max)
  private let endTime = Atomic<UInt64>(.max)
  private let lastRevision = Atomic<UInt64>(0)
  let reports: [ThreadReport]

  init(threads: Int) {
    reports = (0..<threads).map { _ in ThreadReport() }
  }

  var phase: Phase {
    get { Phase(rawValue: phaseNumber.load(ordering: .acquiring)) ?? .aborting }
    set { phaseNumber.store(newValue.rawValue, ordering: .releasing) }
  }
  /// The time at which sending starts.
  var start: UInt64 { startTime.load(ordering: .acquiring) }
  /// The time at which the measurement starts.
  var measureStart: UInt64 { measureTime.load(ordering: .acquiring) }
  /// The time from which no action is due, and none is sent in a closed loop.
  var end: UInt64 { endTime.load(ordering: .acquiring) }

  /// The revision that subscribers without a copy of their part must reach; zero if it is not known.
  var finalRevision: UInt64 {
    get { lastRevision.load(ordering: .acquiring) }
    set { lastRevision.store(newValue, ordering: .releasing) }
  }

  /// Starts to send.
  func begin(at start: UInt64, measuringFrom measure: UInt64, until end: UInt64) {
    startTime.store(start, ordering: .releasing)
    measureTime.store(measure, ordering: .releasing)
    endTime.store(end, ordering: .releasing)
    phase = .sending
  }

  /// Ends the sending of new actions; those that were due before are still sent.
  func stop(at time: UInt64) {
    endTime.store(min(end, time), ordering: .releasing)
    phase = .draining
  }
}

/// The measurements of one thread, which the main thread collects periodically.
final class ThreadReport: Sendable {
  let figures = Mutex(ThreadFigures())
}

/// A thread's measurements since the main thread last collected them; the numbers at the end are totals.
struct ThreadFigures: Sendable {
  /// The times from the intended moment of sending (in a closed loop the actual one) to the acknowledgement.
  var latencies = LatencyHistogram()
  /// The times from the intended moment of sending to the actual one.
  var lateness = LatencyHistogram()
  /// The times from connecting to the welcome.
  var connects = LatencyHistogram()
  /// The revisions that sampled subscribers received, with times.
  var arrivals: [Arrival] = []
  /// The acknowledged actions, with revisions.
  var acknowledged: [Acknowledged] = []

  var totals = Totals()
  /// The time of the acknowledgement of the last measured action.
  var lastAnswer: UInt64 = 0
  /// The highest revision of an acknowledgement.
  var lastRevision: UInt64 = 0
  /// The number of connections and subscribers that are ready.
  var ready = 0
  /// The phase in which the measurements were published.
  var phase = RunState.Phase.opening
  /// True if nothing is due or unacknowledged, and if all subscribers have compared their states.
  var (isDrained, isVerified) = (false, false)
  /// True if no action is left.
  var isDone = false
  var failure: LoadError?
  /// The number of acknowledged actions of each connection.
  var answeredBy: [Int: Int] = [:]
  /// The numbers of the rejected ones, and the reason of the first.
  var refusedBy: [Int: Set<Int>] = [:]
  var refusal: String?

  /// Totals since the start of the run.
  struct Totals: Sendable {
    /// The numbers of measured, sent, acknowledged and rejected actions.
    var (measured, sent, answered, refused) = (0, 0, 0, 0)
    /// The numbers of frames that subscribers received.
    var (deltas, snapshots, bookmarks, absences) = (0, 0, 0, 0)
    /// The numbers of bytes of all connections.
    var (sentBytes, receivedBytes) = (0, 0)
    /// The numbers of replaced and resumed sessions, of connections that the hub closed, and of compared hashes.
    var (replaced, resumed, lost, hashes) = (0, 0, 0, 0)
    /// The numbers of subscribers that keep their part of the state, and of others that lack the final revision.
    var (mirrors, behind) = (0, 0)

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
      left.lost += right.lost
      left.hashes += right.hashes
      left.mirrors += right.mirrors
      left.behind += right.behind
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
    /// The number of actions that it represents.
    var count: Int
    /// The scope that the actions changed; nil for all.
    var scope: Int?
  }

  /// Moves the measurements to those that the main thread collects, and copies the totals.
  mutating func publish(into shared: inout ThreadFigures) {
    take(into: &shared)
    (shared.totals, shared.ready) = (totals, ready)
    (shared.lastAnswer, shared.lastRevision) = (lastAnswer, lastRevision)
    (shared.isDrained, shared.isVerified, shared.isDone) = (isDrained, isVerified, isDone)
    shared.phase = phase
    (shared.failure, shared.answeredBy) = (failure, answeredBy)
    (shared.refusal, shared.refusedBy) = (refusal, refusedBy)
  }

  /// Moves the measurements to others.
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
