internal import IdentifiedCollections
package import Wire

/// The hub's metrics, as a source to publish.
final class MetricsSource: StateSource {
  private var metrics = HubMetrics()
  private(set) var revision: UInt64
  /// The number of events that they include.
  fileprivate var eventCount: UInt64 = 0
  /// The time at which to publish them again; nil if nothing has changed. Without the exclusivity check: each turn reads
  /// it, and only the core uses it.
  @exclusivity(unchecked) fileprivate(set) var due: Duration?

  init(revision: UInt64) { self.revision = revision }

  func currentVersion() -> StateVersion { TypedVersion(metrics) }

  /// Replaces the metrics.
  func update(_ metrics: HubMetrics) {
    guard metrics != self.metrics else { return }
    self.metrics = metrics
    revision += 1
  }
}

/// The event counters of the hub.
struct Counters {
  var reads: UInt64 = 0
  var accepted: UInt64 = 0
  var refused: UInt64 = 0
  var failed: UInt64 = 0
  var rejected: UInt64 = 0
  var opened: UInt64 = 0
  var resumed: UInt64 = 0
  var ended: UInt64 = 0
  /// The changes of the hub's part in its cluster.
  var clusterChanges: UInt64 = 0
  /// Counted in each turn, so not in an array, whose memory might be shared.
  var turnTimes = InlineArray<14, UInt64>(repeating: 0)
  var longestTurn: UInt64 = 0
  var storeTimes = [UInt64](repeating: 0, count: HubMetrics.bucketCount)

  /// Counts a report.
  mutating func note(_ report: HubReport) {
    switch report {
    case .opened: opened += 1
    case .resumed: resumed += 1
    case .failed(_, _, let error): if error.code == .notPermitted { refused += 1 } else { failed += 1 }
    case .rejected: rejected += 1
    case .detached, .left: ended += 1
    case .stateTooLarge, .stateExceedsLimit, .unreadable, .refused, .interrupted, .skipped, .effectLost, .slowView,
      .scopeRefused:
      break
    }
  }

  init() {
    precondition(turnTimes.count == HubMetrics.bucketCount, "a count for each bucket")
  }

  /// Returns the histogram bucket of a number of units: less than 1, 2, 4, ….
  static func bucket(_ units: UInt64) -> Int {
    min(UInt64.bitWidth - units.leadingZeroBitCount, HubMetrics.bucketCount - 1)
  }
}

extension HubCore {
  /// The hub's current metrics.
  package var metrics: HubMetrics {
    var metrics = HubMetrics()
    metrics.revision = engine.revision
    (metrics.reads, metrics.accepted) = (counters.reads, counters.accepted)
    (metrics.refused, metrics.failed, metrics.rejected) = (counters.refused, counters.failed, counters.rejected)
    (metrics.opened, metrics.resumed) = (counters.opened, counters.resumed)
    metrics.connections = UInt64(ownConnectionCount)
    metrics.detachedSessions = UInt64(detached.count)
    metrics.heldBytes = UInt64(max(heldBytes, 0))
    metrics.stateBytes = UInt64(size.estimate)
    metrics.keptVersions = UInt64(keptVersionCount + extraStateCount)
    metrics.unstoredTurns = UInt64(unstoredTurnCount)
    metrics.subscriptions = UInt64(subscriptionCount)
    metrics.turnTimes = counters.turnTimes.indices.map { counters.turnTimes[$0] }
    metrics.storeTimes = counters.storeTimes
    metrics.longestTurn = counters.longestTurn
    metrics.views = viewFigures
    metrics.durability = turns?.durability.rawValue ?? "memory"
    metrics.cluster = clusterStatus?()
    return metrics
  }

  /// The time at which to call `endTurn` to publish the metrics again; nil if nothing has changed.
  package var metricsDue: Duration? { metricsSource.due }

  /// Records a connection whose peer had disconnected before the hub served it.
  package mutating func noteUnserved() {
    counters.accepted += 1
    counters.ended += 1
  }

