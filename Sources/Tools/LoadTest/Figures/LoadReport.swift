/// The results of a load test, whether or not it was completed.
package struct LoadReport: Sendable {
  /// The plan of the test.
  package var plan: Plan
  /// The tag of the run in texts.
  package var run = ""
  /// The start in seconds since 1970.
  package var date: Int64 = 0
  /// The machine.
  package var machine = Machine()
  /// The hub's name and version.
  package var hub = ""
  /// The hub's process, if it is known.
  package var process: Int32?
  /// The hub's durability mode, if it is known.
  package var durability: String?

  /// The number of measured actions, all of which were sent and acknowledged.
  package var actions = 0
  /// The numbers of all sent and acknowledged actions, including those of the warm-up.
  package var (sent, answered) = (0, 0)
  /// The duration of the measurement.
  package var seconds = 0.0
  /// The times from the intended moment of sending (in a closed loop the actual one) to the acknowledgement.
  package var latencies = LatencyHistogram()
  /// The delays of the generator itself, in an open loop.
  package var lateness = LatencyHistogram()
  /// The times from sending to the first frame with which a subscriber sees the action.
  package var freshness = LatencyHistogram()
  /// The number of sampled actions without a later frame at a subscriber; each counts once for each such subscriber.
  package var unseen = 0
  /// The times from connecting to the welcome.
  package var connects = LatencyHistogram()
  /// The CPU time of the hub's process during the measurement, in nanoseconds.
  package var processorNanoseconds: UInt64?
  /// The memory of the hub's process before the connections were opened, in bytes.
  package var memoryBefore: Int?
  /// The memory of the hub's process after the last acknowledgement, in bytes.
  package var memoryAfter: Int?
  /// The measurements of each interval.
  package var samples: [Sample] = []
  /// The numbers of frames that subscribers received.
  package var (deltas, snapshots, bookmarks, absences) = (0, 0, 0, 0)
  /// The numbers of bytes sent and received.
  package var (sentBytes, receivedBytes) = (0, 0)
  /// The number of rejected actions.
  package var refused = 0
  /// The numbers of replaced and resumed sessions.
  package var (replaced, resumed) = (0, 0)
  /// The number of connections that the hub closed and that were opened again.
  package var lost = 0
  /// The successful verifications, as sentences.
  package var checks: [String] = []
  /// The expectations that could not be checked, as sentences.
  package var unchecked: [String] = []
  /// The number of actions of other clients during the run.
  package var others: Int?
  /// The numbers and lengths that the scenario counts, by their paths.
  package var counts: [(path: String, before: Int, after: Int)] = []
  /// The steps of a search for the highest rate.
  package var searched: [RateSearch.Step] = []
  /// The reason why the run failed, if it did.
  package var failure: LoadError?
  /// The signal that ended the run early.
  package var signal: Int32?

  /// The measurements of one interval.
  package struct Sample: Equatable, Sendable {
    /// The end of the interval, in seconds since the start of the measurement.
    package var time = 0.0
    /// The number of acknowledged actions per second.
    package var rate = 0.0
    /// The latencies in nanoseconds; nil without an acknowledgement.
    package var p50: UInt64?, p99: UInt64?, p999: UInt64?, maximum: UInt64?
    /// The number of processors that the hub kept busy.
    package var hubProcessors: Double?
    /// The number of processors that this program kept busy.
    package var ownProcessors = 0.0
    /// The hub's resident memory, in bytes.
    package var hubMemory: Int?
    /// The number of actions rejected so far.
    package var refused = 0

    /// Creates an empty sample.
    package init() {}

    /// The measurements as a line for people.
    package var line: String {
      let latencies = [("p50", p50), ("p99", p99), ("max", maximum)].map { name, value in
        "\(name) \(value.map { Decimals.time($0) } ?? "none")"
      }
      var parts = ["\(Decimals.fixed(time, 1)) s", "\(Decimals.grouped(rate)) actions/s"] + latencies
      parts.append("\(refused) refused")
      if let hubProcessors { parts.append("hub \(Decimals.fixed(hubProcessors * 100, 0)) % CPU") }
      if let hubMemory { parts.append("\(Decimals.short(Double(hubMemory)))B") }
      return parts.joined(separator: "  ")
    }
  }

  /// Creates a report without measurements.
  package init(plan: Plan) { self.plan = plan }

  /// The number of actions per second.
  package var actionsPerSecond: Double { seconds > 0 ? Double(actions) / seconds : 0 }

  /// The hub's CPU time per action, in microseconds.
  package var hubMicrosecondsPerAction: Double? {
    guard let processorNanoseconds, actions > 0 else { return nil }
    return Double(processorNanoseconds) / 1000 / Double(actions)
  }

  /// The exit status for this report.
  package var exitStatus: Int32 {
    if let failure { return failure.exitStatus }
    if let signal { return 128 + signal }
    return !searched.isEmpty && searched.best == nil ? 9 : 0
  }

  /// True if the generator was too slow for the requested rate.
  ///
  /// In that case it causes a part of the latencies: more than a tenth of the p99, and more than 1 ms.
  package var isGeneratorLate: Bool {
    let late = lateness.quantile(0.99)
    return late > 1_000_000 && late * 10 > latencies.quantile(0.99)
  }

  /// The quantiles in reports.
  package static let quantiles: [(name: String, label: String, part: Double)] = [
    ("p50", "p50", 0.5), ("p90", "p90", 0.9), ("p99", "p99", 0.99), ("p99_9", "p99.9", 0.999),
    ("p99_99", "p99.99", 0.9999),
  ]
}
