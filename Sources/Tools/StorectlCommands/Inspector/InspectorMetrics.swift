internal import JSONText
internal import Wire

/// The hub's metrics for the inspector's page: with names, units and groups, so that the page can show each of them as
/// people read it.
nonisolated enum InspectorMetrics {
  /// The unit of a value.
  enum Unit: String {
    case count, bytes, microseconds
  }

  /// A number that is measured every second.
  struct Series {
    let group: String
    let name: String
    let unit: Unit
    /// True if the value only grows, so that its rate is of interest.
    let isCounter: Bool
    let value: @Sendable (HubMetrics) -> UInt64
  }

  /// The measured numbers, in the order of a sample.
  static let series: [Series] = [
    counter("Traffic", "actions that have taken effect") { $0.revision },
    counter("Traffic", "actions rejected") { $0.rejected },
    counter("Traffic", "reads from sockets") { $0.reads },
    gauge("Connections", "open connections") { $0.connections },
    gauge("Connections", "sessions kept without a connection") { $0.detachedSessions },
    gauge("Connections", "scopes attached") { $0.subscriptions },
    counter("Connections", "connections accepted") { $0.accepted },
    counter("Connections", "sessions opened") { $0.opened },
    counter("Connections", "sessions resumed") { $0.resumed },
    counter("Connections", "refused for lack of rights") { $0.refused },
    counter("Connections", "closed for another error") { $0.failed },
    gauge("Memory", "state, encoded", .bytes) { $0.stateBytes },
    gauge("Memory", "held for clients", .bytes) { $0.heldBytes },
    gauge("Memory", "versions of the state") { $0.keptVersions },
    gauge("Loop and journal", "longest turn of the loop", .microseconds) { $0.longestTurn },
    gauge("Loop and journal", "turns waiting for the journal") { $0.unstoredTurns },
  ]

  private static func counter(
    _ group: String, _ name: String, _ value: @escaping @Sendable (HubMetrics) -> UInt64
  ) -> Series {
    Series(group: group, name: name, unit: .count, isCounter: true, value: value)
  }

  private static func gauge(
    _ group: String, _ name: String, _ unit: Unit = .count, _ value: @escaping @Sendable (HubMetrics) -> UInt64
  ) -> Series {
    Series(group: group, name: name, unit: unit, isCounter: false, value: value)
  }

  /// Returns the values of all series; empty if the metrics are unknown.
  static func values(of metrics: HubMetrics?) -> JSONValue {
    .array(metrics.map { metrics in series.map { .integer($0.value(metrics)) } } ?? [])
  }

  /// Returns the description of the series, and the metrics that are no series.
  static func json(_ metrics: HubMetrics) -> JSONValue {
    [
      "durability": .string(metrics.durability),
      "series": .array(
        series.map { series in
          [
            "group": .string(series.group), "name": .string(series.name), "unit": .string(series.unit.rawValue),
            "isCounter": .bool(series.isCounter),
          ]
        }),
      "histograms": .array([
        histogram("Turns of the loop, by their duration", metrics.turnTimes, first: 1000),
        histogram("Turns, by the time until the journal has stored them", metrics.storeTimes, first: 64),
      ]),
    ]
  }

  /// - Parameter first: The upper limit of the first bucket in microseconds. It doubles with each bucket, and the last
  ///   bucket has none.
  private static func histogram(_ name: String, _ counts: [UInt64], first: Int) -> JSONValue {
    ["name": .string(name), "first": .integer(first), "counts": .array(counts.map { .integer($0) })]
  }
}
