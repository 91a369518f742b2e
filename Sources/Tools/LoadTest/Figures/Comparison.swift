package import JSONText

/// The changes beyond noise between two results of `storeload --json`, or two series of them.
///
/// With five or more results on each side their runs are compared, otherwise the intervals of one run. The Mann–Whitney
/// test at a level of 1 % assumes no distribution and is not sensitive to outliers.
package struct Comparison: Sendable {
  /// A metric on both sides.
  package struct Row: Sendable {
    /// Its name, with the unit.
    package var name: String
    /// The medians.
    package var (before, after): (Double, Double)
    /// The least and the greatest value on each side.
    package var (rangeBefore, rangeAfter): (ClosedRange<Double>, ClosedRange<Double>)
    /// The assessment of the change.
    package var verdict: Verdict

    /// The relative change; 0.1 is an increase by a tenth.
    package var change: Double { before == 0 ? 0 : after / before - 1 }
  }

  /// The assessment of a change.
  package enum Verdict: String, Sendable {
    case better, worse, same = "within the noise", unclear = "too few values"
  }

  /// The metrics.
  package private(set) var rows: [Row] = []
  /// The settings that differ, with their values.
  package private(set) var differences: [(name: String, before: String, after: String)] = []
  /// The runs that failed, with the reasons. Their figures are not compared: a run that stops early may seem fast.
  package private(set) var failures: [String] = []
  /// The number of compared runs on each side.
  package private(set) var (runsBefore, runsAfter): (Int, Int)

  private static let figures: [(name: String, path: [String], isMoreBetter: Bool)] = [
    ("actions/s", ["actionsPerSecond"], true), ("p50 µs", ["latencyMicroseconds", "p50"], false),
    ("p99 µs", ["latencyMicroseconds", "p99"], false), ("p99.9 µs", ["latencyMicroseconds", "p99_9"], false),
    ("max µs", ["latencyMicroseconds", "max"], false),
    ("freshness p99 µs", ["freshnessMicroseconds", "p99"], false),
    ("hub CPU µs/action", ["hubMicrosecondsPerAction"], false), ("hub memory MB", ["hubBytesAfter"], false),
  ]
  private static let conditions: [[String]] = [
    ["scenario"], ["hub"], ["durability"], ["machine", "processor"], ["machine", "cores"], ["machine", "kernel"],
  ]

  /// Compares two lists of results.
  ///
  /// - Throws: `LoadError.scenario` if a value is not a result.
  package init(before: [JSONValue], after: [JSONValue]) throws(LoadError) {
    (runsBefore, runsAfter) = (0, 0)
    guard !before.isEmpty, !after.isEmpty,
      (before + after).allSatisfy({ $0["latencyMicroseconds"] != nil })
    else { throw .scenario("these are no results of storeload --json") }
    for path in Self.conditions + Self.settings(before + after) {
      let (left, right) = (Self.texts(path, before), Self.texts(path, after))
      guard left != right || left.count > 1 else { continue }
      differences.append((path.joined(separator: " "), left.joined(separator: ", "), right.joined(separator: ", ")))
    }
    let (soundBefore, soundAfter) = (completed(before, "before"), completed(after, "after"))
    (runsBefore, runsAfter) = (soundBefore.count, soundAfter.count)
    let isManyRuns = min(runsBefore, runsAfter) >= Self.leastValues
    for (name, path, isMoreBetter) in Self.figures {
      let (left, right) = (Self.values(path, soundBefore), Self.values(path, soundAfter))
      guard !left.isEmpty, !right.isEmpty else { continue }
      let scale = name.hasSuffix("MB") ? 1e6 : 1
      var samples = (left, right)
      // The noise of a single run is that of its intervals, if it has them.
      if !isManyRuns, let key = Self.interval(path) {
        samples = (Self.intervals(key, soundBefore), Self.intervals(key, soundAfter))
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

  /// Returns the paths of all settings of the plans, in the order of the files. A seed makes no other measurement.
  private static func settings(_ results: [JSONValue]) -> [[String]] {
    var names: [String] = []
    for case .object(let members)? in results.map({ $0["plan"] }) {
      for member in members where member.name != "seed" && !names.contains(member.name) { names.append(member.name) }
    }
    return names.map { ["plan", $0] }
  }

  /// Returns the different values of a setting, in ascending order.
  private static func texts(_ path: [String], _ results: [JSONValue]) -> [String] {
    Set(results.map { $0[path]?.description ?? "none" }).sorted()
  }

  /// Returns the results of the runs that did not fail, and records the others.
  private mutating func completed(_ results: [JSONValue], _ side: String) -> [JSONValue] {
    results.enumerated().filter { index, result in
      guard let status = result["exitStatus"], status != .integer(0) else { return true }
      let reason = if case .string(let text)? = result["failure"] { text } else { "exit status \(status)" }
      failures.append("run \(index + 1) \(side): \(reason)")
      return false
    }.map(\.element)
  }

  /// With fewer values on each side, no two lists differ at a level of 1 %, even without overlap.
  private static let leastValues = 5

  /// True if a metric got worse beyond noise, or a run failed.
  package var isWorse: Bool { !failures.isEmpty || rows.contains { $0.verdict == .worse } }

  /// The comparison as a Markdown table.
  package var text: String {
    var lines = failures.map { "failed: \($0)" }
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

  /// Returns the key of a metric in the samples; nil if there is only one value for the whole run.
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

  /// Returns the number of standard deviations by which the ranks of the second list exceed those of the first.
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
  /// Returns a nested member.
  fileprivate subscript(path: [String]) -> JSONValue? {
    path.reduce(self as JSONValue?) { $0?[$1] }
  }
}
