internal import CEpoll
internal import Glibc
internal import Synchronization
internal import Wire

/// One run of the generator threads, controlled by the main thread.
final class Run {
  private let path: String
  private let plan: Plan
  private let source: ActionSource
  private let hub: HubProcess?
  private(set) var total = ThreadFigures()
  private(set) var signal: Int32?
  /// True if nothing can be verified.
  private(set) var isAbandoned = false
  /// True if every action changes the part of every subscriber.
  private(set) var isChangedByAll = false
  private var failure: LoadError?
  private var state: RunState
  private var freshness = Freshness(scopes: [])
  private var samples: [LoadReport.Sample] = []
  private var (processorStart, processorEnd): (UInt64?, UInt64?)
  private var memoryEnd: Int?
  private var interval = ThreadFigures()
  private var (intervalStart, intervalHub, intervalOwn, intervalMeasured): (UInt64, UInt64?, UInt64, Int) = (
    0, nil, 0, 0
  )
  /// The time of the last acknowledgement or opened connection.
  private var progress: (time: UInt64, count: Int) = (0, -1)
  var onSample: ((LoadReport.Sample) -> Void)?
  var wait: (Double) -> Int32? = { _ in nil }

  init(path: String, plan: Plan, source: ActionSource, hub: HubProcess?) {
    (self.path, self.plan, self.source, self.hub) = (path, plan, source, hub)
    state = RunState(threads: plan.threads)
  }

  /// Opens the connections, sends, waits for the acknowledgements and compares the subscribers' states.
  func perform(_ watch: WatchPlan, _ schema: Schema) throws(LoadError) {
    freshness = Freshness(scopes: watch.sampledScopes)
    isChangedByAll = watch.isChangedByAll(source.kinds, of: source.collections)
    var threads = ThreadGroup(state)
    for number in 0..<plan.threads {
      try threads.start(
        WorkerTask(
          path: path, plan: plan, source: source, schema: schema, number: number,
          watchers: watch.watchers.filter { $0.number % plan.threads == number },
          isTouching: source.kinds.map { watch.isTouched(by: $0, of: source.collections) },
          scopeOfElement: watch.scopeOfElement))
    }
    open()
    if failure == nil, signal == nil {
      send()
      if failure == nil { drain() }
      processorEnd = hub?.processorTime
      memoryEnd = hub?.residentBytes
      if failure == nil, !isAbandoned { verifyWatchers() }
    } else {
      isAbandoned = true
    }
    state.phase = failure == nil ? .ending : .aborting
    threads.join()
    take()
    for report in state.reports {
      let (answered, refused) = report.figures.withLock { ($0.answeredBy, $0.refusedBy) }
      total.answeredBy.merge(answered) { $1 }
      total.refusedBy.merge(refused) { $1 }
    }
    if let failure { throw failure }
  }

  // MARK: Phases

  private func open() {
    let wanted = plan.connections + plan.watchers
    while failure == nil, signal == nil {
      take()
      if total.ready == wanted { return }
      watchProgress(total.ready, "\(total.ready) of \(wanted) connections were opened")
      signal = wait(0.002)
    }
  }

  private func send() {
    let start = Clock.now + 5_000_000
    let measureStart = start + Clock.nanoseconds(plan.warmup)
    let end = plan.duration.map { measureStart + Clock.nanoseconds($0) } ?? .max
    let length = plan.duration.map { min(max($0 / 60, 0.1), 1) } ?? 0.5
    (processorStart, intervalOwn) = (hub?.processorTime, Self.ownTime)
    (intervalStart, intervalHub) = (measureStart, processorStart)
    state.begin(at: start, measuringFrom: measureStart, until: end)
    var hasMeasured = plan.warmup == 0
    while failure == nil, signal == nil {
      let now = Clock.now
      if !hasMeasured, now >= measureStart {
        hasMeasured = true
        (processorStart, intervalOwn) = (hub?.processorTime, Self.ownTime)
        intervalHub = processorStart
      }
      take()
      if now >= intervalStart + Clock.nanoseconds(length), now > measureStart { sample(now) }
      if now >= end || isDone(in: .sending) { return }
      if total.totals.answered < total.totals.sent {
        watchProgress(total.totals.answered, answers)
      } else {
        progress.time = now
      }
      signal = wait(now < start + 200_000_000 ? 0.002 : 0.02)
    }
  }

  private func drain() {
    state.stop(at: Clock.now)
    while failure == nil {
      take()
      if isDone(in: .draining) { break }
      watchProgress(total.totals.answered, answers)
      if isAbandoned(waiting: 0.001) { return }
    }
    // The last interval, unless it is too short. A short run has only this one.
    let shortest: UInt64 = samples.isEmpty ? 0 : 50_000_000
    if total.totals.measured > intervalMeasured, total.lastAnswer > intervalStart + shortest {
      sample(total.lastAnswer)
    }
  }

  private func verifyWatchers() {
    guard plan.watchers > 0 else { return }
    if isChangedByAll { state.finalRevision = total.lastRevision }
    state.phase = .verifying
    progress = (Clock.now, -1)
    while failure == nil {
      take()
      if isDone(in: .verifying) {
        if total.totals.behind == 0 { return }
        // Another client's action may have advanced the revision without a change of the part.
        if isSilent(total.totals.deltas) { return }
      } else {
        watchProgress(total.totals.hashes, "the hub did not answer for the hashes of all subscribers")
      }
      if isAbandoned(waiting: 0.002) { return }
    }
  }

