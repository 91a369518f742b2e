/// What a load test found.
public nonisolated struct LoadReport: Sendable {
  /// How many actions were sent and answered.
  public let actions: Int
  /// The time from the first write to the last answer.
  public let seconds: Double
  /// From the write of each action to the read of its acknowledgement.
  public let latencies: LatencyHistogram
  /// The bytes that were sent.
  public let workload: Workload
  /// How many todos the list had when the clock started.
  public let todos: Int
  /// The CPU time that the hub's process used meanwhile, if it was asked for.
  public let processorNanoseconds: UInt64?
  /// The shared count at the end, or the number of todos if the workload is one on todos.
  public let finalCount: Int

  /// Actions a second.
  public var actionsPerSecond: Double { seconds > 0 ? Double(actions) / seconds : 0 }

  private var processorMicroseconds: String? {
    processorNanoseconds.map { Self.fixed(Double($0) / 1000 / Double(max(actions, 1)), 3) }
  }

  private var figures: [(name: String, label: String, microseconds: Double)] {
    [
      ("p50", "p50", Double(latencies.quantile(0.5)) / 1000),
      ("p99", "p99", Double(latencies.quantile(0.99)) / 1000),
      ("p99_9", "p99.9", Double(latencies.quantile(0.999)) / 1000),
      ("max", "max", Double(latencies.maximum) / 1000),
    ]
  }

  /// Lines for people.
  public var text: String {
    let latencies = figures.map { "\($0.label) \(Self.fixed($0.microseconds, 1))" }.joined(separator: "  ")
    return """
      \(actions) actions in \(Self.fixed(seconds, 3)) s: \(Self.fixed(actionsPerSecond, 0)) actions/s, final count \(finalCount)
      send to applied, µs: \(latencies)
      """ + (processorMicroseconds.map { "\nCPU time of the hub, µs per action: \($0)" } ?? "")
  }

  /// One JSON object on one line.
  public var json: String {
    let latencies = figures.map { "\"\($0.name)\":\(Self.fixed($0.microseconds, 3))" }.joined(separator: ",")
    return """
      {"workload":"\(workload.rawValue)","todos":\(todos),"actions":\(actions),"seconds":\(Self.fixed(seconds, 6)),\
      "actionsPerSecond":\(Self.fixed(actionsPerSecond, 1)),\
      "latencyMicroseconds":{\(latencies)},\
      \(processorMicroseconds.map { "\"hubMicrosecondsPerAction\":\($0)," } ?? "")"finalCount":\(finalCount)}
      """
  }

  /// A number with a fixed count of decimals.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value * Double(scale)).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(scaled / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
