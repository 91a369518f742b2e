public import EventLoop

/// Counts the shared counter up from many connections as fast as the hub answers, and checks that it adds up.
///
/// Each connection keeps `depth` actions on their way and sends a new one for each that is answered. Latency is from
/// the write of an action to the read of the frame that acknowledges it, on this machine's monotonic clock.
public final class LoadTest {
  /// What to do.
  public nonisolated struct Plan: Sendable {
    /// The hub's socket.
    public var path: String
    /// How many connections send.
    public var connections: Int
    /// How many actions each keeps on their way.
    public var depth: Int
    /// How many actions are sent in all.
    public var actions: Int
    /// How long the hub may be silent.
    public var patience = Duration.seconds(10)

    /// Creates a plan.
    public init(path: String, connections: Int, depth: Int, actions: Int) {
      (self.path, self.connections, self.depth, self.actions) = (path, connections, depth, actions)
    }
  }

  private let plan: Plan
  private let loop: EventLoop
  private var probe: CountProbe?
  private var senders: [LoadSender] = []
  private var openCount = 0
  private var firstCount = 0
  private var startTime: UInt64 = 0
  private var endTime: UInt64 = 0
  private var histogram = LatencyHistogram()
  private var watchdog: Timer?
  private var answeredAtLastLook = 0
  private var result: Result<LoadReport, LoadError>?

  /// Called now and then with how many actions were answered.
  public var onProgress: ((_ answered: Int) -> Void)?

  /// Creates a test that has not begun.
  public init(plan: Plan, loop: EventLoop) {
    (self.plan, self.loop) = (plan, loop)
  }

  /// Runs the loop until the test is over.
  public func run() throws(LoadError) -> LoadReport {
    attempt { () throws(UVError) in
      probe = try CountProbe(on: loop, path: plan.path, onCount: { [weak self] in self?.begin(at: $0) }, onEnd: fail)
    }
    startWatchdog()
    defer { watchdog = nil }
    while true {
      if let result { return try result.get() }
      loop.run(.once)
    }
  }

  private func begin(at count: Int) {
    firstCount = count
    let (share, rest) = plan.actions.quotientAndRemainder(dividingBy: plan.connections)
    attempt { () throws(UVError) in
      for index in 0..<plan.connections {
        senders.append(
          try LoadSender(
            on: loop, path: plan.path, depth: plan.depth, share: share + (index < rest ? 1 : 0),
            onOpen: { [weak self] in self?.senderOpened() },
            onAnswers: { [weak self] sender, count, now in self?.answered(sender, count, now) }, onEnd: fail))
      }
    }
  }

  /// The clock starts when every connection is open.
  private func senderOpened() {
    openCount += 1
    guard openCount == plan.connections else { return }
    startTime = monotonicNanoseconds()
    for sender in senders { sender.send() }
  }

  private func answered(_ sender: LoadSender, _ count: Int, _ now: UInt64) {
    sender.latencies(ofLast: count, until: now) { histogram.add($0, times: $1) }
    guard sender.isDone, histogram.count == UInt64(plan.actions) else { return }
    endTime = now
    for sender in senders { sender.leave() }
    attempt { () throws(UVError) in
      probe = try CountProbe(on: loop, path: plan.path, onCount: { [weak self] in self?.finish(at: $0) }, onEnd: fail)
    }
  }

  private func finish(at count: Int) {
    let expected = firstCount + plan.actions
    guard count == expected else { return fail(.wrongCount(expected: expected, found: count)) }
    result = .success(
      LoadReport(
        actions: plan.actions, seconds: Double(endTime - startTime) / 1e9, latencies: histogram, finalCount: count))
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

  /// Looks every half second whether anything was answered, and tells how far things are.
  private func startWatchdog() {
    attempt { () throws(UVError) in
      var quiet = Duration.zero
      let interval = Duration.milliseconds(500)
      watchdog = try Timer(on: loop) { [weak self] in
        guard let self else { return }
        let answered = Int(histogram.count)
        quiet = answered == answeredAtLastLook ? quiet + interval : .zero
        answeredAtLastLook = answered
        onProgress?(answered)
        guard quiet >= plan.patience else { return }
        fail(.silent(for: quiet, answered: answered, sent: senders.reduce(0) { $0 + $1.sent }))
      }
      watchdog?.start(after: interval, repeating: interval)
    }
  }
}
