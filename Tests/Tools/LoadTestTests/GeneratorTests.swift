import Glibc
import JSONText
import Synchronization
import Testing
import Wire

@testable import LoadTest

@Suite struct GeneratorTests {
  private func arrivals(_ plan: Plan, count: Int, offset: Double = 0, seconds: Double = 10) -> [UInt64] {
    var arrivals = Arrivals(plan, start: 1_000, share: 1, offset: offset, seconds: seconds, seed: 3)
    return (0..<count).map { _ in
      defer { arrivals.advance() }
      return arrivals.next
    }
  }

  @Test func evenArrivalsKeepTheirDistances() {
    var plan = Plan()
    plan.rate = 1000
    #expect(arrivals(plan, count: 4) == [1_000, 1_001_000, 2_001_000, 3_001_000])
    // Two threads alternate.
    #expect(arrivals(plan, count: 2, offset: 0.5) == [501_000, 1_501_000])
  }

  @Test func poissonArrivalsAreAsManyAndIrregular() {
    var plan = Plan()
    (plan.rate, plan.arrival) = (1000, .poisson)
    let times = arrivals(plan, count: 20_000)
    let gaps = zip(times.dropFirst(), times).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(mean / 1e6 - 1) < 0.03)
    // Equal to the mean, as for exponential intervals.
    #expect(abs(variance.squareRoot() / mean - 1) < 0.05)
  }

  @Test(arguments: [(100, 300), (300, 100)]) func aRampReachesItsEndAndGoesOn(first: Double, last: Double) {
    var plan = Plan()
    (plan.rate, plan.rampTo) = (first, last)
    let times = arrivals(plan, count: 4001)
    // (100 + 300) ÷ 2 × 10 s.
    #expect(abs(Double(times[2000]) / 1e9 - 10) < 0.01)
    let rate = { 1e9 / Double(times[$0] - times[$0 - 1]) }
    #expect(abs(rate(1) - first) < 2)
    #expect(abs(rate(2000) - last) < 2 && abs(rate(4000) - last) < 0.01)
  }

  /// The time of the ramp is that of its actions, so that the last one has the last rate.
  @Test(arguments: [(100, 300), (1000, 100)]) func aRampOfAFixedNumberOfActionsLastsAsLongAsThey(
    first: Double, last: Double
  ) {
    var plan = Plan()
    (plan.rate, plan.rampTo, plan.count) = (first, last, 5000)
    let times = arrivals(plan, count: 5001, seconds: plan.rampSeconds)
    #expect(abs(1e9 / Double(times[5000] - times[4999]) - last) < 2)
    #expect(abs(Double(times[5000]) / 1e9 - 10_000 / (first + last)) < 0.02)
    plan.warmup = 3
    #expect(plan.rampSeconds == 3 + 10_000 / (first + last))
    plan.duration = 7
    #expect(plan.rampSeconds == 10)
  }

  /// A generator thread that gets no processor until the end of the run.
  @Test(arguments: [(nil, 300), (0.5, 150)]) func aLateThreadStillSendsWhatWasDue(stop: Double?, due: Int) throws {
    let figures = try figuresOfALateThread(stop: stop) { $0.rate = 300 }
    #expect(figures.failure == nil && figures.totals.sent == due && figures.lateness.count == UInt64(due))
    #expect(figures.lateness.minimum > 900_000_000)
  }

  /// A rate that no hub keeps would fill the memory: each thread has its share of a limit for waiting actions.
  @Test func farTooManyActionsEndTheRun() throws {
    let figures = try figuresOfALateThread(stop: nil) { ($0.rate, $0.threads) = (1e9, 16 << 10) }
    guard case .overloaded(let waiting)? = figures.failure else {
      return #expect(Bool(false), "\(String(describing: figures.failure))")
    }
    #expect(waiting > 1024 && waiting == figures.totals.sent && waiting < 20_000)
  }

  /// The figures of a thread that finds a run of 1 s over, with a hub that is gone.
  private func figuresOfALateThread(stop: Double?, change: (inout Plan) -> Void) throws -> ThreadFigures {
    var plan = try Hub.plan("[action a]\nsend = counter.incrementButtonTapped", connections: 3)
    (plan.duration, plan.reconnects) = (1, true)
    change(&plan)
    let state = RunState(threads: 1)
    let start = Clock.now - 2_000_000_000
    state.begin(at: start, measuringFrom: start, until: start + 1_000_000_000)
    state.stop(at: stop.map { start + Clock.nanoseconds($0) } ?? Clock.now)
    let task = WorkerTask(
      path: "/nonexistent/hub.sock", plan: plan,
      source: try ActionSource(plan, schema: Hub.schema, state: Hub.state(todos: 0).encoded(), run: "RUN"),
      schema: Hub.schema, number: 0, watchers: [], isTouching: [true], scopeOfElement: nil)
    let thread = try GeneratorThread.start(task, state)
    while state.reports[0].figures.withLock({ $0.phase != .draining && $0.failure == nil }) { usleep(1000) }
    state.phase = .aborting
    GeneratorThread.join(thread)
    return state.reports[0].figures.withLock { $0 }
  }

  @Test func runsOfEqualTimesStayTogether() {
    var queue = RunQueue()
    var found: [String] = []
    queue.append(5, 3)
    queue.append(5, 1)
    queue.append(9, 2)
    #expect(queue.count == 6)
    queue.removeFirst(2) { found.append("\($0)×\($1)") }
    queue.removeFirst(3) { found.append("\($0)×\($1)") }
    #expect(found == ["5×2", "5×2", "9×1"] && queue.count == 1)
    queue.removeFirst(9) { found.append("\($0)×\($1)") }
    #expect(found.last == "9×1" && queue.count == 0)
    for time in 0..<20_000 {
      queue.append(UInt64(time), 1)
      if time >= 10 { queue.removeFirst(1) { time, _ in found.append("\(time)") } }
    }
    #expect(found.last == "19989" && queue.count == 10)
  }

  /// A subscriber to a part of one element waits only for actions that set this part.
  @Test(arguments: [
    ("todos.todos[{id}].text", ["text"]), ("todos.todos[{id}].isComplete", ["completion"]),
    ("todos.todos[{id}]", ["text", "completion"]),
    ("todos", ["add", "text", "completion"]), (".", ["add", "text", "completion", "increment"]),
  ]) func onlyActionsThatChangeAScopeCountForItsFreshness(scope: String, names: [String]) throws {
    var plan = try Hub.plan(
      """
      [action add]
      send = todos.addButtonTapped bread
      counts = todos.todos 1
      [action text]
      send = todos.todos[{id}].textChanged bread
      ids = todos.todos
      sets = todos.todos[{id}].text "bread"
      [action completion]
      send = todos.todos[{id}].completionChanged {toggle}
      ids = todos.todos
      sets = todos.todos[{id}].isComplete {toggle}
      [action increment]
      send = counter.incrementButtonTapped
      """)
    (plan.watchers, plan.scope, plan.scopes) = (3, scope, scope.contains("{id}") ? 3 : 1)
    let state = Hub.state(todos: 3).encoded()
    let source = try ActionSource(plan, schema: Hub.schema, state: state, run: "RUN")
    let watch = try WatchPlan(plan, schema: Hub.schema, state: state, run: "RUN")
    let filter = RevisionFilter(
      source: source, isTouching: source.kinds.map { watch.isTouched(by: $0, of: source.collections) },
      scopeOfElement: watch.scopeOfElement)
    for index in 0..<12 {
      var figures = ThreadFigures()
      filter.record(index..<index + 1, of: 0, 100, 5, &figures)
      let choice = source.choice(index, of: 0)
      let name = source.kinds[choice.kind].name
      #expect(figures.acknowledged.count == (names.contains(name) ? 1 : 0), "\(name)")
      #expect(
        figures.acknowledged.first.flatMap(\.scope)
          == (plan.scopes == 3 && names.contains(name) ? choice.values.element : nil))
    }
  }

  /// The acknowledgements of actions that a stall delayed arrive together.
  @Test(arguments: [("counter", 1), ("todos", 2)]) func aSampleStandsForAllActions(scope: String, kinds: Int) throws {
    var plan = try Hub.plan(
      "[action a]\nsend = counter.incrementButtonTapped\ncounts = counter.count 1\n"
        + "[action b]\nsend = todos.addButtonTapped bread\ncounts = \(scope == "counter" ? "counter.count" : "todos.todos") 1"
    )
    (plan.watchers, plan.scope) = (1, scope)
    let state = Hub.state(todos: 0).encoded()
    let source = try ActionSource(plan, schema: Hub.schema, state: state, run: "RUN")
    let watch = try WatchPlan(plan, schema: Hub.schema, state: state, run: "RUN")
    let filter = RevisionFilter(
      source: source, isTouching: source.kinds.map { watch.isTouched(by: $0, of: source.collections) },
      scopeOfElement: nil)
    var figures = ThreadFigures()
    for index in 0..<40_000 { filter.record(index..<index + 1, of: 0, UInt64(index), 5, &figures) }
    let late = figures.acknowledged.filter { $0.time >= 20_000 }.reduce(0) { $0 + $1.count }
    let all = figures.acknowledged.reduce(0) { $0 + $1.count }
    #expect(figures.acknowledged.count < 1000 && abs(all * kinds - 40_000) < 6_000)
    #expect(abs(late * kinds - 20_000) < 4_000)
  }

  @Test func actionsThatNoSubscriberSawAreCounted() {
    var freshness = Freshness(scopes: [nil])
    var figures = ThreadFigures()
    // Those of a long stall, of which only a sample is kept.
    figures.acknowledged = (0..<64_000).map { .init(time: $0, revision: 5 + $0, count: 1, scope: nil) }
    freshness.take(&figures)
    #expect(freshness.unseen == 64_000)
    figures.arrivals = [.init(watcher: 0, revision: 32_004, time: 64_000)]
    freshness.take(&figures)
    #expect(freshness.histogram.count == 32_000 && freshness.unseen == 32_000)
    #expect(freshness.histogram.maximum == 64_000)
  }

  /// A slow one sends no times, so that every action would wait for it.
  @Test func freshnessIsNotMeasuredWithSlowSubscribers() throws {
    var plan = try Hub.plan("[action a]\nsend = counter.incrementButtonTapped")
    (plan.watchers, plan.slowWatchers) = (4, 1)
    let watch = try WatchPlan(plan, schema: Hub.schema, state: Hub.state(todos: 0).encoded(), run: "RUN")
    #expect(watch.sampledScopes.count == 3)
  }

  /// Only then must each of them have received the last one.
  @Test(arguments: [
    ("counts = counter.count 1", ".", true), ("counts = counter.count 1", "counter", true),
    ("counts = counter.count 1", "todos", false), ("counts = counter.count 0", ".", false), ("", ".", false),
    (
      "counts = counter.count 1\n[action b]\nsend = counter.decrementButtonTapped\ncounts = counter.count -1", ".",
      false
    ),
    ("creates = todos.todos text \"x\"", "todos", true),
    ("ids = todos.todos\nsets = todos.todos[{id}].text \"{n}\"", "todos", true),
    ("ids = todos.todos\nsets = todos.todos[{id}].text \"bread\"", "todos", false),
    ("ids = todos.todos\nsets = todos.todos[{id}].text \"{n}\"", "todos.todos[{id}]", false),
  ]) func actionsThatSurelyChangeAPartAreKnown(effect: String, scope: String, isSure: Bool) throws {
    var plan = try Hub.plan("[action a]\nsend = counter.incrementButtonTapped\n\(effect)")
    (plan.watchers, plan.scope) = (1, scope)
    let state = Hub.state(todos: 3).encoded()
    let source = try ActionSource(plan, schema: Hub.schema, state: state, run: "RUN")
    let watch = try WatchPlan(plan, schema: Hub.schema, state: state, run: "RUN")
    #expect(watch.isChangedByAll(source.kinds, of: source.collections) == isSure)
  }

  @Test func freshnessIsTheFirstFrameThatShowsTheAction() {
    var freshness = Freshness(scopes: [nil, 1])
    var figures = ThreadFigures()
    figures.acknowledged = [
      .init(time: 100, revision: 5, count: 2, scope: 0), .init(time: 150, revision: 7, count: 1, scope: 1),
    ]
    freshness.take(&figures)
    #expect(freshness.histogram.count == 0)
    figures.arrivals = [
      .init(watcher: 0, revision: 4, time: 200), .init(watcher: 0, revision: 7, time: 300),
      .init(watcher: 1, revision: 7, time: 450),
    ]
    freshness.take(&figures)
    // Both at the first subscriber, and the second one at the subscriber of its scope.
    #expect(freshness.histogram.count == 4)
    #expect(freshness.histogram.minimum == 150 && freshness.histogram.maximum == 300)
  }
}

