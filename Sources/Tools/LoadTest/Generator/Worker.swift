internal import Glibc
internal import Synchronization
internal import Wire

/// The task of a generator thread.
struct WorkerTask: Sendable {
  let path: String
  let plan: Plan
  let source: ActionSource
  let schema: Schema
  /// The number of the thread.
  let number: Int
  /// The subscribers' paths, and the indices of their scopes.
  let watchers: [(number: Int, scope: Int?, path: [PathStep], isSlow: Bool)]
  let isTouching: [Bool]
  let scopeOfElement: [Int: Int]?
}

/// A generator thread's loop, which sends and receives on every n-th connection. As in `Channel`, exclusivity is not
/// checked at run time.
final class Worker {
  private let task: WorkerTask
  private let plan: Plan
  private let state: RunState
  private let poller: Poller
  @exclusivity(unchecked) private var figures = ThreadFigures()
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  @exclusivity(unchecked) private var senders: [Sender] = []
  private var watchers: [Watcher] = []
  private let filter: RevisionFilter?
  @exclusivity(unchecked) private var arrivals: Arrivals?
  /// The number of actions of an open loop that may still arrive; nil if time ends the run.
  @exclusivity(unchecked) private var remaining: Int?
  @exclusivity(unchecked) private var nextSender = 0
  @exclusivity(unchecked) private var touched: [Int] = []
  @exclusivity(unchecked) private var isTouched: [Bool] = []
  /// The times of periodic work.
  private var (nextPublication, nextChurn, nextStorm): (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var churned = 0
  /// True if a connection may have to be opened.
  @exclusivity(unchecked) private var isConnecting = true
  /// The time of the next attempt, after one has failed because there was no hub.
  private var nextAttempt: UInt64 = 0
  @exclusivity(unchecked) private var hasLimits = false

  init(_ task: WorkerTask, _ state: RunState) throws(LoadError) {
    (self.task, plan, self.state) = (task, task.plan, state)
    poller = try Poller()
    for number in stride(from: task.number, to: plan.connections, by: plan.threads) {
      senders.append(Sender(number: number, token: 2 * senders.count, source: task.source, plan: plan))
    }
    for watcher in task.watchers {
      watchers.append(
        Watcher(
          number: watcher.number, token: 2 * watchers.count + 1, scope: watcher.scope, path: watcher.path,
          schema: task.schema, isSlow: watcher.isSlow, isFirst: watcher.number <= watcher.scope ?? 0))
    }
    isTouched = Array(repeating: false, count: senders.count)
    filter =
      plan.watchers > 0
      ? RevisionFilter(source: task.source, isTouching: task.isTouching, scopeOfElement: task.scopeOfElement) : nil
  }

  deinit { buffer.deallocate() }

  /// Runs until the main thread ends it or an error occurs.
  func run() {
    // The time until which the thread polls without sleeping.
    var busyEnd: UInt64 = 0
    do throws(LoadError) {
      while true {
        let phase = state.phase
        if phase == .aborting { break }
        let (now, sent) = (Clock.now, figures.totals.sent)
        if isConnecting, now >= nextAttempt { try connect(now, phase) }
        switch phase {
        case .opening: break
        case .sending:
          begin()
          try send(now)
        case .draining:
          begin()
          try drain(now)
        case .verifying: for watcher in watchers where !watcher.verify() { try lost(watcher, .closed, at: now) }
        case .ending, .aborting: return leave()
        }
        if plan.slowWatchers > 0 { wakeSlowOnes(now, isVerifying: phase.rawValue >= RunState.Phase.verifying.rawValue) }
        var failure: LoadError?
        var isActive = figures.totals.sent != sent
        let time = Clock.now
        poller.wait(nanoseconds: time < busyEnd ? 0 : pause(phase, time)) { event in
          isActive = true
          guard failure == nil else { return }
          do throws(LoadError) { try handle(event, phase) } catch { failure = error }
        }
        if let failure { throw failure }
        if isActive, plan.busyPoll > 0 { busyEnd = Clock.now + Clock.nanoseconds(plan.busyPoll) }
        if now >= nextPublication || phase != .sending { publish(now, phase) }
      }
    } catch {
      figures.failure = error
    }
    publish(Clock.now, state.phase)
  }

  // MARK: Sending

  /// Sets the number of actions and the start time of each sender at the start of the run.
  private func begin() {
    guard !hasLimits else { return }
    hasLimits = true
    let (start, measureStart) = (state.start, state.measureStart)
    (nextChurn, nextStorm) = (measureStart, measureStart + Clock.nanoseconds(plan.storm))
    guard plan.isOpenLoop else {
      guard let count = plan.count else { return }
      for sender in senders {
        sender.measure(Self.share(of: count, sender.number, plan.connections), from: measureStart)
      }
      return
    }
    remaining = plan.count.map { count in
      senders.reduce(0) { $0 + Self.share(of: count, $1.number, plan.connections) }
    }
    let share = Double(senders.count) / Double(plan.connections)
    arrivals = Arrivals(
      plan, start: start, share: max(share, 1e-9), offset: Double(task.number) / Double(plan.threads),
      seconds: plan.rampSeconds, seed: Mix.hash(plan.seed, UInt64(task.number)))
  }

  private static func share(of count: Int, _ number: Int, _ connections: Int) -> Int {
    count / connections + (number < count % connections ? 1 : 0)
  }

  private func send(_ now: UInt64) throws(LoadError) {
    guard now >= state.start else { return }
    let (measureStart, end) = (state.measureStart, state.end)
    if plan.isOpenLoop {
      try arrive(now, measureStart, end)
    } else {
      if !hasStarted || plan.churn > 0 || plan.storm > 0 {
        hasStarted = true
        for sender in senders { try flush(sender, now, sendsNew: now < end) }
      }
    }
    try disturb(now, measureStart, end)
  }

  /// True if the senders of a closed loop have sent their first action.
  private var hasStarted = false

  /// The actions of an open loop, in all threads, that may wait to be sent or acknowledged: 256 MiB of their times. A rate
  /// that the hub cannot keep would otherwise fill the memory, and the run would last until all of them were sent.
  private static let waitingLimit = 16 << 20

  private func arrive(_ now: UInt64, _ measureStart: UInt64, _ end: UInt64) throws(LoadError) {
    guard var arrivals, !senders.isEmpty else { return }
    var rounds = 0
    let waiting = figures.totals.sent - figures.totals.answered
    guard waiting <= Self.waitingLimit / plan.threads else { throw .overloaded(waiting: waiting) }
    while arrivals.next <= now, arrivals.next < end, remaining ?? 1 > 0, rounds < 8192 {
      guard let index = accept(arrivals.next) else {
        // The elements are used up.
        remaining = 0
        break
      }
      figures.totals.sent += 1
      if arrivals.next >= measureStart {
        figures.lateness.add(now - arrivals.next)
        remaining? -= 1
      }
      if !isTouched[index] {
        isTouched[index] = true
        touched.append(index)
      }
      arrivals.advance()
      rounds += 1
    }
    self.arrivals = arrivals
    for index in touched {
      isTouched[index] = false
      try flush(senders[index], now, sendsNew: true)
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Gives an action that is scheduled at a time to the next sender that has one left; nil if none has.
  private func accept(_ time: UInt64) -> Int? {
    let random = Mix.hash(plan.seed &+ 7, UInt64(nextSender)) % UInt64(senders.count)
    let first = plan.arrival == .poisson ? Int(random) : nextSender % senders.count
    nextSender += 1
    return senders.indices.lazy.map { (first + $0) % self.senders.count }.first { self.senders[$0].arrive(at: time) }
  }

  /// True if an action of an open loop is left to arrive before the end.
  private func isArriving(before end: UInt64) -> Bool {
    guard let arrivals, !senders.isEmpty else { return false }
    return arrivals.next < end && remaining ?? 1 > 0
  }

  private func flush(_ sender: Sender, _ now: UInt64, sendsNew: Bool) throws(LoadError) {
    let wasBlocked = sender.channel.isBlocked
    guard sender.send(at: now, sendsNew: sendsNew, &figures) else { return try lost(sender, .closed, at: now) }
    if sender.channel.isBlocked != wasBlocked, let descriptor = sender.channel.descriptor {
      poller.update(descriptor, token: sender.token, reads: true, writes: sender.channel.isBlocked)
    }
  }

  // MARK: Disturbances

  /// Replaces sessions and cuts connections, as the plan says.
  private func disturb(_ now: UInt64, _ measureStart: UInt64, _ end: UInt64) throws(LoadError) {
    guard now >= measureStart, now < end else { return }
    if plan.churn > 0, now >= nextChurn, !senders.isEmpty {
      nextChurn += Clock.nanoseconds(Double(plan.threads) / plan.churn)
      senders[churned % senders.count].replace()
      churned += 1
    }
    if plan.churn > 0 {
      leaveReplaced(now)
    }
    if plan.storm > 0, now >= nextStorm {
      nextStorm += Clock.nanoseconds(plan.storm)
      for sender in senders where sender.isOpen { sender.cut(at: now) }
      for watcher in watchers where watcher.isReady { watcher.cut(at: now) }
      isConnecting = true
    }
  }

  private func leaveReplaced(_ now: UInt64) {
    for sender in senders where sender.leaveIfReplaced(at: now) {
      figures.totals.replaced += 1
      isConnecting = true
    }
  }

  private func drain(_ now: UInt64) throws(LoadError) {
    // This thread may be late. Actions that it left out would have had the highest latencies.
    try arrive(now, state.measureStart, state.end)
    leaveReplaced(now)
    for sender in senders { try flush(sender, now, sendsNew: false) }
  }

  private func wakeSlowOnes(_ now: UInt64, isVerifying: Bool) {
    for watcher in watchers where watcher.isSlow {
      guard let end = watcher.pauseEnd, now >= end || isVerifying, let descriptor = watcher.channel.descriptor else {
        continue
      }
      watcher.pauseEnd = nil
      poller.update(descriptor, token: watcher.token, reads: true, writes: false)
    }
  }

  // MARK: Connections

  private func connect(_ now: UInt64, _ phase: RunState.Phase) throws(LoadError) {
    do throws(LoadError) {
      try connect(now)
    } catch {
      // The hub was there when the run began.
      guard phase != .opening, case .cannotConnect(let reason) = error else { throw error }
      guard plan.reconnects else { throw .wentAway(reason: reason) }
      (isConnecting, nextAttempt) = (true, now + Self.retryPause)
    }
  }

  /// The pause in nanoseconds before an attempt to connect again.
  private static let retryPause: UInt64 = 5_000_000

  /// Opens a sender's connection again if the plan says so; otherwise the run ends.
  private func lost(_ sender: Sender, _ error: LoadError, at now: UInt64) throws(LoadError) {
    try noteLost(error)
    sender.cut(at: now, pause: Self.retryPause)
  }

  private func lost(_ watcher: Watcher, _ error: LoadError, at now: UInt64) throws(LoadError) {
    try noteLost(error)
    watcher.cut(at: now, pause: Self.retryPause)
  }

  private func noteLost(_ error: LoadError) throws(LoadError) {
    guard plan.reconnects, state.phase != .opening, case .wentAway = error else { throw error }
    figures.totals.lost += 1
    isConnecting = true
  }

  private func connect(_ now: UInt64) throws(LoadError) {
    // A hub accepts only a limited number of connections at a time; other work is done in between.
    var attempts = 64
    isConnecting = false
    for sender in senders {
      guard let time = sender.retryTime else { continue }
      isConnecting = true
      guard time <= now, attempts > 0 else { continue }
      attempts -= 1
      if try sender.connect(task.path, at: now) { add(sender.channel, sender.token) }
    }
    for watcher in watchers {
      guard let time = watcher.retryTime else { continue }
      isConnecting = true
      guard time <= now, attempts > 0 else { continue }
      attempts -= 1
      if try watcher.connect(task.path, at: now) { add(watcher.channel, watcher.token) }
    }
  }

  private func add(_ channel: Channel, _ token: Int) {
    guard let descriptor = channel.descriptor else { return }
    poller.add(descriptor, token: token, writes: false)
    _ = channel.flush()
  }

  private func handle(_ event: Poller.Event, _ phase: RunState.Phase) throws(LoadError) {
    let now = Clock.now
    if event.token.isMultiple(of: 2) {
      let sender = senders[event.token / 2]
      do throws(LoadError) { try handle(event, sender, now, phase) } catch { try lost(sender, error, at: now) }
    } else {
      let watcher = watchers[event.token / 2]
      do throws(LoadError) { try handle(watcher, now, phase) } catch { try lost(watcher, error, at: now) }
    }
  }

  private func handle(
    _ event: Poller.Event, _ sender: Sender, _ now: UInt64, _ phase: RunState.Phase
  ) throws(LoadError) {
    guard sender.channel.isOpen else { return }
    let sendsNew = phase == .sending && now < state.end
    if event.isReadable {
      let outcome = try sender.receive(
        buffer, at: now, measureStart: state.measureStart, recordsRevisions: filter, &figures)
      if outcome == .ended { throw .closed }
    }
    if event.isWritable {
      guard sender.channel.flush() else { throw .closed }
      if !sender.channel.isBlocked, let descriptor = sender.channel.descriptor {
        poller.update(descriptor, token: sender.token, reads: true, writes: false)
      }
    }
    guard phase == .sending || phase == .draining else { return }
    // Also when a connection is opened in the middle of a run.
    if phase == .draining || now >= state.start { try flush(sender, now, sendsNew: sendsNew) }
  }

  private func handle(_ watcher: Watcher, _ now: UInt64, _ phase: RunState.Phase) throws(LoadError) {
    guard watcher.channel.isOpen else { return }
    guard try watcher.receive(buffer, at: now, &figures) else { throw .closed }
    if watcher.isSlow, watcher.isReady, phase == .sending, let descriptor = watcher.channel.descriptor {
      watcher.pauseEnd = now + Clock.nanoseconds(plan.slowPause)
      poller.update(descriptor, token: watcher.token, reads: false, writes: false)
    }
  }

  private func leave() {
    for sender in senders { sender.leave() }
    for watcher in watchers where watcher.channel.isOpen { watcher.leave() }
  }

  // MARK: Time

  /// Returns the time for which to wait for a socket.
  private func pause(_ phase: RunState.Phase, _ now: UInt64) -> UInt64 {
    if isConnecting { return 200_000 }
    guard phase == .sending || phase == .draining else { return 1_000_000 }
    if now < state.start { return min(state.start - now, 1_000_000) }
    guard let arrivals, isArriving(before: state.end) else { return phase == .sending ? 2_000_000 : 1_000_000 }
    return arrivals.next > now ? min(arrivals.next - now, 2_000_000) : 0
  }

  private func publish(_ now: UInt64, _ phase: RunState.Phase) {
    nextPublication = now + 20_000_000
    figures.phase = phase
    figures.ready = senders.count { $0.isOpen } + watchers.count { $0.isReady && $0.retryTime == nil }
    figures.isDrained = senders.allSatisfy(\.isDrained) && !isArriving(before: state.end)
    figures.isVerified = watchers.allSatisfy(\.isVerified)
    let finalRevision = state.finalRevision
    figures.totals.behind = finalRevision == 0 ? 0 : watchers.count { $0.isBehind(finalRevision) }
    if plan.isOpenLoop {
      figures.isDone = remaining == 0 || senders.allSatisfy(\.isDone)
    } else {
      figures.isDone = hasStarted && senders.allSatisfy(\.isDone)
    }
    figures.totals.sentBytes = senders.reduce(0) { $0 + $1.channel.sentBytes }
    figures.totals.receivedBytes =
      senders.reduce(0) { $0 + $1.channel.receivedBytes } + watchers.reduce(0) { $0 + $1.channel.receivedBytes }
    if phase != .sending || figures.failure != nil {
      for sender in senders {
        figures.answeredBy[sender.number] = sender.answered
        if !sender.refused.isEmpty { figures.refusedBy[sender.number] = sender.refused }
      }
    }
    state.reports[task.number].figures.withLock { figures.publish(into: &$0) }
  }
}
