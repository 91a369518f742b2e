import HubCore
internal import RandomNumbers
import Wire

/// Heavy and light clients that share a hub, on a virtual processor: only work takes time. The core and the scheduler are
/// the real ones, and the loop is like that of `StoreHub/HubShell`.
///
/// Its oracles check that turns are bounded, whatever clients send, and that everybody is answered: light clients soon.
package final class LoadSimulation {
  /// The duration in nanoseconds that no turn may exceed.
  package static let longestTurn: UInt64 = 10_000_000
  /// The duration in nanoseconds for which no light client may wait for an answer: a turn that has begun, and its own.
  package static let longestWait = 2 * longestTurn
  /// The same for heavy clients.
  private static let longestHeavyWait: UInt64 = 500_000_000

  /// The virtual durations of what is no action, in nanoseconds.
  enum Cost {
    static let poll: UInt64 = 500
    static let read: UInt64 = 3_000
    static let write: UInt64 = 10_000
    static let opening: UInt64 = 20_000
    static let frame: UInt64 = 100
  }

  /// The statistics of a run.
  package struct Report: Equatable, Sendable {
    package var turns = 0
    package var contendedTurns = 0
    package var actions = 0
    /// The longest turn, and the longest wait of a light client, in nanoseconds.
    package var (longestTurn, longestWait): (UInt64, UInt64) = (0, 0)
  }

  package private(set) var report = Report()
  let bug: PlantedBug?
  let clock = VirtualClock()
  var core: HubCore
  var scheduler = TurnScheduler()
  /// The clients that the hub has accepted.
  var clients: [LoadClient] = []
  /// The clients in the kernel's queue, and those that are accepted and wait to be opened.
  var (arriving, queued): ([LoadClient], [LoadClient]) = ([], [])
  var waitingReaders: [LoadClient] = []
  var plan = TurnPlan()
  var (hasNews, continues) = (true, false)
  var turnStart: UInt64 = 0
  private var chance: SplitMix
  private let start: UInt64
  /// The duration of actions from the middle of the run on.
  private let laterActionTime: UInt64

  /// Creates a simulation, with all its parameters drawn from a seed.
  package init(seed: UInt64, bug: PlantedBug? = nil) {
    self.bug = bug
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 40)
    clock.actionTime = chance.pick([2_000, 20_000])
    laterActionTime = chance.pick([clock.actionTime, 2_000, 50_000])
    start = clock.now
    core = HubCore(
      FeatureEngine(initialState: LoadFeature.State(), reducer: LoadFeature(clock: clock)),
      random: SplitMix(seed: seed))
    for _ in 0..<chance.pick([0, 1, 3, 6]) {
      arriving.append(
        LoadClient(
          user: UInt32(chance.number(1...3)), frameSize: chance.pick([1, 16, 500, 1500]), attaches: chance.hits(300),
          sender: scheduler.newSender))
    }
    for _ in 0..<chance.pick([1, 2, 10]) {
      arriving.append(
        LoadClient(
          user: UInt32(chance.number(2...5)), attaches: chance.hits(500), sender: scheduler.newSender))
    }
    self.chance = chance
  }

  /// Runs it.
  /// - Throws: The first violation, as a `Violation`.
  package func run() throws {
    if bug != .shellHasNoLimits {
      core.setLateness { [unowned self] in
        scheduler.isLate(turnAge: clock.milliseconds - min(turnStart / 1_000_000, clock.milliseconds))
      }
    }
    core.start()
    let duration: UInt64 = 30_000_000
    let crowdArrives = chance.hits(250)
    while clock.now - start < duration, clock.actionCount < 5_000 {
      if clock.now - start > duration / 2, clock.actionTime != laterActionTime {
        clock.actionTime = laterActionTime
        if crowdArrives { crowd() }
      }
      for client in clients { act(client) }
      try turn()
    }
    // Nobody sends any more, and all are answered.
    let settlingBegan = clock.now
    while clients.contains(where: { $0.waitsSince != nil }) || !arriving.isEmpty || !queued.isEmpty {
      try turn()
      guard clock.now - settlingBegan < 5_000_000_000 else {
        throw Violation(.starved, "\(arriving.count) clients are not accepted, and \(queued.count) not opened")
      }
    }
    report.actions = clock.actionCount
  }

  /// Many clients connect at once.
  private func crowd() {
    for _ in 0..<300 {
      arriving.append(LoadClient(user: 6, isSilent: true, sender: scheduler.newSender))
    }
  }

  private func act(_ client: LoadClient) {
    if client.isSilent { return }
    if client.isHeavy {
      // Often more than `TurnScheduler.Thresholds.muchWork`.
      let most = min(300, 1500 / client.frameSize)
      if client.unread.isEmpty { client.send(chance.number(1...most), at: clock.now) }
    } else if client.waitsSince == nil, chance.hits(20) {
      client.send(1, at: clock.now)
    }
  }

  // MARK: Oracles

  private func turn() throws {
    turnStart = clock.now
    try runLoop()
    report.turns += 1
    if plan.isContended { report.contendedTurns += 1 }
    let time = clock.now - turnStart
    report.longestTurn = max(report.longestTurn, time)
    guard time <= Self.longestTurn else {
      throw Violation(.turnTooLong, "a turn took \(time / 1000) µs, with actions of \(clock.actionTime / 1000) µs")
    }
    clients.removeAll { $0.isSilent && $0.isWelcome }
    for client in clients { if let start = client.waitsSince { try checkWait(clock.now - start, of: client) } }
  }

  /// Checks the time for which a client waits or has waited.
  func checkWait(_ time: UInt64, of client: LoadClient) throws {
    if !client.isHeavy { report.longestWait = max(report.longestWait, time) }
    guard time > (client.isHeavy ? Self.longestHeavyWait : Self.longestWait) else { return }
    throw Violation(
      .starved, "a \(client.isHeavy ? "heavy" : "light") client of user \(client.user) waits for \(time / 1000) µs")
  }
}
