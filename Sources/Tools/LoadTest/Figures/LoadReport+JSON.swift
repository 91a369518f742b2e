package import JSONText
import ProgramOptions

extension LoadReport {
  /// The report as a JSON object; see docs/LOAD-TESTING.md.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("format", .integer(1)), .init("scenario", .string(plan.name)), .init("date", .integer(date)),
      .init("storeload", .string(storeHubVersion)), .init("hub", .string(hub)),
      .init("durability", durability.map { .string($0) } ?? .null),
      .init(
        "machine",
        [
          "processor": .string(machine.processor), "cores": .integer(machine.cores),
          "kernel": .string(machine.kernel), "load": Self.number(machine.load, 2),
        ]),
      .init("plan", planJSON),
      .init("actions", .integer(actions)), .init("sent", .integer(sent)), .init("answered", .integer(answered)),
      .init("refused", .integer(refused)), .init("seconds", Self.number(seconds, 6)),
      .init("actionsPerSecond", Self.number(actionsPerSecond, 1)),
      .init("latencyMicroseconds", Self.summary(latencies)),
      .init("latencyFrom", .string(plan.isOpenLoop ? "intended" : "sent")),
    ]
    if freshness.count > 0 { members.append(.init("freshnessMicroseconds", Self.summary(freshness))) }
    if plan.watchers > 0 { members.append(.init("freshnessUnseen", .integer(unseen))) }
    if plan.isOpenLoop { members.append(.init("latenessMicroseconds", Self.summary(lateness))) }
    members.append(.init("connectMicroseconds", Self.summary(connects)))
    if let value = hubMicrosecondsPerAction { members.append(.init("hubMicrosecondsPerAction", Self.number(value, 4))) }
    if let memoryBefore { members.append(.init("hubBytesBefore", .integer(memoryBefore))) }
    if let memoryAfter { members.append(.init("hubBytesAfter", .integer(memoryAfter))) }
    members += [
      .init(
        "subscribers",
        [
          "deltas": .integer(deltas), "snapshots": .integer(snapshots), "bookmarks": .integer(bookmarks),
          "absences": .integer(absences),
        ]),
      .init("sessions", ["replaced": .integer(replaced), "resumed": .integer(resumed), "closedByHub": .integer(lost)]),
      .init("bytes", ["sent": .integer(sentBytes), "received": .integer(receivedBytes)]),
      .init(
        "counts",
        .object(
          counts.map { .init($0.path, ["before": .integer($0.before), "after": .integer($0.after)]) })),
      .init("otherActions", others.map { .integer($0) } ?? .null),
      .init("verified", .array(checks.map { .string($0) })),
      .init("notVerified", .array(unchecked.map { .string($0) })),
      .init("failure", failure.map { .string($0.description) } ?? .null),
      .init("signal", signal.map { .integer($0) } ?? .null), .init("exitStatus", .integer(exitStatus)),
      .init("samples", .array(samples.map(Self.json))), .init("histogram", Self.histogram(latencies)),
    ]
    if !searched.isEmpty { members.append(.init("search", .array(searched.map(Self.json)))) }
    return .object(members)
  }

  private static func json(_ step: RateSearch.Step) -> JSONValue {
    [
      "wanted": number(step.wanted, 1), "reached": number(step.reached, 1), "p99": step.p99.map(microseconds) ?? .null,
      "isKept": .bool(step.isKept), "isGeneratorLate": .bool(step.isGeneratorLate),
    ]
  }

  private var planJSON: JSONValue {
    var members: [JSONValue.Member] = [
      .init("loop", .string(plan.isOpenLoop ? "open" : "closed")), .init("connections", .integer(plan.connections)),
      .init("depth", .integer(plan.flight)), .init("threads", .integer(plan.threads)),
      .init("warmup", Self.number(plan.warmup, 3)), .init("payload", .integer(plan.payload)),
      .init("watchers", .integer(plan.watchers)), .init("scope", .string(plan.scope)),
      .init("scopes", .integer(plan.scopes)), .init("slow", .integer(plan.slowWatchers)),
      .init("slowPause", Self.number(plan.slowPause, 3)), .init("timeout", Self.number(plan.timeout, 3)),
      .init("churn", Self.number(plan.churn, 3)), .init("storm", Self.number(plan.storm, 3)),
      .init("reconnect", .bool(plan.reconnects)), .init("alone", .bool(plan.isAlone)),
      .init("fill", .integer(plan.fillCount)), .init("seed", .integer(plan.seed)),
      .init("actions", .array(plan.actions.map(Self.json))),
    ]
    if let fill = plan.fill { members.append(.init("fillWith", .string("\(fill.send) to \(plan.fillPath)"))) }
    if let rate = plan.rate {
      members += [.init("rate", Self.number(rate, 1)), .init("arrival", .string(plan.arrival.rawValue))]
    }
    if let ramp = plan.rampTo { members.append(.init("rampTo", Self.number(ramp, 1))) }
    if let count = plan.count { members.append(.init("count", .integer(count))) }
    if let duration = plan.duration { members.append(.init("duration", Self.number(duration, 3))) }
    return .object(members)
  }

  private static func json(_ action: Plan.Action) -> JSONValue {
    let texts = [("ids", action.ids), ("sets", action.sets), ("counts", action.counts), ("creates", action.creates)]
    return .object(
      [
        .init("name", .string(action.name)), .init("send", .string(action.send)),
        .init("weight", .integer(action.weight)), .init("order", .string(action.isRandom ? "random" : "stride")),
        .init("removes", .bool(action.removes)),
      ] + texts.compactMap { name, text in text.map { .init(name, .string($0)) } })
  }

  private static func summary(_ histogram: LatencyHistogram) -> JSONValue {
    let times =
      quantiles.map { ($0.name, microseconds(histogram.quantile($0.part))) } + [
        ("max", microseconds(histogram.maximum)), ("min", microseconds(histogram.minimum)),
        ("mean", number(histogram.mean / 1000, 3)),
      ]
    // Zeros would look like the best result.
    let isEmpty = histogram.count == 0
    return .object(times.map { .init($0, isEmpty ? .null : $1) } + [.init("count", .integer(histogram.count))])
  }

  private static func histogram(_ histogram: LatencyHistogram) -> JSONValue {
    [
      "unit": "ns", "relativeError": .decimal(LatencyHistogram.relativeError),
      "buckets": .array(histogram.buckets.map { .array([.integer($0.nanoseconds), .integer($0.count)]) }),
    ]
  }

  private static func json(_ sample: Sample) -> JSONValue {
    [
      "seconds": number(sample.time, 3), "actionsPerSecond": number(sample.rate, 1),
      "p50": sample.p50.map(microseconds) ?? .null, "p99": sample.p99.map(microseconds) ?? .null,
      "p99_9": sample.p999.map(microseconds) ?? .null, "max": sample.maximum.map(microseconds) ?? .null,
      "hubProcessors": sample.hubProcessors.map { number($0, 3) } ?? .null,
      "hubBytes": sample.hubMemory.map { .integer($0) } ?? .null, "ownProcessors": number(sample.ownProcessors, 3),
    ]
  }

  private static func microseconds(_ nanoseconds: UInt64) -> JSONValue { number(Double(nanoseconds) / 1000, 3) }

  private static func number(_ value: Double, _ decimals: Int) -> JSONValue {
    value.isInfinite ? .decimal(value) : .number(Decimals.fixed(value, decimals))
  }
}
