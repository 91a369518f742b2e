package import HubCore
internal import RandomNumbers

/// The parameters of a simulation, all drawn from its seed.
package struct SimulationPlan: Sendable {
  /// The durability of a hub's actions.
  package enum Storage: String, CaseIterable, Sendable {
    /// The hub has no log: reconnecting clients find a hub without knowledge of them.
    case memory
    /// Acknowledged actions may be lost with the hub.
    case async
    /// Nothing that was ever visible is lost.
    case sync
  }

  /// The seed of all random numbers.
  package var seed: UInt64
  /// The hub's durability.
  package var storage = Storage.sync
  /// The faults.
  package var faults = SimulatedFaults()
  /// The hub's limits, often small, so that rare situations become common.
  package var limits = HubLimits()
  /// The number of clients.
  package var clientCount = 3
  /// The number of clients that are tools, which take the schema from the hub.
  package var toolCount = 1
  /// The number of clients of the newer version, also while the hub has the older one.
  package var newerClientCount = 0
  /// True if the feature reacts to attaching and detaching clients.
  package var notesAttendance = false
  /// The number of steps before the simulation settles.
  package var stepCount = 600
  /// The number of clients that subscribe to the whole state; the others subscribe to parts.
  package var wholeStateClientCount = 2
  /// True if clients subscribe to the attendees.
  package var watchesHub = false
  /// True if lists become long.
  package var hasLongLists = false
  /// An action of storehubd's feature is replaced by one that inserts a deleted todo again: a chance in a thousand.
  package var restoration = 0
  /// An action changes the awkward part of the state, whose values may not be readable: a chance in a thousand.
  package var awkwardness = 0
  /// How often a client's change starts an effect that outlives the hub, or cancels these, in thousandths.
  package var promises = 0
  /// A client that shows the whole state changes the shared model: a chance in a thousand.
  package var sharing = 0
  /// A client attaches a window of a collection, moves one or detaches it: a chance in a thousand of its acts.
  package var windows = 0

  /// A client attaches a view or detaches one: a chance in a thousand of its acts.
  package var views = 0

  /// A client starts an effect without an end, or cancels one: a chance in a thousand of its acts.
  package var cancellations = 0

  /// The clients that have an outbox, from which their next process continues: a chance in a thousand.
  package var outboxes = 0

  /// Other clients, which are not simulated, make the hub contended: a chance in a thousand for each turn.
  package var contention = 0
  /// From when on a client counts as one that sends much, and the work that is guaranteed to each user.
  package var thresholds = SimulationPlan.noContention
  /// True if some clients are of a second user, who has few rights.
  package var hasGuests = false
  /// The operator changes the rights of the second user: a chance in a thousand for each step.
  package var policyChange = 0
  /// The machine's clock jumps: a chance in a thousand for each step.
  package var clockJump = 0
  /// True if newer hubs migrate the state of older ones.
  package var migrates = false
  /// True if each process of the hub has other limits.
  package var changesLimits = false

  /// Draws a plan from a seed.
  package init(seed: UInt64) {
    self.seed = seed
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 17)
    storage = chance.pick([.sync, .sync, .sync, .async, .memory])
    faults = SimulatedFaults(drawnFrom: &chance)
    clientCount = chance.number(1...5)
    toolCount = chance.number(0...min(2, clientCount - 1))
    newerClientCount = chance.pick([0, 0, 1, clientCount])
    wholeStateClientCount = chance.number(0...clientCount)
    notesAttendance = chance.hits(300)
    hasLongLists = chance.hits(150)
    watchesHub = chance.hits(300)
    stepCount = chance.number(200...900)
    limits.drawVersions(from: &chance)
    limits.detachedSessions = chance.pick([1, 2, 4096, 4096])
    limits.bookmarkInterval = chance.pick([1, 10, 1024])
    limits.hashInterval = chance.pick([1, 5, 65_536])
    limits.drawOutput(from: &chance)
    limits.snapshotInterval = chance.pick([256, 2 << 10, 64 << 20])
    limits.rejections = chance.pick([2, 1024])
    limits.payloadBytes = chance.pick([300, 1 << 20])
    // Without what follows, a seed means what it meant before it existed.
    var successions = SplitMix(seed: seed &* 0x9e37_79b9 &+ 18)
    faults.drawSuccessions(from: &successions)
    // Likewise.
    var work = SplitMix(seed: seed &* 0x9e37_79b9 &+ 19)
    restoration = work.pick([0, 50, 200])
    drawLater()
  }

  /// Draws the parameters of which each has its own random numbers.
  private mutating func drawLater() {
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 21)
    contention = chance.pick([0, 0, 50, 300])
    if contention > 0 { thresholds.draw(from: &chance) }
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 22)
    limits.actionsPerSecond = chance.pick([nil, nil, nil, nil, nil, 30, 200])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 23)
    if !hasLongLists { limits.stateBytes = chance.pick([256 << 20, 256 << 20, 256 << 20, 256 << 20, 1000, 2000]) }
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 24)
    hasGuests = chance.hits(400)
    policyChange = hasGuests ? chance.pick([0, 2, 10]) : 0
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 25)
    changesLimits = chance.hits(200)
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 26)
    clockJump = chance.pick([0, 0, 0, 5])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 27)
    limits.heldBytesPerUser = chance.pick([16 << 10, 64 << 20, 64 << 20, 64 << 20])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 31)
    faults.downgrade = chance.pick([0, 0, 200, 500])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 32)
    awkwardness = chance.pick([0, 50, 300])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 34)
    promises = chance.pick([0, 30, 150])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 42)
    sharing = chance.pick([0, 200, 700])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 43)
    windows = chance.pick([0, 100, 400])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 45)
    cancellations = chance.pick([0, 0, 100, 400])
    limits.holdTimeout = .milliseconds(chance.pick([50, 1000, 10_000]))
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 47)
    outboxes = chance.pick([0, 0, 300, 1000])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 49)
    views = chance.pick([0, 100, 400])
    chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 51)
    migrates = chance.hits(500)
  }

  /// The thresholds of a hub that is never contended: its clients send little.
  private static var noContention: TurnScheduler.Thresholds {
    var thresholds = TurnScheduler.Thresholds()
    thresholds.guaranteed = 0
    return thresholds
  }

  /// Removes the parameters that are younger than most regression tests.
  package mutating func removeLater() {
    (contention, hasGuests, policyChange, clockJump) = (0, false, 0, 0)
    thresholds = Self.noContention
    (changesLimits, faults.downgrade, awkwardness, promises, sharing, windows) = (false, 0, 0, 0, 0, 0)
    (cancellations, outboxes, views, migrates) = (0, 0, 0, false)
    limits.actionsPerSecond = nil
    (limits.stateBytes, limits.heldBytesPerUser) = (HubLimits().stateBytes, HubLimits().heldBytesPerUser)
  }

  /// True if the state reaches its limit.
  var hasSmallState: Bool { limits.stateBytes < 1 << 20 }

  /// True if the hub may close a connection for which it holds too many bytes.
  var hasSmallShares: Bool { limits.heldBytesPerUser < 1 << 20 }

  /// The limits of one process of the hub.
  func limits(ofHub number: UInt64) -> HubLimits {
    guard changesLimits, number > 1 else { return limits }
    var limits = self.limits
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 28 &+ number)
    limits.drawVersions(from: &chance)
    limits.drawOutput(from: &chance)
    return limits
  }

  /// A summary of the plan for people.
  package var text: String {
    """
    \(storage.rawValue), \(clientCount) clients (\(newerClientCount) newer, \(toolCount) tools, \(wholeStateClientCount) of all), \
    \(stepCount) steps, versions \(limits.versions), \(limits.versionBytes) bytes of them, detached sessions \
    \(limits.detachedSessions), unstored turns \(limits.unstoredTurns), sockets of \(faults.socketBytes) bytes\
    \(watchesHub ? ", attendees" : "")\(notesAttendance ? ", attendance" : "")\(hasLongLists ? ", long lists" : "")\
    \(contention > 0 ? ", contention" : "")\(hasGuests ? ", guests" : "")\(hasSmallState ? ", small state" : "")\
    \(awkwardness > 0 ? ", awkward values" : "")\(promises > 0 ? ", restarted effects" : "")\
    \(sharing > 0 ? ", a shared model" : "")\(windows > 0 ? ", windows" : "")\
    \(views > 0 ? ", views" : "")\(migrates ? ", migrations" : "")\
    \(cancellations > 0 ? ", cancellations" : "")\(outboxes > 0 ? ", outboxes" : "")\
    \(limits.actionsPerSecond.map { ", \($0) actions a second" } ?? "")\(changesLimits ? ", other limits" : "")
    """
  }
}

