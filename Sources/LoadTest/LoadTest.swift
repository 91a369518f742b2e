public import EventLoop
internal import Features

/// Sends actions from many connections as fast as the hub acknowledges them, and checks the state that they lead to.
///
/// Each connection keeps `depth` actions in flight and sends a new one for each that is acknowledged. Latency is from
/// the write of an action to the read of the frame that acknowledges it, on this machine's monotonic clock. During a
/// workload on todos one more connection subscribes to the whole state, so that the hub writes every change.
public final class LoadTest {
  /// What to do.
  public nonisolated struct Plan: Sendable {
    /// The hub's socket.
    public var path: String
    /// How many connections send.
    public var connections: Int
    /// How many actions each keeps in flight.
    public var depth: Int
    /// How many actions are sent in all.
    public var actions: Int
    /// Which actions are sent.
    public var workload: Workload
    /// Todos are added until the list has at least so many, before the clock starts.
    public var todos: Int
    /// The hub's process, if its CPU time is to be reported.
    public var process: Int?
    /// How long the hub may be silent.
    public var timeout = Duration.seconds(10)

    /// Creates a plan.
    public init(
      path: String, connections: Int, depth: Int, actions: Int, workload: Workload = .increment, todos: Int = 0,
      process: Int? = nil
    ) {
      (self.path, self.connections, self.depth, self.actions) = (path, connections, depth, actions)
      (self.workload, self.todos, self.process) = (workload, todos, process)
    }
  }

  private let plan: Plan
  private let loop: EventLoop
  private var probe: StateProbe?
  /// Subscribed during a workload on todos.
  private var subscriber: StateProbe?
  private var filler: LoadSender?
  private var source: ActionSource?
  private var senders: [LoadSender] = []
  private var openCount = 0
  private var todos = 0
  private var startTime: UInt64 = 0
  /// The CPU time of the hub's process, at the start and then for the whole test.
  private var processorTime: UInt64?
  private var endTime: UInt64 = 0
  private var histogram = LatencyHistogram()
  private var watchdog: Timer?
  /// Whether anything arrived since the watchdog last looked.
  private var isAnswered = false
  private var result: Result<LoadReport, LoadError>?

  /// Called now and then with how many actions were answered.
  public var onProgress: ((_ answered: Int) -> Void)?

  /// Creates a test that has not begun.
  public init(plan: Plan, loop: EventLoop) {
    (self.plan, self.loop) = (plan, loop)
  }

  /// Runs the loop until the test is over.
  public func run() throws(LoadError) -> LoadReport {
    readState { [weak self] in self?.prepare($0) }
    startWatchdog()
    defer { watchdog = nil }
    while true {
      if let result { return try result.get() }
      loop.run(.once)
    }
  }

  private func readState(_ body: @escaping (AppFeature.State) -> Void) {
    attempt { () throws(UVError) in
      probe = try StateProbe(on: loop, path: plan.path, onState: body, onEnd: fail)
    }
  }

  /// Fills the list if it is too short, and begins otherwise.
  private func prepare(_ state: AppFeature.State) {
    isAnswered = true
    let missing = plan.todos - state.todos.todos.count
    guard missing > 0 else { return begin(with: state) }
    probe?.leave()
    attempt { () throws(UVError) in
      filler = try LoadSender(
        on: loop, path: plan.path, depth: min(missing, 256), share: missing,
        source: ActionSource(.add, initial: state), numbers: (0, 1), onOpen: { [weak self] in self?.filler?.send() },
        onAnswers: { [weak self] sender, _, _ in
          self?.isAnswered = true
          guard let self, sender.isDone else { return }
          sender.leave()
          readState { [weak self] in self?.begin(with: $0) }
        }, onEnd: fail)
    }
  }

  private func begin(with state: AppFeature.State) {
    isAnswered = true
    if plan.workload == .increment {
      probe?.leave()
    } else {
      subscriber = probe
    }
    let source = ActionSource(plan.workload, initial: state)
    if let refusal = source.refusal(of: plan.actions) { return fail(refusal) }
    self.source = source
    todos = state.todos.todos.count
    let (share, rest) = plan.actions.quotientAndRemainder(dividingBy: plan.connections)
    attempt { () throws(UVError) in
      for index in 0..<plan.connections {
        senders.append(
          try LoadSender(
            on: loop, path: plan.path, depth: plan.depth, share: share + (index < rest ? 1 : 0), source: source,
            numbers: (index, plan.connections), onOpen: { [weak self] in self?.senderOpened() },
            onAnswers: { [weak self] sender, count, now in self?.answered(sender, count, now) }, onEnd: fail))
      }
    }
  }

  /// The clock starts when every connection is open.
  private func senderOpened() {
    openCount += 1
    guard openCount == plan.connections else { return }
    processorTime = plan.process.flatMap { ProcessorTime.nanoseconds(of: $0) }
    startTime = monotonicNanoseconds()
    for sender in senders { sender.send() }
  }

  private func answered(_ sender: LoadSender, _ count: Int, _ now: UInt64) {
    isAnswered = true
    sender.latencies(ofLast: count, until: now) { histogram.add($0, times: $1) }
    guard sender.isDone, histogram.count == UInt64(plan.actions) else { return }
    endTime = now
    if let start = processorTime {
      processorTime = plan.process.flatMap { ProcessorTime.nanoseconds(of: $0) }.map { $0 - start }
    }
    for sender in senders { sender.leave() }
    subscriber?.leave()
    readState { [weak self] in self?.finish($0) }
  }

  private func finish(_ state: AppFeature.State) {
    if let fault = source?.fault(after: plan.actions, from: plan.connections, in: state) { return fail(fault) }
    result = .success(
      LoadReport(
        actions: plan.actions, seconds: Double(endTime - startTime) / 1e9, latencies: histogram,
        workload: plan.workload, todos: todos, processorNanoseconds: processorTime,
        finalCount: plan.workload == .increment ? state.counter.count : state.todos.todos.count))
  }

  private func attempt(_ body: () throws(UVError) -> Void) {
    do throws(UVError) { try body() } catch { fail(.cannotConnect(error)) }
  }

  private var fail: (LoadError) -> Void {
    { [weak self] error in
      guard let self, result == nil else { return }
      result = .failure(error)
    }
  }

  /// Looks every half second whether anything was answered, and reports progress.
  private func startWatchdog() {
    attempt { () throws(UVError) in
      var quiet = Duration.zero
      let interval = Duration.milliseconds(500)
      watchdog = try Timer(on: loop) { [weak self] in
        guard let self else { return }
        quiet = isAnswered ? .zero : quiet + interval
        isAnswered = false
        onProgress?(Int(histogram.count))
        guard quiet >= plan.timeout else { return }
        let sent = senders.reduce(filler?.sent ?? 0) { $0 + $1.sent }
        let answered = senders.reduce(filler?.answered ?? 0) { $0 + $1.answered }
        fail(.silent(for: quiet, answered: answered, sent: sent))
      }
      watchdog?.start(after: interval, repeating: interval)
    }
  }
}
