import HubCore
internal import RandomNumbers
import ReplicaCore
import Wire

/// A hub, its clients, the network, the hub's disk and the clock, on one thread and from one seed.
///
/// ```swift
/// let simulation = Simulation(SimulationPlan(seed: 7))
/// try simulation.run()
/// print(simulation.report)
/// ```
///
/// The cores are the real ones; only their shells are virtual. The same plan gives the same events, bit for bit, on
/// every machine; `report.hash` is their hash. Oracles check every step, and `run` throws the first violation.
package final class Simulation {
  /// The plan of the simulation.
  package let plan: SimulationPlan
  /// Statistics so far.
  package internal(set) var report = SimulationReport()

  let bug: PlantedBug?
  var chance: SplitMix
  /// Draws the actions that insert deleted todos again.
  var restorations: SplitMix
  /// Draws the work of contended hubs.
  var competition: SplitMix
  /// Draws the acts of the hub's operator and of guests.
  var operations: SplitMix
  /// Draws the changes of the awkward part of the state.
  var awkwardness: SplitMix
  /// Likewise, for the effects that outlive the hub.
  var promises: SplitMix
  /// Draws the changes of the shared model.
  var sharing: SplitMix
  /// Draws the windows of collections.
  var windows: SplitMix
  /// Draws the views that clients attach.
  var views: SplitMix
  /// Draws the effects without an end, and their cancellations.
  var cancellations: SplitMix
  /// Draws the clients with an outbox, and when storing fails or their processes end.
  var outboxes: SplitMix
  var trace: Trace
  var now = Duration.seconds(1)
  let disk: SimulatedDisk
  /// The hub's process; nil between its end and the next start.
  var hub: HubProcess?
  /// A process whose log another hub has continued, until it has noticed or ended.
  var overtaken: HubProcess?
  /// The connections that the last process has left to the next one.
  var legacy: Legacy?
  /// The revision and the turn with which the next hub must begin, if the last one ended cleanly.
  var stopped: (revision: UInt64, tail: UInt64)?
  var hubStartsAt = Duration.zero
  var hubProgram = SimulatedProgram.older
  var hubCount: UInt64 = 0
  var clients: [ClientProcess] = []
  var clientCount: UInt32 = 0
  /// The users of the clients' processes.
  var users: [UInt32: UInt32] = [:]
  var links: [Link] = []
  var linkCount = 0
  /// The sessions that were ever opened, with their users.
  var openedSessions: [SessionID: UInt32] = [:]
  /// Actions that were acknowledged in sync mode.
  var acknowledged: Set<UInt64> = []
  /// What must remain of the changes of the shared model that take effect, by their tags.
  var sharedWork: [UInt64: SharedWork] = [:]
  /// The clients' actions that start or hold effects without an end, by their tags.
  var watches: [UInt64: SentWatch] = [:]
  /// Actions that were reported as rejected.
  var refused: Set<UInt64> = []
  /// The highest revision that any client has seen.
  var seenRevision: UInt64 = 0
  /// The last time at which a hub of the older version ran.
  var olderHubRanAt = Duration.zero
  /// True while guests may send nothing, and the last time at which that was so.
  var isGuestSuspended = false
  var guestSuspendedAt = Duration.seconds(-1)
  /// The last time at which the hub refused an action because of the state's size.
  var stateFullAt = Duration.seconds(-1)
  /// The difference in milliseconds between the machine's clock and the true time.
  var wallClockError: Int64 = 0
  /// True after the faults have ended.
  var isSettling = false

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - bug: A defect to plant, which an oracle should detect.
  ///   - print: Receives each event as a line.
  package init(_ plan: SimulationPlan, bug: PlantedBug? = nil, print: ((String) -> Void)? = nil) {
    (self.plan, self.bug) = (plan, bug)
    chance = SplitMix(seed: plan.seed)
    restorations = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 20)
    competition = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 29)
    operations = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 30)
    awkwardness = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 33)
    promises = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 35)
    sharing = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 41)
    windows = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 44)
    cancellations = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 46)
    views = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 50)
    outboxes = SplitMix(seed: plan.seed &* 0x9e37_79b9 &+ 48)
    trace = Trace(print: print)
    disk = SimulatedDisk(HubTruth(OlderFeature.State()), bug: bug)
  }

  /// Runs the whole simulation.
  /// - Throws: The first violation, as a `Violation`.
  package func run() throws {
    defer {
      (report.hash, report.events) = (trace.hash, trace.count)
      report.virtualSeconds = Int(now.components.seconds)
      releaseProcesses()
    }
    if plan.contention > 0 { try LoadSimulation(seed: plan.seed, bug: bug).run() }
    try startHub()
    for index in 0..<plan.clientCount { clients.append(startClient(at: index)) }
    for _ in 0..<plan.stepCount { try step() }
    try settle()
  }

  /// Breaks the cycles of connections and their ends, so that a campaign's memory does not grow with its seeds.
  private func releaseProcesses() {
    for client in clients { client.link = nil }
    for hub in [hub, overtaken] {
      hub?.links = []
      hub?.waitingReaders = []
    }
    (hub, overtaken, legacy, clients, links) = (nil, nil, nil, [], [])
    watches = [:]
  }

  // MARK: Steps

  private func step() throws {
    report.steps += 1
    for _ in 0..<chance.number(1...6) { try somethingHappens() }
    try somethingGoesWrong()
    operatorActs()
    now += chance.time(upTo: .milliseconds(30))
    if chance.hits(plan.faults.pause) { now += chance.time(upTo: .seconds(15)) }
    try turnAll()
  }

  /// Gives a turn to all participants whose time has come.
  private func turnAll() throws {
    if hub == nil, now >= hubStartsAt { try startHub() }
    try connectClients()
    if hubProgram.encodeLabel == nil || overtaken?.program.encodeLabel == nil && overtaken != nil {
      olderHubRanAt = now
    }
    if let hub {
      try runEffects(of: hub)
      if isSettling || chance.hits(850) { try turn(hub) }
    }
    try turnOvertakenHub()
    for client in clients { try turn(client) }
    links.removeAll { !$0.isOpenAtHub && !$0.isOpenAtClient }
  }

  private func somethingHappens() throws {
    switch chance.number(0..<100) {
    case 0..<15: try act(chance.pick(clients))
    case 15..<50: if let link = anyLink() { try deliverToHub(link) }
    case 50..<85: if let link = anyLink() { try deliverToClient(link) }
    default: if let hub { try useLog(of: hub) }
    }
  }

  private func anyLink() -> Link? { links.isEmpty ? nil : chance.pick(links) }

  private func somethingGoesWrong() throws {
    let faults = plan.faults
    if chance.hits(faults.cut), let link = anyLink() { try cut(link) }
    if chance.hits(faults.clientSideCut), let link = anyLink() { try cutAtClient(link) }
    if chance.hits(faults.hubSideCut), let link = anyLink() { try cutAtHub(link) }
    if chance.hits(faults.halfClose), let link = anyLink(), link.isOpenAtClient {
      trace.note(now, "half-close", link.number)
      report.halfCloses += 1
      link.toHub.hasEnded = true
    }
    if chance.hits(faults.stuckReader) {
      let client = chance.pick(clients)
      client.stuckUntil = now + chance.time(upTo: .seconds(3))
      report.stuckReaders += 1
      trace.note(now, "stuck", Int(client.number))
    }
    if chance.hits(faults.clientCrash) { try replaceClient(at: chance.number(0...clients.count - 1), leaving: false) }
    if chance.hits(faults.clientRestart) { try restart(chance.pick(clients)) }
    if chance.hits(faults.clientLeaves) { try replaceClient(at: chance.number(0...clients.count - 1), leaving: true) }
    if chance.hits(faults.hubCrash) { try crashHub() }
    if chance.hits(faults.hubStop) { try stopHub() }
    if chance.hits(faults.logFailure), plan.storage != .memory, let hub {
      trace.note(now, "log fails")
      report.logFailures += 1
      hub.log.fail()
    }
    if faults.hubRestart > 0, chance.hits(faults.hubRestart) { try restartHub() }
    if faults.overtaking > 0, chance.hits(faults.overtaking) { overtakeHub() }
  }

  // MARK: The end

  /// Ends all faults, waits until everything has arrived, and checks that all clients have the hub's state.
  private func settle() throws {
    isSettling = true
    trace.note(now, "settle")
    for link in links where link.toHub.isDead || link.toClient.isDead || !link.isOpenAtClient || !link.isOpenAtHub {
      try cut(link)
    }
    for client in clients { client.stuckUntil = .zero }
    try endSuccessions()
    var quietRounds = 0
    // For how long a client that is gone still holds effects.
    var grace = plan.cancellations > 0 ? plan.limits.holdTimeout : .zero
    for _ in 0..<10_000 {
      for link in links {
        try deliverToHub(link)
        try deliverToClient(link)
      }
      for _ in 0..<4 { if let hub { try useLog(of: hub) } }
      // The shell, too, goes on at once with work that takes several turns.
      now += .milliseconds(hub?.nextTurnAt.map { $0 <= now } == true ? 1 : 50)
      try turnAll()
      try checkForLostWakeUp()
      quietRounds = isQuiet ? quietRounds + 1 : 0
      if quietRounds == 3, grace > .zero {
        now += grace
        (grace, quietRounds) = (.zero, 0)
      } else if quietRounds == 3 {
        try checkConvergence()
        return try endAllSessions()
      }
    }
    throw Violation(.notAtRest, describeUnrest())
  }

  private var isQuiet: Bool {
    guard let hub, hub.endsBy == nil, hub.isAsleep, !hub.log.isBusy else { return false }
    guard links.allSatisfy({ $0.isOpenAtHub && $0.isOpenAtClient }) else { return false }
    return clients.allSatisfy { client in
      guard let link = client.link, link.toHub.isEmpty, link.toClient.isEmpty, !link.toHub.hasEnded else {
        return false
      }
      return client.replica.pendingActionCount == 0 && client.replica.connection == .live
    }
  }

  /// Checks that the hub does not sleep while a client waits for it.
  private func checkForLostWakeUp() throws {
    guard let hub, hub.endsBy == nil, hub.isAsleep, !hub.log.isBusy,
      links.allSatisfy({ $0.toHub.isEmpty && $0.toClient.isEmpty && !$0.toHub.hasEnded && !$0.toClient.hasEnded })
    else { return }
    for client in clients where client.link != nil && !client.replica.triesOutboxAgain {
      guard client.replica.pendingActionCount == 0, client.replica.connection == .live else {
        throw Violation(.notAtRest, "the hub sleeps; \(describeUnrest())")
      }
    }
  }

  private func describeUnrest() -> String {
    guard let hub else { return "no hub runs" }
    let waiting = clients.compactMap { client in
      let state = "\(client.replica.connection), \(client.replica.pendingActionCount) actions pending"
      guard let link = client.link else { return "client \(client.number) without a connection: \(state)" }
      return """
        client \(client.number): \(state), \(link.toHub.network.count + link.toHub.rest.count) bytes to the hub, \
        \(link.toClient.network.count + link.toClient.rest.count) from it, paused \(link.isPaused)
        """
    }
    return "\(waiting.joined(separator: "; ")); \(hub.core.unstoredTurnCount) turns are not stored"
  }
}

extension SplitMix {
  fileprivate mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