extension TurnScheduler.Thresholds {
  /// Draws thresholds that simulated clients exceed.
  fileprivate mutating func draw(from chance: inout SplitMix) {
    guaranteed = chance.pick([1, 3, 32])
    (muchBytes, muchWork) = (chance.pick([40, 200, 64 << 10]), chance.pick([2, 20, 256]))
    contendedRead = (chance.pick([30, 200]), chance.pick([100, 16 << 10]))
    memory = chance.pick([30, 200, 1000])
  }
}

extension HubLimits {
  fileprivate mutating func drawVersions(from chance: inout SplitMix) {
    versions = chance.pick([1, 2, 4, 64])
    versionBytes = chance.pick([2 << 10, 64 << 20])
  }

  fileprivate mutating func drawOutput(from chance: inout SplitMix) {
    deltaBytes = chance.pick([20, 200, 16 << 20])
    snapshotBytesPerTurn = chance.pick([1, 4 << 10, 128 << 10])
    snapshotPieces = chance.pick([1, 2, 128])
    coalescingThreshold = chance.pick([1, 2, 32])
    coalescing = .milliseconds(chance.pick([0, 1, 20]))
    unstoredTurns = chance.pick([1, 3, 20, 1024])
    unstoredBytes = chance.pick([256, 16 << 20])
  }
}
