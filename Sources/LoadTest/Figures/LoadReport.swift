/// What a load test found, whether or not it came to its end.
public struct LoadReport: Sendable {
  /// What was done.
  public var plan: Plan
  /// The tag of the run in texts.
  public var run = ""
  /// When it began, in seconds since 1970.
  public var date: Int64 = 0
  /// The machine.
  public var machine = Machine()
  /// The hub's name and version, as it says.
  public var hub = ""
  /// The hub's process, if it is known.
  public var process: Int32?
  /// How the hub stores actions, if it is known.
  public var durability: String?

  /// How many actions were measured: sent and acknowledged.
  public var actions = 0
  /// How many were sent and acknowledged in all, with those of the warm-up.
  public var (sent, answered) = (0, 0)
  /// The time that was measured.
  public var seconds = 0.0
  /// From the intended moment of sending, or in a closed loop the actual one, to the acknowledgement.
  public var latencies = LatencyHistogram()
  /// By how much the generator itself was late; in an open loop.
  public var lateness = LatencyHistogram()
  /// From sending to the first frame of a subscriber that shows the action.
  public var freshness = LatencyHistogram()
  /// From connecting to the welcome.
  public var connects = LatencyHistogram()
  /// The CPU time that the hub's process used meanwhile, in nanoseconds.
  public var processorNanoseconds: UInt64?
  /// The memory of the hub's process before the connections were opened, in bytes.
  public var memoryBefore: Int?
  /// The same when the last action was acknowledged.
  public var memoryAfter: Int?
  /// The figures of each interval.
  public var samples: [Sample] = []
  /// Frames that subscribers read.
  public var (deltas, snapshots, bookmarks, absences) = (0, 0, 0, 0)
  /// The bytes that were sent and received.
  public var (sentBytes, receivedBytes) = (0, 0)
  /// How many actions the hub refused.
  public var refused = 0
  /// How often sessions were replaced and resumed.
  public var (replaced, resumed) = (0, 0)
  /// What was verified, as sentences.
  public var checks: [String] = []
  /// How many actions took effect meanwhile that were not this run's.
  public var others: Int?
  /// Numbers and lengths at the end that the scenario counts, by their paths.
  public var counts: [(path: String, before: Int, after: Int)] = []
  /// What a search for the highest rate has tried.
  public var searched: [RateSearch.Step] = []
  /// Why the run failed, if so.
  public var failure: LoadError?
  /// The signal that ended the run early.
  public var signal: Int32?

  /// The figures of one interval.
  public struct Sample: Equatable, Sendable {
    /// Seconds from the start of the measurement to the end of the interval.
    public var time = 0.0
    /// Actions acknowledged a second.
    public var rate = 0.0
    /// Latencies, in nanoseconds.
    public var p50: UInt64 = 0, p99: UInt64 = 0, p999: UInt64 = 0, maximum: UInt64 = 0
    /// How many processors the hub kept busy.
    public var hubProcessors: Double?
    /// How many processors this program kept busy.
    public var ownProcessors = 0.0
    /// The hub's resident memory, in bytes.
    public var hubMemory: Int?
    /// How many actions the hub has refused so far.
    public var refused = 0

    /// Creates an empty sample.
    public init() {}

    /// One line for people.
    public var line: String {
      var parts = [
        "\(Decimals.fixed(time, 1)) s", "\(Decimals.grouped(rate)) actions/s", "p50 \(Decimals.time(p50))",
        "p99 \(Decimals.time(p99))", "max \(Decimals.time(maximum))", "\(refused) refused",
      ]
      if let hubProcessors { parts.append("hub \(Decimals.fixed(hubProcessors * 100, 0)) % CPU") }
      if let hubMemory { parts.append("\(Decimals.short(Double(hubMemory)))B") }
      return parts.joined(separator: "  ")
    }
  }

  /// Creates a report without figures.
  public init(plan: Plan) { self.plan = plan }

  /// Actions a second.
  public var actionsPerSecond: Double { seconds > 0 ? Double(actions) / seconds : 0 }

  /// The hub's CPU time for each action, in microseconds.
  public var hubMicrosecondsPerAction: Double? {
    guard let processorNanoseconds, actions > 0 else { return nil }
    return Double(processorNanoseconds) / 1000 / Double(actions)
  }

  /// The exit status of a program that made this report.
  public var exitStatus: Int32 { failure?.exitStatus ?? signal.map { 128 + $0 } ?? 0 }

  /// Whether the generator was too slow for the rate that was asked for.
  ///
  /// Then the latencies are partly its own: more than a tenth of the p99, and more than 1 ms.
  public var isGeneratorLate: Bool {
    let late = lateness.quantile(0.99)
    return late > 1_000_000 && late * 10 > latencies.quantile(0.99)
  }

  /// The quantiles that reports show.
  public static let quantiles: [(name: String, label: String, part: Double)] = [
    ("p50", "p50", 0.5), ("p90", "p90", 0.9), ("p99", "p99", 0.99), ("p99_9", "p99.9", 0.999),
    ("p99_99", "p99.99", 0.9999),
  ]
}
