import ProgramOptions

extension LoadReport {
  /// The first lines of every report: the plan and the environment.
  package var head: [String] {
    var hub = self.hub.isEmpty ? "no hub" : self.hub
    if let process { hub += ", process \(process)" }
    hub += ", durability \(durability ?? "unknown")"
    return [
      "storeload \(storeHubVersion) against \(hub)", machine.summary, "\(plan.name): \(plan.summary)",
    ]
  }

  /// The report as lines for people.
  package var text: String {
    var lines = head + [""]
    var end = ""
    if plan.count == nil, let rate = plan.rate {
      let highest = Decimals.grouped(max(rate, plan.rampTo ?? 0))
      end = " (wanted \(plan.rampTo == nil ? "" : "up to ")\(highest))"
    }
    lines.append(
      "\(Decimals.grouped(Double(actions))) actions in \(Decimals.fixed(seconds, 3)) s: "
        + "\(Decimals.grouped(actionsPerSecond)) actions/s\(end)")
    lines.append(Self.line(plan.isOpenLoop ? "latency from the intended time" : "latency from sending", latencies))
    if freshness.count > 0 { lines.append(Self.line("freshness at subscribers", freshness)) }
    if unseen > 0 { lines.append("\(unseen) more of the sampled actions were followed by no change at a subscriber") }
    if plan.isOpenLoop { lines.append(Self.line("lateness of this program", lateness)) }
    if connects.count > UInt64(plan.connections + plan.watchers) {
      lines.append(Self.line("connecting to welcome", connects))
    }
    if let perAction = hubMicrosecondsPerAction {
      var line = "hub: \(Decimals.fixed(perAction, 3)) µs of CPU time per action"
      if let memoryAfter { line += ", \(Decimals.short(Double(memoryAfter)))B resident" }
      if let memoryBefore, let memoryAfter, plan.connections + plan.watchers >= 100 {
        let clients = plan.connections + plan.watchers
        line += ", \(Decimals.grouped(Double(memoryAfter - memoryBefore) / Double(clients))) B more for each client"
      }
      lines.append(line)
    }
    if plan.watchers > 0 {
      lines.append(
        "subscribers: \(deltas) deltas, \(snapshots) snapshots, \(bookmarks) bookmarks, \(absences) absences")
    }
    if replaced > 0 || resumed > 0 { lines.append("sessions: \(replaced) replaced, \(resumed) resumed") }
    if lost > 0 { lines.append("connections that the hub closed, and that were opened again: \(lost)") }
    for count in counts { lines.append("\(count.path): \(count.before) before, \(count.after) after") }
    for check in checks { lines.append("verified: \(check)") }
    for expectation in unchecked { lines.append("not verified: \(expectation)") }
    if !plan.isOpenLoop, plan.count == nil || actions > 10_000 {
      lines.append(
        "note: in a closed loop a hub that stops delays the actions after it, which are then not counted as late; "
          + "--rate shows how users would see it")
    }
    if isGeneratorLate {
      lines.append("warning: this program could not send at the wanted times, so the latencies are partly its own")
    }
    if machine.load > Double(machine.cores) {
      lines.append("warning: the machine had other work (load average \(Decimals.fixed(machine.load, 1)))")
    }
    if refused > 0 { lines.append("\(refused) actions were refused") }
    if let best = searched.best {
      lines.append("highest rate that kept the limit: \(Decimals.grouped(best.wanted)) actions/s")
    } else if !searched.isEmpty {
      lines.append("no rate kept the limit; these are the figures of the last one")
    }
    if searched.isLimitedByGenerator {
      lines.append("this program was the limit, not the hub: it was late itself; repeat the search on an idle machine")
    }
    if let signal { lines.append("ended early by signal \(signal); the figures are those up to then") }
    if let failure { lines.append("FAILED: \(failure)") }
    return lines.joined(separator: "\n")
  }

  private static func line(_ name: String, _ histogram: LatencyHistogram) -> String {
    guard histogram.count > 0 else { return "\(name): none" }
    let parts = quantiles.map { "\($0.label) \(Decimals.time(histogram.quantile($0.part)))" }
    return "\(name): \(parts.joined(separator: "  "))  max \(Decimals.time(histogram.maximum))"
  }

  /// The intervals as CSV with a header; times in microseconds, memory in bytes.
  package var csv: String {
    var lines = head.map { "# \($0)" }
    lines.append("seconds,actions_per_second,p50_us,p99_us,p99_9_us,max_us,hub_processors,hub_bytes,own_processors")
    for sample in samples {
      let latencies = [sample.p50, sample.p99, sample.p999, sample.maximum].map { value in
        value.map { Decimals.fixed(Double($0) / 1000, 1) } ?? ""
      }
      let cells =
        [Decimals.fixed(sample.time, 3), Decimals.fixed(sample.rate, 1)] + latencies + [
          sample.hubProcessors.map { Decimals.fixed($0, 3) } ?? "", sample.hubMemory.map { "\($0)" } ?? "",
          Decimals.fixed(sample.ownProcessors, 3),
        ]
      lines.append(cells.joined(separator: ","))
    }
    return lines.joined(separator: "\n")
  }
}