@Suite struct ComparisonTests {
  @Test func aSearchEndsNearTheCapacity() {
    var search = RateSearch(limit: 1_000_000, from: 1000)
    while let rate = search.next {
      let isKept = rate <= 37_000
      search.take(
        .init(wanted: rate, reached: rate, p99: isKept ? 1 : 2_000_000, isKept: isKept, isGeneratorLate: false))
    }
    let best = search.steps.best?.wanted ?? 0
    #expect(best <= 37_000 && best > 37_000 / 1.06 && search.steps.count < 15)
  }

  @Test func aSearchThatFindsNothingEnds() {
    var search = RateSearch(limit: 1, from: 1000)
    while let rate = search.next {
      search.take(.init(wanted: rate, reached: rate, p99: 2, isKept: false, isGeneratorLate: false))
    }
    #expect(search.steps.best == nil && search.steps.count < 8)
  }

  @Test func ranksTellNoiseFromChange() {
    let (noise, same) = ([10, 12, 11, 9, 13, 10.5, 11.5, 12.5], [11, 10, 12, 9.5, 12.7, 10.2, 11.1, 12.1])
    #expect(abs(Comparison.mannWhitney(noise, same)) < 1)
    #expect(Comparison.mannWhitney(noise, same.map { $0 + 5 }) > 3)
    let verdict = { (after: [Double], change: Double) in
      Comparison.verdict(noise, after, isMoreBetter: false, least: 0.01, hasNoise: true, change: change)
    }
    #expect(verdict(same, -0.01) == .same)
    #expect(verdict(same.map { $0 + 5 }, 0.45) == .worse)
    #expect(verdict(same.map { $0 - 5 }, -0.45) == .better)
    #expect(verdict([3, 4], -0.7) == .unclear)
  }

