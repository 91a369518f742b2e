internal import RandomNumbers

/// The parameters of the simulation of a cluster, all drawn from its seed.
package struct ClusterPlan: Sendable {
  /// The seed of all random numbers.
  package var seed: UInt64
  /// The number of nodes.
  package var nodeCount = 3
  /// The relays, which follow others over links, and of these the ones that follow other relays only.
  package var relayCount = 0
  package var lowerRelayCount = 0
  /// Of a thousand entries for a relay, those that a faulty node replaces by others.
  package var forgedEntries = 0
  /// The clients of each node.
  package var clientsPerNode = 1
  /// The time with faults, in milliseconds.
  package var duration = 20_000
  /// The average time between two actions of a client, in milliseconds.
  package var actionInterval = 150
  /// The greatest number of bytes of an action beside its number.
  package var longestAction = 40
  /// The greatest number of bytes of an entry.
  package var entryBytes = 1 << 20
  /// The number of bytes of entries that are kept for nodes that were away.
  package var keptBytes = 20_000
  /// The number of bytes of entries that one transaction removes at least.
  package var trimStepBytes = 3_000
  /// The greatest number of bytes in the store; nil if there is none.
  package var storeBytes: Int?
  /// True if the operator makes room in a full store after some time. Otherwise the nodes must do it.
  package var operatorMakesRoom = true
  /// True if a machine is set up with the name of another one.
  package var hasTwin = false
  /// The difference in speed of any clock from the true time, in millionths.
  package var skew = 0
  /// The faults.
  package var faults = ClusterFaults()

  /// Draws a plan from a seed.
  package init(seed: UInt64) {
    self.seed = seed
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 101)
    nodeCount = chance.pick([1, 2, 3, 3, 3, 3, 3, 3, 4, 5])
    clientsPerNode = chance.number(1...2)
    duration = chance.number(4_000...25_000)
    actionInterval = chance.pick([30, 100, 100, 300, 2000])
    longestAction = chance.pick([8, 40, 40, 300])
    entryBytes = chance.pick([320, 600, 1 << 20])
    keptBytes = chance.pick([0, 400, 2000, 1 << 20])
    trimStepBytes = chance.pick([1, 800, 10_000])
    storeBytes = chance.pick([nil, nil, nil, 20_000])
    hasTwin = chance.pick([false, false, false, false, true]) && nodeCount > 2
    skew = chance.pick([0, 100, 50_000])
    faults = ClusterFaults(drawnFrom: &chance)
    drawRelays()
  }

  /// Draws the relays from numbers of their own, so that the seeds without relays are what they were before.
  private mutating func drawRelays() {
    var chance = SplitMix(seed: seed &* 0x9e37_79b9 &+ 103)
    guard !hasTwin, chance.hits(400) else { return }
    relayCount = chance.number(1...4)
    lowerRelayCount = relayCount > 1 ? chance.number(0...relayCount / 2) : 0
    forgedEntries = chance.pick([0, 0, 10])
  }

  /// The plan, for people.
  package var text: String {
    """
    seed \(seed): \(nodeCount) nodes\(relayCount > 0 ? " and \(relayCount) relays, \(lowerRelayCount) below others" : "") with \(clientsPerNode) clients each, \(duration) ms, an action each \
    \(actionInterval) ms, entries of \(entryBytes) bytes, \(keptBytes) bytes kept, removed by \(trimStepBytes), \
    \(storeBytes.map { "a store of \($0) bytes" } ?? "a large store"), \(hasTwin ? "a name used twice, " : "")clocks \
    \(skew) ppm off, \(faults)
    """
  }
}

/// The faults of the simulation of a cluster.
package struct ClusterFaults: Sendable, Equatable {
  // For each transaction, in thousandths.
  package var requestLost = 0
  package var answerLost = 0
  package var executedLate = 0
  package var executedTwice = 0
  /// For each read.
  package var readStale = 0
  // For each event of a watch and each node.
  package var eventLost = 0
  package var eventLate = 0
  // For each tenth of a second, in thousandths.
  package var quorumLost = 0
  package var storeCut = 0
  package var linkCut = 0
  package var pause = 0
  package var crash = 0
  package var diskLost = 0
  package var storeFull = 0
  package var backupRestored = 0
  package var upgrade = 0
  package var transfer = 0
  package var removal = 0

  /// No faults.
  package static let none = ClusterFaults()

  /// Creates no faults.
  package init() {}

  init(drawnFrom chance: inout SplitMix) {
    requestLost = chance.pick([0, 5, 50])
    answerLost = chance.pick([0, 5, 50])
    executedLate = chance.pick([0, 5, 50])
    executedTwice = chance.pick([0, 20])
    readStale = chance.pick([0, 100])
    eventLost = chance.pick([0, 20, 300, 1000])
    eventLate = chance.pick([0, 50, 300])
    quorumLost = chance.pick([0, 0, 10])
    storeCut = chance.pick([0, 10, 30])
    linkCut = chance.pick([0, 10, 50])
    pause = chance.pick([0, 10, 30])
    crash = chance.pick([0, 5, 20])
    diskLost = chance.pick([0, 0, 10])
    storeFull = chance.pick([0, 0, 10])
    backupRestored = chance.pick([0, 0, 0, 5])
    upgrade = chance.pick([0, 0, 20])
    transfer = chance.pick([0, 0, 20])
    // The last one, so that the others of a seed are as they were before it.
    removal = chance.pick([0, 0, 0, 10])
  }
}
