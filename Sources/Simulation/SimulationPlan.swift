public import HubCore

/// The parameters of a simulation, all drawn from its seed.
public struct SimulationPlan: Sendable {
  /// The durability of a hub's actions.
  public enum Storage: String, CaseIterable, Sendable {
    /// The hub has no log: reconnecting clients find a hub without knowledge of them.
    case memory
    /// Acknowledged actions may be lost with the hub.
    case async
    /// Nothing that was ever visible is lost.
    case sync
  }

  /// The seed of all random numbers.
  public var seed: UInt64
  /// The hub's durability.
  public var storage = Storage.sync
  /// The faults.
  public var faults = SimulatedFaults()
  /// The hub's limits, often small, so that rare situations become common.
  public var limits = HubLimits()
  /// The number of clients.
  public var clientCount = 3
  /// The number of clients that are tools, which take the schema from the hub.
  public var toolCount = 1
  /// The number of clients of the newer version, also while the hub has the older one.
  public var newerClientCount = 0
  /// True if the feature reacts to attaching and detaching clients.
  public var notesAttendance = false
  /// The number of steps before the simulation settles.
  public var stepCount = 600
  /// The number of clients that subscribe to the whole state; the others subscribe to parts.
  public var wholeStateClientCount = 2
  /// True if clients subscribe to the attendees.
  public var watchesHub = false
  /// True if lists become long.
  public var hasLongLists = false
  /// An action of storehubd's feature is replaced by one that inserts a deleted todo again: a chance in a thousand.
  public var restoration = 0

  /// Draws a plan from a seed.
  public init(seed: UInt64) {
    self.seed = seed
    var chance = Chance(seed: seed &* 0x9e37_79b9 &+ 17)
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
    limits.versions = chance.pick([1, 2, 4, 64])
    limits.versionBytes = chance.pick([2 << 10, 64 << 20])
    limits.detachedSessions = chance.pick([1, 2, 4096, 4096])
    limits.bookmarkInterval = chance.pick([1, 10, 1024])
    limits.hashInterval = chance.pick([1, 5, 65_536])
    limits.deltaBytes = chance.pick([20, 200, 16 << 20])
    limits.snapshotBytesPerTurn = chance.pick([1, 4 << 10, 128 << 10])
    limits.snapshotPieces = chance.pick([1, 2, 128])
    limits.coalescingThreshold = chance.pick([1, 2, 32])
    limits.coalescing = .milliseconds(chance.pick([0, 1, 20]))
    limits.unstoredTurns = chance.pick([1, 3, 20, 1024])
    limits.unstoredBytes = chance.pick([256, 16 << 20])
    limits.snapshotInterval = chance.pick([256, 2 << 10, 64 << 20])
    limits.rejections = chance.pick([2, 1024])
    limits.payloadBytes = chance.pick([300, 1 << 20])
    // Without what follows, a seed means what it meant before it existed.
    var successions = Chance(seed: seed &* 0x9e37_79b9 &+ 18)
    faults.drawSuccessions(from: &successions)
    // Likewise.
    var work = Chance(seed: seed &* 0x9e37_79b9 &+ 19)
    restoration = work.pick([0, 50, 200])
  }

  /// A summary of the plan for people.
  public var text: String {
    """
    \(storage.rawValue), \(clientCount) clients (\(newerClientCount) newer, \(toolCount) tools, \(wholeStateClientCount) of all), \
    \(stepCount) steps, versions \(limits.versions), \(limits.versionBytes) bytes of them, detached sessions \
    \(limits.detachedSessions), unstored turns \(limits.unstoredTurns), sockets of \(faults.socketBytes) bytes\
    \(watchesHub ? ", attendees" : "")\(notesAttendance ? ", attendance" : "")\(hasLongLists ? ", long lists" : "")
    """
  }
}
