/// The results of a simulated tree.
package struct TreeReport: Sendable {
  /// The sums of the nodes on one level: the number of relays above a node, and itself if it is one.
  package struct Level: Sendable {
    package internal(set) var nodeCount = 0
    package internal(set) var clientCount = 0
    /// The processor time in nanoseconds of all nodes, and of the busiest one.
    package internal(set) var (work, mostWork) = (0, 0)
    /// From the turn of the leader to the change at a client, in microseconds.
    package internal(set) var freshness = Histogram()
    /// From an action of a client to its acknowledgement, in microseconds.
    package internal(set) var answers = Histogram()
  }

  package internal(set) var levels: [Level] = []
  /// The entries of the log, and the actions in them.
  package internal(set) var (entries, actions) = (0, 0)
  /// The nodes that watch the store, and the bytes of entries that it has sent to them.
  package internal(set) var (watches, watchedBytes) = (0, 0)
  /// The nodes that followed another one than before after the loss of a relay, with those below them; and for each of
  /// their clients, the longest time without a change, in microseconds.
  package internal(set) var movedCount = 0
  package internal(set) var gaps = Histogram()
  /// The simulated time of actions in seconds.
  package internal(set) var seconds = 0

  /// A table of the levels, and what else happened.
  package var text: String {
    var lines = [
      "| level | nodes | clients | busy, mean | busiest | freshness p50; p99 ms | acknowledged p50; p99 ms |",
      "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for (number, level) in levels.enumerated() {
      let total = Double(seconds) * 1e9
      let mean = Double(level.work) / Double(max(level.nodeCount, 1)) / total
      lines.append(
        "| \(number) | \(level.nodeCount) | \(level.clientCount) | \(percent(mean)) | "
          + "\(percent(Double(level.mostWork) / total)) | \(level.freshness.text) | \(level.answers.text) |")
    }
    lines.append(
      "\n\(entries) entries with \(actions) actions in \(seconds) s; \(watches) nodes watch the store, which has sent them "
        + "\(watchedBytes / 1000 / max(seconds, 1)) kB/s")
    if movedCount > 0 {
      lines.append(
        "a relay was lost: \(movedCount) nodes got their log another way; longest time without a change for their clients, "
          + "p50; p99 ms: \(gaps.text)")
    }
    return lines.joined(separator: "\n")
  }

  private func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}

/// The distribution of times in microseconds.
package struct Histogram: Sendable {
  /// The counts, in steps of 10 µs.
  private var counts: [Int] = []
  package private(set) var count = 0

  init() {}

  mutating func add(_ time: Int, times: Int = 1) {
    let step = max(time, 0) / 10
    if step >= counts.count { counts += [Int](repeating: 0, count: step + 1 - counts.count) }
    counts[step] += times
    count += times
  }

  /// The time that this share of all does not exceed, in microseconds; 0 if there is none.
  package func quantile(_ share: Double) -> Int {
    let wanted = Int((Double(count) * share).rounded(.up))
    var sum = 0
    for (step, count) in counts.enumerated() {
      sum += count
      if count > 0, sum >= wanted { return (step + 1) * 10 }
    }
    return 0
  }

  fileprivate var text: String {
    count == 0 ? "" : "\(milliseconds(quantile(0.5))); \(milliseconds(quantile(0.99)))"
  }

  private func milliseconds(_ time: Int) -> String { "\((Double(time) / 100).rounded() / 10)" }
}
