internal import Glibc
internal import SchemaNames
internal import Wire

/// Loads a hub with actions, measures it, and verifies the resulting state.
///
/// It creates the actions of any feature from the hub's schema. In a closed loop each connection sends its next action
/// after an acknowledgement. In an open loop actions arrive at scheduled times, from which latency is measured. So if
/// the hub stalls, the latency of every action that arrived meanwhile includes the stall.
package final class LoadTest {
  private let path: String
  private var plan: Plan
  private let process: Int32?
  private var report: LoadReport
  /// The reason of the first refused action.
  private var refusal: String?
  /// Called with the measurements of each interval.
  package var onSample: ((LoadReport.Sample) -> Void)?
  /// Waits some seconds, or none, and returns the number of a signal that arrived meanwhile.
  package var wait: (Double) -> Int32? = { seconds in
    usleep(UInt32(seconds * 1e6))
    return nil
  }

  /// Creates a test that is not started yet.
  ///
  /// - Parameters:
  ///   - path: The hub's socket.
  ///   - plan: The plan of the test.
  ///   - process: The hub's process, if it is not the one that listens.
  package init(path: String, plan: Plan, process: Int32? = nil) {
    (self.path, self.plan, self.process) = (path, plan, process)
    report = LoadReport(plan: plan)
  }

  /// Runs the test, and returns its results, or the reason why it failed.
  package func run() -> LoadReport {
    report.machine = .this
    report.date = Int64(time(nil))
    report.run = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 36)
    do throws(LoadError) {
      try perform()
    } catch {
      if case .interrupted(let signal) = error { report.signal = signal }
      report.failure = error
    }
    // A wrong result says more than a refused action.
    if report.failure == nil, let refusal { report.failure = .rejected(reason: refusal) }
    return report
  }

  private func perform() throws(LoadError) {
    let named = process.map { HubProcess(id: $0) }
    let timeBefore = named?.processorTime
    if let named, named.residentBytes == nil {
      throw .scenario("there is no process \(named.id) to measure; give the number of the hub's process with --hub-pid")
    }
    let control = try session()
    defer { control.leave() }
    report.hub = control.hubName
    report.process = process ?? control.process
    let hub = report.process.map { HubProcess(id: $0) }
    report.durability = try ControlSession.durability(of: path, timeout: plan.timeout, pause: wait) ?? hub?.durability
    let schema = try control.schema()
    if let named, let timeBefore { try check(named, worksSince: timeBefore) }
    let filled = try fill(control, schema)
    guard report.signal == nil else { return }

    guard let before = try control.snapshot([])?.snapshot else { throw .doesNotFit("the hub has no state") }
    if let filled { try checkFilled(before, schema, since: filled) }
    let source = try ActionSource(plan, schema: schema, state: before.bytes, run: report.run)
    try refuseTooMany(source)
    try refuseTooLarge(source, control)
    report.memoryBefore = hub?.residentBytes
    let run = Run(path: path, plan: plan, source: source, hub: hub)
    run.onSample = onSample
    run.wait = wait
    let watchers = try WatchPlan(plan, schema: schema, state: before.bytes, run: report.run)
    defer {
      run.fill(&report)
      refusal = run.total.refusal
    }
    try run.perform(watchers, schema)
    guard !run.isAbandoned else { return }
    // The hub may have been restarted since.
    let last = plan.reconnects ? try session() : control
    defer { if plan.reconnects { last.leave() } }
    try verify(last, schema, source, before, run)
    try checkMeasured(run)
  }

  /// Fails if a process has used no CPU time since the hub was sent its first request.
  private func check(_ process: HubProcess, worksSince time: UInt64) throws(LoadError) {
    // Without statistics of the scheduler, the kernel counts no time.
    guard time > 0, process.processorTime == time else { return }
    // The kernel may count the time of a process that does not pause only at its clock's next tick.
    if let signal = wait(0.05) { throw .interrupted(signal: signal) }
    guard process.processorTime == time else { return }
    throw .scenario(
      "process \(process.id) (\(process.name)) did nothing while the hub answered; give the number of the hub's process "
        + "with --hub-pid")
  }

  private func session() throws(LoadError) -> ControlSession {
    try ControlSession(path: path, timeout: plan.timeout, pause: wait)
  }

  /// Fails if fewer actions were measured than wanted, or none.
  private func checkMeasured(_ run: Run) throws(LoadError) {
    let measured = run.total.totals.measured
    guard run.signal == nil, measured < plan.count ?? 1 else { return }
    guard let count = plan.count else { throw .failed("no action was measured: the run is too short") }
    throw .doesNotFit(
      "\(measured) of \(count) actions were measured, because the warm-up used up the elements: fill the list with "
        + "more --todos, or shorten --warmup")
  }

  /// Fails if an action can fit no frame, for which the hub would close each connection.
  private func refuseTooLarge(_ source: ActionSource, _ control: ControlSession) throws(LoadError) {
    for kind in source.kinds where kind.segments.leastByteCount > control.payloadLimit {
      let name = kind.name.count > 60 ? "\(kind.name.prefix(60))…" : kind.name
      throw .doesNotFit(
        "the action '\(name)' has \(kind.segments.leastByteCount) bytes, and this hub takes at most "
          + "\(control.payloadLimit): use a smaller --payload, or shorter texts")
    }
  }

  /// Sends the scenario's filling action until the collection is long enough.
  ///
  /// - Returns: The revision that these actions alone lead to; nil if none was necessary.
  private func fill(_ control: ControlSession, _ schema: Schema) throws(LoadError) -> UInt64? {
    guard let action = plan.fill, plan.fillCount > 0 else { return nil }
    guard let before = try control.snapshot([])?.snapshot else { throw .doesNotFit("the hub has no state") }
    let length = try filledLength(before, schema)
    guard length < plan.fillCount else { return nil }
    var filling = Plan()
    (filling.actions, filling.count, filling.depth) = ([action], plan.fillCount - length, 256)
    (filling.payload, filling.timeout) = (plan.payload, plan.timeout)
    let source = try ActionSource(filling, schema: schema, state: before.bytes, run: report.run)
    try refuseTooLarge(source, control)
    let run = Run(path: self.path, plan: filling, source: source, hub: nil)
    run.wait = wait
    try run.perform(WatchPlan(), schema)
    if let refusal = run.total.refusal { throw .rejected(reason: refusal) }
    report.signal = run.signal
    return before.revision + UInt64(run.total.totals.answered)
  }

  /// Fails if the collection is still too short, with which this would be another measurement.
  private func checkFilled(
    _ state: ControlSession.Snapshot, _ schema: Schema, since revision: UInt64
  ) throws(LoadError) {
    let length = try filledLength(state, schema)
    // Each action of another client may have removed an element.
    guard length + Int(max(state.revision, revision) - revision) < plan.fillCount else { return }
    throw .doesNotFit("\(plan.fillPath) has \(length) elements after filling, and not \(plan.fillCount)")
  }

  private func filledLength(_ state: ControlSession.Snapshot, _ schema: Schema) throws(LoadError) -> Int {
    let path = try TemplateCompiler(schema: schema, run: report.run, payload: plan.payload).path(plan.fillPath)
    guard let length = try StateReader(schema: schema).number(at: path, of: state.bytes) else {
      throw .doesNotFit("\(plan.fillPath) is not a collection")
    }
    return length
  }

  private func refuseTooMany(_ source: ActionSource) throws(LoadError) {
    guard let count = plan.count else { return }
    let limits = (0..<plan.connections).map { source.limit(of: $0) }
    guard limits.allSatisfy({ $0 != nil }) else { return }
    let most = limits.reduce(0) { $0 + ($1 ?? 0) }
    guard most < count else { return }
    throw .doesNotFit(
      "there are \(most) elements to remove and these actions need \(count): fill the list with --todos \(count)")
  }

  private func verify(
    _ control: ControlSession, _ schema: Schema, _ source: ActionSource, _ before: ControlSession.Snapshot, _ run: Run
  ) throws(LoadError) {
    guard let (after, hash) = try control.snapshot([], hashLimit: plan.hashLimit) else {
      throw .wrong("the hub has no state any more")
    }
    let reader = StateReader(schema: schema)
    var verification = Verification(
      source: source, reader: reader, before: before, after: after, answered: run.total.answeredBy,
      refused: run.total.refusedBy, isAlone: plan.isAlone)
    var names: [[PathStep]: String] = [:]
    for action in plan.actions {
      guard let name = action.counts?.split(separator: " ").first.map(String.init) else { continue }
      if let path = try? schema.path(named: name) { names[path] = name }
    }
    defer {
      (report.checks, report.others, report.counts) = (verification.checks, verification.others, verification.counts)
      report.unchecked = verification.unchecked
    }
    try verification.run(named: names)
    if let hash {
      do throws(WireError) {
        var decoder = CBORDecoder(after.bytes.span.bytes)
        let values = SchemaValues(schema)
        let here = values.hash(of: try values.value(of: schema.state, from: &decoder), as: schema.state)
        guard here == hash else {
          throw WireError(.doesNotFit(type: "state whose hash is \(hash) at the hub and \(here) here"), at: 0)
        }
      } catch {
        throw .wrong("\(error)")
      }
      verification.note("the state's hash is the hub's, \(hash)")
    }
    try verification.verifySubscribers(run.total, of: plan.watchers, isChangedByAll: run.isChangedByAll)
  }
}