  /// Records the duration of a turn.
  package mutating func noteTurn(milliseconds: UInt64) { counters.turnTimes[Counters.bucket(milliseconds)] += 1 }

  /// Records the more exact duration of a turn of a millisecond or more.
  package mutating func noteLongTurn(microseconds: UInt64) {
    counters.longestTurn = max(counters.longestTurn, microseconds)
  }

  /// Records how long turns have waited for the log.
  package mutating func noteStored(microseconds: UInt64) {
    counters.storeTimes[Counters.bucket(microseconds / 64)] += 1
  }

  /// Records that the hub's part in its cluster has changed: all clients learn whether the state is stale, and the
  /// metrics are published, at the end of this turn.
  ///
  /// - Parameters:
  ///   - time: The time for which the state may have been stale; nil if it is that of the cluster's log.
  ///   - now: A monotonic time.
  package mutating func noteClusterChange(staleFor time: Duration?, at now: Duration) {
    counters.clusterChanges += 1
    metricsSource.due = now
    guard staleSince != nil || time != nil else { return }
    staleSince = time.map { now - $0 }
    for connection in connections.live where !connection.isRemote {
      connection.replies.standing = standing(at: now)
      outputs.wake(connection)
    }
  }

  /// Whether the state may be stale, for a client.
  func standing(at now: Duration) -> HubStanding {
    HubStanding(staleMilliseconds: staleSince.map { UInt64(max((now - $0) / .milliseconds(1), 0)) })
  }

  /// Publishes the metrics, if they have subscribers, one second after an event.
  ///
  /// Without events nothing is scheduled, so that an idle hub with subscribers to its metrics sleeps.
  mutating func updateMetrics(at now: Duration) {
    guard publishers[StateRoot.metrics.index].publishedRevision != nil else { return metricsSource.due = nil }
    let events = eventCount
    guard events != metricsSource.eventCount else { return }
    guard let due = metricsSource.due else { return metricsSource.due = now + .seconds(1) }
    guard now >= due else { return }
    metricsSource.due = nil
    publishMetrics()
  }

  /// Publishes the current metrics.
  mutating func publishMetrics() {
    metricsSource.eventCount = eventCount
    var metrics = metrics
    metrics.places = subscribedPlaces
    metrics.senders = senders
    metricsSource.update(metrics)
  }

  /// The clients that have sent actions.
  ///
  /// - Complexity: O(connections); O(n log n) for more than `senderLimit` senders.
  private var senders: IdentifiedArrayOf<ActionSender> {
    var found: [ActionSender] = []
    for index in connections.indices {
      guard case .live(let connection) = connections[index], connection.actionCount > 0 else { continue }
      found.append(
        ActionSender(id: connection.attendee, user: connection.peer.user, actions: connection.actionCount))
    }
    if found.count > HubMetrics.senderLimit {
      found.sort { ($1.actions, $0.id) < ($0.actions, $1.id) }
      found.removeSubrange(HubMetrics.senderLimit...)
    }
    return IdentifiedArray(uniqueElements: found.sorted { $0.id < $1.id })
  }

  private var eventCount: UInt64 {
    counters.reads + counters.accepted + counters.ended + counters.clusterChanges + engine.revision
  }

  /// The places with the most subscribers.
  ///
  /// - Complexity: O(`examinedPlaceLimit`) for each state, however many scopes are attached.
  private var subscribedPlaces: [SubscribedPlace] {
    var counts: [(publisher: Int, node: Int, count: Int)] = []
    for index in publishers.indices {
      for (node, count) in publishers[index].scopes.subscriberCounts(amongFirst: HubMetrics.examinedPlaceLimit) {
        counts.append((index, node, count))
      }
    }
    counts.sort { ($1.count, $0.publisher, $0.node) < ($0.count, $1.publisher, $1.node) }
    return counts.prefix(HubMetrics.placeLimit).map { place in
      let (root, path) = (publishers[place.publisher].root, publishers[place.publisher].path(of: place.node))
      return SubscribedPlace(
        root: root.rawValue, path: displayName(of: path, of: root), subscribers: UInt64(place.count))
    }
  }
}
