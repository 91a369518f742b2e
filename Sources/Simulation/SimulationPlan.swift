public import HubCore

/// What one simulation is made of; everything is drawn from its seed.
public struct SimulationPlan: Sendable {
  /// What happens to the actions of a hub that stops.
  public enum Storage: String, CaseIterable, Sendable {
    /// The hub has no log: whoever comes back finds a hub that knows nothing.
    case memory
    /// What was acknowledged may be lost with the hub.
    case async
    /// Nothing that anyone has seen is ever lost.
    case sync
  }

  /// The number from which everything is drawn.
  public var seed: UInt64
  /// Whether the hub has a log, and what waits for it.
  public var storage = Storage.sync
  /// What goes wrong.
  public var faults = SimulatedFaults()
  /// The hub's limits; often small, so that what is rare elsewhere is common here.
  public var limits = HubLimits()
  /// How many clients there are.
  public var clientCount = 3
  /// How many of them are tools, which take the schema from the hub.
  public var toolCount = 1
  /// How many of them are of the newer version, also while the hub is of the older one.
  public var newerClientCount = 0
  /// Whether the feature reacts to clients that come and go.
  public var notesAttendance = false
  /// How many steps there are before everything is let come to rest.
  public var stepCount = 600
  /// How many clients subscribe to all of the state; the others subscribe to parts.
  public var wholeStateClientCount = 2
  /// Whether clients subscribe to who is attached.
  public var watchesHub = false
  /// Whether lists become long.
  public var hasLongLists = false

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
  }

  /// The plan in short, for people.
  public var text: String {
    """
    \(storage.rawValue), \(clientCount) clients (\(newerClientCount) newer, \(toolCount) tools, \(wholeStateClientCount) of all), \
    \(stepCount) steps, versions \(limits.versions), \(limits.versionBytes) bytes of them, detached sessions \
    \(limits.detachedSessions), unstored turns \(limits.unstoredTurns), sockets of \(faults.socketBytes) bytes\
    \(watchesHub ? ", attendees" : "")\(notesAttendance ? ", attendance" : "")\(hasLongLists ? ", long lists" : "")
    """
  }
}