  /// A run that ends early may have had little to do.
  @Test func aFailedRunIsNotCompared() throws {
    func result(_ rate: Int, _ status: Int, _ failure: JSONValue = .null) -> JSONValue {
      [
        "latencyMicroseconds": ["p50": .integer(5)], "actionsPerSecond": .integer(rate),
        "exitStatus": .integer(status), "failure": failure,
      ]
    }
    let sound = try Comparison(before: [result(100, 0)], after: [result(90, 0)])
    #expect(sound.failures.isEmpty && !sound.isWorse && sound.rows.first?.after == 90)
    let mixed = try Comparison(
      before: [result(100, 0)], after: [result(900, 5, "the hub went away"), result(90, 0)])
    #expect(mixed.failures == ["run 1 after: the hub went away"] && mixed.isWorse)
    #expect(mixed.rows.first?.after == 90 && mixed.runsAfter == 1)
    let none = try Comparison(before: [result(100, 130)], after: [result(900, 5)])
    #expect(none.rows.isEmpty && none.isWorse && none.text.contains("failed: run 1 before: exit status 130"))
  }

  private func result(_ plan: JSONValue, samples: JSONValue = .array([])) -> JSONValue {
    [
      "latencyMicroseconds": ["p50": .number("5")], "actionsPerSecond": .number("100"), "exitStatus": .integer(0),
      "plan": plan, "samples": samples,
    ]
  }

