public import Wire

/// Two results of `storeload --json`, or two series of them, side by side: what changed beyond the noise.
///
/// With five or more results on each side the runs are compared, otherwise the intervals of one run. The test is that of Mann
/// and Whitney at a level of 1 %: it asks for no distribution, and single outliers do not count for more.
public struct Comparison: Sendable {
  /// A figure on both sides.
  public struct Row: Sendable {
    /// Its name, with the unit.
    public var name: String
    /// The medians.
    public var (before, after): (Double, Double)
    /// The least and the greatest value on each side.
    public var (rangeBefore, rangeAfter): (ClosedRange<Double>, ClosedRange<Double>)
    /// What is to be thought of it.
    public var verdict: Verdict

    /// By how much it grew: 0.1 is a tenth.
    public var change: Double { before == 0 ? 0 : after / before - 1 }
  }

  /// What is to be thought of a change.
  public enum Verdict: String, Sendable {
    case better, worse, same = "within the noise", unclear = "too few values"
  }

  /// The figures.
  public private(set) var rows: [Row] = []
  /// What was not the same: its name, and the values.
  public private(set) var differences: [(name: String, before: String, after: String)] = []
  /// How many runs there are on each side.
  public private(set) var (runsBefore, runsAfter): (Int, Int)

  private static let figures: [(name: String, path: [String], isMoreBetter: Bool)] = [
    ("actions/s", ["actionsPerSecond"], true), ("p50 µs", ["latencyMicroseconds", "p50"], false),
    ("p99 µs", ["latencyMicroseconds", "p99"], false), ("p99.9 µs", ["latencyMicroseconds", "p99_9"], false),
    ("max µs", ["latencyMicroseconds", "max"], false),
    ("freshness p99 µs", ["freshnessMicroseconds", "p99"], false),
    ("hub CPU µs/action", ["hubMicrosecondsPerAction"], false), ("hub memory MB", ["hubBytesAfter"], false),
  ]
  private static let conditions: [[String]] = [
    ["scenario"], ["hub"], ["durability"], ["machine", "processor"], ["machine", "cores"], ["machine", "kernel"],
    ["plan", "loop"], ["plan", "rate"], ["plan", "connections"], ["plan", "depth"], ["plan", "threads"],
    ["plan", "watchers"], ["plan", "scopes"], ["plan", "payload"], ["plan", "fill"],
  ]

  /// Compares two lists of results.
  ///
  /// - Throws: `LoadError.scenario` if one is no result.
  public init(before: [JSONValue], after: [JSONValue]) throws(LoadError) {
    (runsBefore, runsAfter) = (before.count, after.count)
    guard let first = before.first, let second = after.first,
      (before + after).allSatisfy({ $0["latencyMicroseconds"] != nil })
    else { throw .scenario("these are no results of storeload --json") }
    for path in Self.conditions {
      let (left, right) = (first[path], second[path])
      guard left != right else { continue }
      differences.append((path.joined(separator: " "), left?.description ?? "none", right?.description ?? "none"))
    }
    let isManyRuns = min(before.count, after.count) >= Self.leastValues
    for (name, path, isMoreBetter) in Self.figures {
      let (left, right) = (Self.values(path, before), Self.values(path, after))
      guard !left.isEmpty, !right.isEmpty else { continue }
      let scale = name.hasSuffix("MB") ? 1e6 : 1
      var samples = (left, right)
      // A single run shows its noise in its intervals, where it has them.
      if !isManyRuns, let key = Self.interval(path) {
        samples = (Self.intervals(key, before), Self.intervals(key, after))
      }
      let verdict = Self.verdict(
        samples.0, samples.1, isMoreBetter: isMoreBetter, least: isManyRuns ? 0.01 : 0.05,
        hasNoise: isManyRuns || Self.interval(path) != nil,
        change: Self.median(left) == 0 ? 0 : Self.median(right) / Self.median(left) - 1)
      let ranges = isManyRuns || samples.0.isEmpty || samples.1.isEmpty ? (left, right) : samples
      rows.append(
        Row(
          name: name, before: Self.median(left) / scale, after: Self.median(right) / scale,
          rangeBefore: Self.range(ranges.0, scale), rangeAfter: Self.range(ranges.1, scale), verdict: verdict))
    }
  }

