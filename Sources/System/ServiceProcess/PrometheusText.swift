/// Metrics in the text format of Prometheus, version 0.0.4.
///
/// ```swift
/// var text = PrometheusText(prefix: "storehub_")
/// text.counter("actions_total", "Actions that have taken effect.", 12)
/// ```
package nonisolated struct PrometheusText {
  /// The text so far.
  package private(set) var text = ""
  private let prefix: String

  /// Creates an empty text.
  ///
  /// - Parameter prefix: The beginning of all names.
  package init(prefix: String = "") { self.prefix = prefix }

  /// Appends another text.
  package mutating func append(_ other: PrometheusText) { text += other.text }

  /// Adds a number that only grows. Its name ends with `_total`.
  package mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
    add(name, "counter", help)
    sample(name, "\(value)")
  }

  /// Adds a number of seconds, or of another quantity with decimals, that only grows.
  package mutating func counter(_ name: String, _ help: String, _ value: Double) {
    add(name, "counter", help)
    sample(name, "\(value)")
  }

  /// Adds a current value.
  package mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
    add(name, "gauge", help)
    sample(name, "\(value)")
  }

  /// Adds a current value with decimals.
  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    add(name, "gauge", help)
    sample(name, "\(value)")
  }

  /// Adds current values that differ in one label.
  package mutating func gauges(_ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]) {
    add(name, "gauge", help)
    for (text, value) in values { sample(name, "\(value)", [(label, text)]) }
  }

  /// Adds a metric with the value 1, whose labels are the information.
  package mutating func info(_ name: String, _ help: String, _ labels: [(String, String)]) {
    add(name, "gauge", help)
    sample(name, "1", labels)
  }

  /// Adds a histogram.
  ///
  /// - Parameters:
  ///   - bounds: The upper bounds of all buckets but the last, in seconds.
  ///   - counts: The number of values in each bucket.
  ///   - sum: The sum of all values, in seconds.
  package mutating func histogram(
    _ name: String, _ help: String, bounds: [Double], counts: [UInt64], sum: Double
  ) {
    precondition(bounds.count + 1 == counts.count, "the last bucket has no bound")
    add(name, "histogram", help)
    var total: UInt64 = 0
    for (index, count) in counts.enumerated() {
      total += count
      sample("\(name)_bucket", "\(total)", [("le", index < bounds.count ? "\(bounds[index])" : "+Inf")])
    }
    sample("\(name)_sum", "\(sum)")
    sample("\(name)_count", "\(total)")
  }

  private mutating func add(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
  }

  private mutating func sample(_ name: String, _ value: String, _ labels: [(String, String)] = []) {
    let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += prefix + name + (labels.isEmpty ? "" : "{\(list)}") + " \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