  @Test func allSettingsOfAllRunsAreCompared() throws {
    let same = result(["arrival": "even", "warmup": .integer(1), "seed": .integer(1)])
    let other = result(["arrival": "even", "warmup": .integer(2), "seed": .integer(2)])
    #expect(try Comparison(before: [same, same], after: [same]).differences.isEmpty)
    let differences = try Comparison(before: [same, other], after: [same]).differences
    #expect(differences.map(\.name) == ["plan warmup"] && differences[0].before == "1, 2")
    #expect(try Comparison(before: [other], after: [other]).differences.isEmpty)
  }

  /// Otherwise a stall would lower the latencies.
  @Test func anIntervalWithoutAcknowledgementsHasNoLatencies() throws {
    var report = LoadReport(plan: Plan())
    var sample = LoadReport.Sample()
    sample.time = 1
    report.samples = [sample]
    #expect(report.csv.hasSuffix("\n1.000,0.0,,,,,,,0.000"))
    guard case .array(let samples)? = report.json["samples"] else {
      Issue.record("no samples")
      return
    }
    #expect(samples[0]["p99"] == .null && samples[0]["max"] == .null && sample.line.contains("p99 none"))
    sample.p99 = 7
    report.samples = [sample, .init()]
    #expect(report.csv.hasSuffix(",0.000") && report.html.contains("<svg"))
    let full: JSONValue = ["p50": .number("5"), "actionsPerSecond": .number("1")]
    let empty: JSONValue = ["p50": .null, "actionsPerSecond": .number("1")]
    let before = result([:], samples: .array(Array(repeating: full, count: 6)))
    let after = result([:], samples: .array(Array(repeating: full, count: 6) + Array(repeating: empty, count: 9)))
    let row = try Comparison(before: [before], after: [after]).rows.first { $0.name == "p50 µs" }
    #expect(row?.verdict == .same && row?.rangeAfter == 5...5)
  }