  /// With fewer values on each side, not even two lists without overlap differ at a level of 1 %.
  private static let leastValues = 5

  /// Whether anything became worse beyond the noise.
  public var isWorse: Bool { rows.contains { $0.verdict == .worse } }

  /// A table in Markdown.
  public var text: String {
    var lines: [String] = []
    for difference in differences {
      lines.append("not the same: \(difference.name): \(difference.before) | \(difference.after)")
    }
    if !lines.isEmpty { lines.append("") }
    let noise =
      min(runsBefore, runsAfter) >= Self.leastValues
      ? "runs" : "intervals of one run; five runs on each side would show the noise between runs"
    lines += [
      "\(runsBefore) and \(runsAfter) runs; noise taken from the \(noise).", "",
      "| figure | before (min – max) | after (min – max) | change | |", "|---|--:|--:|--:|---|",
    ]
    for row in rows {
      let sides = [(row.before, row.rangeBefore), (row.after, row.rangeAfter)].map { value, range in
        "\(Decimals.short(value)) (\(Decimals.short(range.lowerBound)) – \(Decimals.short(range.upperBound)))"
      }
      let sign = row.change >= 0 ? "+" : ""
      lines.append(
        "| \(row.name) | \(sides[0]) | \(sides[1]) | \(sign)\(Decimals.fixed(row.change * 100, 1)) % | "
          + "\(row.verdict.rawValue) |")
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Values

  private static func values(_ path: [String], _ results: [JSONValue]) -> [Double] {
    results.compactMap { $0[path]?.double }
  }

  /// The key of a figure in the samples; nil if the whole run has one value only.
  private static func interval(_ path: [String]) -> String? {
    switch path.last {
    case "actionsPerSecond": "actionsPerSecond"
    case "p50", "p99": path.first == "latencyMicroseconds" ? path.last : nil
    default: nil
    }
  }

  private static func intervals(_ key: String, _ results: [JSONValue]) -> [Double] {
    results.flatMap { result -> [Double] in
      guard case .array(let samples)? = result["samples"] else { return [] }
      return samples.compactMap { $0[key]?.double }
    }
  }

  // MARK: Statistics

  static func verdict(
    _ before: [Double], _ after: [Double], isMoreBetter: Bool, least: Double, hasNoise: Bool, change: Double
  ) -> Verdict {
    guard hasNoise, before.count >= leastValues, after.count >= leastValues else { return .unclear }
    guard abs(mannWhitney(before, after)) > 2.576, abs(change) >= least else { return .same }
    return (change > 0) == isMoreBetter ? .better : .worse
  }

  /// The number of standard deviations by which the ranks of the second list are above those of the first.
  static func mannWhitney(_ first: [Double], _ second: [Double]) -> Double {
    let all = (first.map { ($0, false) } + second.map { ($0, true) }).sorted { $0.0 < $1.0 }
    var (sum, ties, index) = (0.0, 0.0, 0)
    while index < all.count {
      var end = index
      while end < all.count, all[end].0 == all[index].0 { end += 1 }
      let count = Double(end - index)
      // Equal values share the mean of their ranks.
      let rank = Double(index + end + 1) / 2
      sum += rank * Double(all[index..<end].count { $0.1 })
      ties += count * count * count - count
      index = end
    }
    let (n, m) = (Double(first.count), Double(second.count))
    let statistic = sum - m * (m + 1) / 2
    let variance = n * m / 12 * ((n + m + 1) - ties / max((n + m) * (n + m - 1), 1))
    return variance > 0 ? (statistic - n * m / 2) / variance.squareRoot() : 0
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let last = sorted.last else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted.count == 1 ? last : sorted[middle]
  }

  private static func range(_ values: [Double], _ scale: Double) -> ClosedRange<Double> {
    (values.min() ?? 0) / scale...(values.max() ?? 0) / scale
  }
}

extension JSONValue {
  /// A member of a member.
  fileprivate subscript(path: [String]) -> JSONValue? {
    path.reduce(self as JSONValue?) { $0?[$1] }
  }
}
