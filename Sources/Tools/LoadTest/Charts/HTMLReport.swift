internal import JSONText
internal import Wire

extension LoadReport {
  /// The report as a page with charts, in light and dark colours, without other files or a network.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>\(Chart.escaped("\(plan.name): \(Decimals.short(actionsPerSecond)) actions/s"))</title>
    <style>
    :root{color-scheme:light dark}
    body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2rem auto;padding:0 1rem;background:#fff;color:#222}
    h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
    table{border-collapse:collapse;width:100%}td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #ddd}
    td:first-child,th:first-child{text-align:left}
    .failed{background:#fde8e8;padding:.6rem 1rem}.note{color:#666}svg{width:100%;height:auto;margin:.6rem 0}
    @media (prefers-color-scheme:dark){body{background:#16181d;color:#ddd}td,th{border-color:#333}
    .failed{background:#4a1f1f}.note{color:#999}}
    \(Chart.style)
    </style>
    </head>
    <body>
    <h1>\(Chart.escaped(plan.name)): \(Decimals.grouped(actionsPerSecond)) actions/s</h1>
    \(head.map { "<p class=\"note\">\(Chart.escaped($0))</p>" }.joined(separator: "\n"))
    \(verdict)
    <h2>Latencies</h2>
    \(table)
    \(charts.map { $0.svg(isStandalone: false) }.joined(separator: "\n"))
    <h2>Verified</h2>
    <ul>
    \(checks.map { "<li>\(Chart.escaped($0))</li>" }.joined(separator: "\n"))
    \(unchecked.map { "<li>Not verified: \(Chart.escaped($0))</li>" }.joined(separator: "\n"))
    </ul>
    <script type="application/json" id="result">\(json.description.replacing("<", with: "\\u003c"))</script>
    </body>
    </html>

    """
  }

  private var verdict: String {
    let lines = [
      failure.map { "Failed: \($0)" }, signal.map { "Ended early by signal \($0)." },
      isGeneratorLate ? "The generator could not send at the wanted times; the latencies are partly its own." : nil,
    ]
    return lines.compactMap(\.self).map { "<p class=\"failed\">\(Chart.escaped($0))</p>" }.joined(separator: "\n")
  }

  private var table: String {
    let names = Self.quantiles.map { "<th>\($0.label)</th>" }.joined()
    var rows = ["<tr><th></th>\(names)<th>max</th></tr>"]
    let histograms = [
      (plan.isOpenLoop ? "from the intended time" : "from sending", latencies), ("freshness", freshness),
      ("lateness of the generator", lateness), ("connecting", connects),
    ]
    for (name, histogram) in histograms where histogram.count > 0 {
      let cells = Self.quantiles.map { "<td>\(Decimals.time(histogram.quantile($0.part)))</td>" }.joined()
      rows.append("<tr><td>\(name)</td>\(cells)<td>\(Decimals.time(histogram.maximum))</td></tr>")
    }
    return "<table>\n\(rows.joined(separator: "\n"))\n</table>"
  }

  /// The charts of the page.
  var charts: [Chart] {
    let seconds = Chart.Axis("seconds")
    func line(_ name: String, _ value: (Sample) -> Double?) -> Chart.Series {
      Chart.Series(name, samples.compactMap { sample in value(sample).map { Chart.Point(sample.time, $0) } })
    }
    var charts: [Chart] = []
    if samples.count > 1 {
      charts.append(Chart("Throughput", x: seconds, y: .init("actions/s"), [line("acknowledged") { $0.rate }]))
      charts.append(
        Chart(
          "Latency over time", x: seconds, y: .init("latency", .time, isLogarithmic: true),
          [
            line("p50") { $0.p50.map(Double.init) }, line("p99") { $0.p99.map(Double.init) },
            line("p99.9") { $0.p999.map(Double.init) }, line("max") { $0.maximum.map(Double.init) },
          ]))
    }
    if latencies.count > 0 {
      var series = [Chart.Series(plan.isOpenLoop ? "from the intended time" : "from sending", Self.curve(latencies))]
      if freshness.count > 0 { series.append(.init("freshness", Self.curve(freshness))) }
      charts.append(
        Chart(
          "Latency by percentile", x: .init("percentile", .percentile, isLogarithmic: true),
          y: .init("latency", .time, isLogarithmic: true), series))
    }
    if samples.count > 1, samples.contains(where: { $0.hubProcessors != nil }) {
      charts.append(
        Chart(
          "Processors in use", x: seconds, y: .init("processors"),
          [line("hub") { $0.hubProcessors }, line("storeload") { $0.ownProcessors }]))
      charts.append(
        Chart(
          "Memory of the hub", x: seconds, y: .init("resident", .bytes),
          [line("hub") { $0.hubMemory.map(Double.init) }]))
    }
    return charts
  }

  /// Returns latencies by 1 ÷ (1 − quantile), which gives the same space to each additional nine.
  private static func curve(_ histogram: LatencyHistogram) -> [Chart.Point] {
    var (points, passed): ([Chart.Point], UInt64) = ([], 0)
    var last = 0.0
    for bucket in histogram.buckets {
      passed += bucket.count
      let x = Double(histogram.count) / max(Double(histogram.count - passed), 0.5)
      // Closer points cannot be distinguished.
      guard last == 0 || x > last * 1.01 else { continue }
      points.append(Chart.Point(x, Double(bucket.nanoseconds)))
      last = x
    }
    return points
  }
}