  /// Zeros would look like the best result.
  @Test func aRunWithoutAcknowledgementsHasNoLatencies() {
    var report = LoadReport(plan: Plan())
    var search = RateSearch(limit: 1_000_000, from: 1000)
    search.take(report)
    report.searched = search.steps
    #expect(search.steps[0].p99 == nil && !search.steps[0].isKept && "\(search.steps[0])".contains("p99 none"))
    let latencies = report.json["latencyMicroseconds"]
    for name in ["p50", "p99_99", "max", "min", "mean"] { #expect(latencies?[name] == .null, "\(name)") }
    #expect(latencies?["count"] == .integer(0))
    #expect(report.text.contains("\nlatency from sending: none\n"))
    report.latencies.add(7000)
    #expect(report.json["latencyMicroseconds"]?["p99"]?.double == 7)
  }

  /// On a busy machine, the result says nothing about the hub.
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func aSearchNamesWhatLimitedIt(isLate: Bool, isFirstKept: Bool) {
    var report = LoadReport(plan: Plan())
    report.searched = [
      .init(wanted: 100, reached: 100, p99: 1, isKept: isFirstKept, isGeneratorLate: isFirstKept ? false : isLate),
      .init(wanted: 400, reached: 100, p99: 9, isKept: false, isGeneratorLate: true),
      .init(wanted: 200, reached: 200, p99: 9, isKept: false, isGeneratorLate: isLate),
    ]
    #expect(report.text.contains("this program was the limit, not the hub") == isLate)
  }

  @Test func theStatusOfASearchIsInItsReport() {
    var report = LoadReport(plan: Plan())
    report.searched = [.init(wanted: 1, reached: 1, p99: 5, isKept: false, isGeneratorLate: false)]
    #expect(report.exitStatus == 9)
    report.signal = 2
    #expect(report.exitStatus == 130)
    report.failure = .failed("cannot write a file")
    #expect(report.exitStatus == 1)
  }

  @Test(arguments: [1e19, 1e30, 1e250, 1e308, .infinity], [false, true])
  func aChartOfHugeNumbersIsDrawn(value: Double, isLogarithmic: Bool) {
    for unit in Chart.Unit.allCases {
      let axis = Chart.Axis("a", unit, isLogarithmic: isLogarithmic)
      let points = [Chart.Point(1, 1), Chart.Point(value, value), Chart.Point(1 / value, 1 / value)]
      #expect(Chart("huge", x: axis, y: axis, [.init("x", points)]).svg(isStandalone: true).hasSuffix("</svg>"))
    }
  }

  @Test func chartsAreWellFormedAndEscaped() {
    let points = [Chart.Point(10, 20_000), Chart.Point(1_000_000, 40_000)]
    let chart = Chart(
      "a < b", x: .init("n", isLogarithmic: true), y: .init("time", .time), [.init("x & y", points), .init("z", [])])
    let svg = chart.svg(isStandalone: true)
    #expect(svg.contains("a &lt; b") && svg.contains("x &amp; y") && !svg.contains("nan"))
    #expect(svg.contains("prefers-color-scheme") && svg.contains("1 M") && svg.contains("40 µs"))
    #expect(svg.split(separator: "<text").count == svg.split(separator: "</text>").count)
  }

  @Test func numbersAreShort() {
    #expect(Decimals.grouped(1_234_567) == "1,234,567" && Decimals.grouped(12) == "12")
    #expect(Decimals.short(12_345) == "12.3 k" && Decimals.time(83_120) == "83.1 µs")
    #expect(Decimals.fixed(-0.004, 2) == "0.00" && Decimals.fixed(2.5, 1) == "2.5")
  }
}
