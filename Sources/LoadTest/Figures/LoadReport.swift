/// The results of a load test, whether or not it was completed.
public struct LoadReport: Sendable {
  /// The plan of the test.
  public var plan: Plan
  /// The tag of the run in texts.
  public var run = ""
  /// The start in seconds since 1970.
  public var date: Int64 = 0
  /// The machine.
  public var machine = Machine()
  /// The hub's name and version.
  public var hub = ""
  /// The hub's process, if it is known.
  public var process: Int32?
  /// The hub's durability mode, if it is known.
  public var durability: String?

  /// The number of measured actions, all of which were sent and acknowledged.
  public var actions = 0
  /// The numbers of all sent and acknowledged actions, including those of the warm-up.
  public var (sent, answered) = (0, 0)
  /// The duration of the measurement.
  public var seconds = 0.0
  /// The times from the intended moment of sending (in a closed loop the actual one) to the acknowledgement.
  public var latencies = LatencyHistogram()
  /// The delays of the generator itself, in an open loop.
  public var lateness = LatencyHistogram()
  /// The times from sending to the first frame with which a subscriber sees the action.
  public var freshness = LatencyHistogram()
  /// The number of sampled actions without a later frame at a subscriber; each counts once for each such subscriber.
  public var unseen = 0
  /// The times from connecting to the welcome.
  public var connects = LatencyHistogram()
  /// The CPU time of the hub's process during the measurement, in nanoseconds.
  public var processorNanoseconds: UInt64?
  /// The memory of the hub's process before the connections were opened, in bytes.
  public var memoryBefore: Int?
  /// The memory of the hub's process after the last acknowledgement, in bytes.
  public var memoryAfter: Int?
  /// The measurements of each interval.
  public var samples: [Sample] = []
  /// The numbers of frames that subscribers received.
  public var (deltas, snapshots, bookmarks, absences) = (0, 0, 0, 0)
  /// The numbers of bytes sent and received.
  public var (sentBytes, receivedBytes) = (0, 0)
  /// The number of rejected actions.
  public var refused = 0
  /// The numbers of replaced and resumed sessions.
  public var (replaced, resumed) = (0, 0)
  /// The number of connections that the hub closed and that were opened again.
  public var lost = 0
  /// The successful verifications, as sentences.
  public var checks: [String] = []
  /// The expectations that could not be checked, as sentences.
  public var unchecked: [String] = []
  /// The number of actions of other clients during the run.
  public var others: Int?
  /// The numbers and lengths that the scenario counts, by their paths.
  public var counts: [(path: String, before: Int, after: Int)] = []
  /// The steps of a search for the highest rate.
  public var searched: [RateSearch.Step] = []
  /// The reason why the run failed, if it did.
  public var failure: LoadError?
  /// The signal that ended the run early.
  public var signal: Int32?

  /// The measurements of one interval.
  public struct Sample: Equatable, Sendable {
    /// The end of the interval, in seconds since the start of the measurement.
    public var time = 0.0
    /// The number of acknowledged actions per second.
    public var rate = 0.0
    /// The latencies in nanoseconds; nil without an acknowledgement.
    public var p50: UInt64?, p99: UInt64?, p999: UInt64?, maximum: UInt64?
    /// The number of processors that the hub kept busy.
    public var hubProcessors: Double?
    /// The number of processors that this program kept busy.
    public var ownProcessors = 0.0
    /// The hub's resident memory, in bytes.
    public var hubMemory: Int?
    /// The number of actions rejected so far.
    public var refused = 0

    /// Creates an empty sample.
    public init() {}

    /// The measurements as a line for people.
    public var line: String {
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
  public init(plan: Plan) { self.plan = plan }

  /// The number of actions per second.
  public var actionsPerSecond: Double { seconds > 0 ? Double(actions) / seconds : 0 }

  /// The hub's CPU time per action, in microseconds.
  public var hubMicrosecondsPerAction: Double? {
    guard let processorNanoseconds, actions > 0 else { return nil }
    return Double(processorNanoseconds) / 1000 / Double(actions)
  }

  /// The exit status for this report.
  public var exitStatus: Int32 {
    if let failure { return failure.exitStatus }
    if let signal { return 128 + signal }
    return !searched.isEmpty && searched.best == nil ? 9 : 0
  }

  /// True if the generator was too slow for the requested rate.
  ///
  /// In that case it causes a part of the latencies: more than a tenth of the p99, and more than 1 ms.
  public var isGeneratorLate: Bool {
    let late = lateness.quantile(0.99)
    return late > 1_000_000 && late * 10 > latencies.quantile(0.99)
  }

  /// The quantiles in reports.
  public static let quantiles: [(name: String, label: String, part: Double)] = [
    ("p50", "p50", 0.5), ("p90", "p90", 0.9), ("p99", "p99", 0.99), ("p99_9", "p99.9", 0.999),
    ("p99_99", "p99.99", 0.9999),
  ]
}
