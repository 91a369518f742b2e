/// Measures the time until subscribers see an action, from the revisions of acknowledged actions and of received
/// frames.
///
/// A subscriber sees an action with its first frame whose revision is at least that of the acknowledgement.
struct Freshness {
  private(set) var histogram = LatencyHistogram()
  private var pending: [ThreadFigures.Acknowledged] = []
  /// The frames of each sampled subscriber, in ascending order of revision.
  private var read: [[(revision: UInt64, time: UInt64)]]
  private let scopes: [Int?]
  /// For each pending action, a bit for each sampled subscriber that has seen it.
  private var seen: [UInt64] = []
  private static let pendingLimit = 20_000
  private static let readLimit = 100_000

  /// - Parameter scopes: The scope of each sampled subscriber.
  init(scopes: [Int?]) {
    self.scopes = scopes
    read = Array(repeating: [], count: scopes.count)
  }

  /// Adds the measurements of a thread.
  mutating func take(_ figures: inout ThreadFigures) {
    for arrival in figures.arrivals where arrival.watcher < read.count {
      read[arrival.watcher].append((arrival.revision, arrival.time))
    }
    pending += figures.acknowledged
    seen += Array(repeating: 0, count: figures.acknowledged.count)
    figures.arrivals.removeAll()
    figures.acknowledged.removeAll()
    join()
  }

  /// The number of pairs of an action and a subscriber that was sent no frame with the action's revision or a later one.
  var unseen: Int {
    zip(pending, seen).reduce(0) { sum, entry in
      let (action, seen) = entry
      return sum + action.count * read.indices.count { seen & (1 << UInt64($0)) == 0 && concerns(action, $0) }
    }
  }

  private func concerns(_ action: ThreadFigures.Acknowledged, _ watcher: Int) -> Bool {
    action.scope == nil || scopes[watcher] == nil || scopes[watcher] == action.scope
  }

  private mutating func join() {
    var (kept, keptSeen): ([ThreadFigures.Acknowledged], [UInt64]) = ([], [])
    for (index, action) in pending.enumerated() {
      var seen = self.seen[index]
      var isWhole = true
      for watcher in read.indices where seen & (1 << UInt64(watcher)) == 0 {
        guard concerns(action, watcher) else { continue }
        guard let time = Self.first(in: read[watcher], from: action.revision) else {
          isWhole = false
          continue
        }
        histogram.add(time > action.time ? time - action.time : 0, times: UInt64(action.count))
        seen |= 1 << UInt64(watcher)
      }
      if !isWhole {
        kept.append(action)
        keptSeen.append(seen)
      }
    }
    if kept.count > Self.pendingLimit {
      // Every other one stands for two. Without the oldest ones a stall of the subscribers would be missing.
      kept = stride(from: 0, to: kept.count, by: 2).map { kept[$0] }
      keptSeen = stride(from: 0, to: keptSeen.count, by: 2).map { keptSeen[$0] }
      for index in kept.indices { kept[index].count *= 2 }
    }
    (pending, seen) = (kept, keptSeen)
    for watcher in read.indices where read[watcher].count > Self.readLimit {
      read[watcher].removeFirst(read[watcher].count - Self.readLimit / 2)
    }
  }

  private static func first(in read: [(revision: UInt64, time: UInt64)], from revision: UInt64) -> UInt64? {
    var (low, high) = (0, read.count)
    while low < high {
      let middle = (low + high) / 2
      if read[middle].revision < revision { low = middle + 1 } else { high = middle }
    }
    return low < read.count ? read[low].time : nil
  }
}