  /// Waits, and returns true after a second signal, which ends the run without waiting for acknowledgements.
  private func isAbandoned(waiting seconds: Double) -> Bool {
    guard let further = wait(seconds) else { return false }
    isAbandoned = signal != nil
    signal = further
    return isAbandoned
  }

  private func isDone(in phase: RunState.Phase) -> Bool {
    state.reports.allSatisfy { report in
      report.figures.withLock { figures in
        guard figures.phase == phase else { return false }
        switch phase {
        case .sending: return figures.isDone
        case .draining: return figures.isDrained
        default: return figures.isVerified
        }
      }
    }
  }

  /// Fails if there was no progress for too long.
  private func watchProgress(_ count: Int, _ reason: @autoclosure () -> String) {
    if isSilent(count) { failure = .silent(seconds: plan.timeout, reason: reason()) }
  }

  /// Returns true if a number has not changed for too long.
  private func isSilent(_ count: Int) -> Bool {
    let now = Clock.now
    if count != progress.count { progress = (now, count) }
    return now > progress.time && now - progress.time > Clock.nanoseconds(plan.timeout)
  }

  private var answers: String { "\(total.totals.answered) of \(total.totals.sent) actions were answered" }

  // MARK: Figures

  /// Collects the threads' measurements.
  private func take() {
    var (ready, lastAnswer, lastRevision, totals) = (0, UInt64(0), UInt64(0), ThreadFigures.Totals())
    for report in state.reports {
      report.figures.withLock { figures in
        figures.take(into: &interval)
        ready += figures.ready
        lastAnswer = max(lastAnswer, figures.lastAnswer)
        lastRevision = max(lastRevision, figures.lastRevision)
        totals += figures.totals
        failure = failure ?? figures.failure
        total.refusal = total.refusal ?? figures.refusal
      }
    }
    (total.ready, total.lastAnswer, total.lastRevision, total.totals) = (ready, lastAnswer, lastRevision, totals)
    freshness.take(&interval)
  }

  private func mergeInterval() {
    total.latencies.merge(interval.latencies)
    total.lateness.merge(interval.lateness)
    total.connects.merge(interval.connects)
    interval.latencies.removeAll()
    interval.lateness.removeAll()
    interval.connects.removeAll()
  }

  private func sample(_ now: UInt64) {
    var sample = LoadReport.Sample()
    let nanoseconds = Double(max(now - intervalStart, 1))
    sample.time = Double(now - state.measureStart) / 1e9
    sample.rate = Double(total.totals.measured - intervalMeasured) / nanoseconds * 1e9
    if interval.latencies.count > 0 {
      sample.p50 = interval.latencies.quantile(0.5)
      sample.p99 = interval.latencies.quantile(0.99)
      sample.p999 = interval.latencies.quantile(0.999)
      sample.maximum = interval.latencies.maximum
    }
    let (hubTime, ownTime) = (hub?.processorTime, Self.ownTime)
    if let hubTime, let intervalHub, hubTime >= intervalHub {
      sample.hubProcessors = Double(hubTime - intervalHub) / nanoseconds
    }
    sample.ownProcessors = Double(ownTime - intervalOwn) / nanoseconds
    sample.hubMemory = hub?.residentBytes
    sample.refused = total.totals.refused
    (intervalStart, intervalHub, intervalOwn, intervalMeasured) = (now, hubTime, ownTime, total.totals.measured)
    samples.append(sample)
    mergeInterval()
    onSample?(sample)
  }

  /// The CPU time of this process in nanoseconds.
  private static var ownTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Writes the measurements into a report.
  func fill(_ report: inout LoadReport) {
    mergeInterval()
    (report.actions, report.sent, report.answered) = (total.totals.measured, total.totals.sent, total.totals.answered)
    report.seconds = total.lastAnswer > state.measureStart ? Double(total.lastAnswer - state.measureStart) / 1e9 : 0
    (report.latencies, report.lateness, report.connects) = (total.latencies, total.lateness, total.connects)
    (report.freshness, report.unseen) = (freshness.histogram, freshness.unseen)
    if let start = processorStart, let end = processorEnd, end >= start { report.processorNanoseconds = end - start }
    report.memoryAfter = memoryEnd
    report.samples = samples
    (report.deltas, report.snapshots) = (total.totals.deltas, total.totals.snapshots)
    (report.bookmarks, report.absences) = (total.totals.bookmarks, total.totals.absences)
    (report.sentBytes, report.receivedBytes) = (total.totals.sentBytes, total.totals.receivedBytes)
    (report.replaced, report.resumed) = (total.totals.replaced, total.totals.resumed)
    report.lost = total.totals.lost
    (report.refused, report.signal) = (total.totals.refused, signal)
  }
}

/// The threads of a run, which end with it.
private struct ThreadGroup: ~Copyable {
  private let state: RunState
  private var threads: [pthread_t] = []

  init(_ state: RunState) { self.state = state }

  mutating func start(_ task: WorkerTask) throws(LoadError) { threads.append(try GeneratorThread.start(task, state)) }

  mutating func join() {
    for thread in threads { GeneratorThread.join(thread) }
    threads = []
  }

  deinit {
    guard !threads.isEmpty else { return }
    state.phase = .aborting
    for thread in threads { GeneratorThread.join(thread) }
  }
}
