/// A tree of hubs: members over one store, relays below them on as many levels as their number needs, and clients on each.
package struct TreePlan: Sendable {
  /// The seed of all random choices.
  package var seed: UInt64
  /// The nodes with the store.
  package var memberCount = 3
  /// The nodes that follow others over links.
  package var relayCount = 1000
  /// The relays that follow one node.
  package var fanOut = 32
  /// The clients of all nodes, which see every change. They are as many on each node.
  package var clientCount = 1_000_000
  /// The actions of all clients in a second.
  package var rate = 500
  /// The time in which they act, in seconds.
  package var seconds = 4
  /// True to end the machine of a relay with others below it, in the middle of that time.
  package var losesRelay = true
  /// The cost of each step.
  package var costs = TreeCosts()

  /// Creates a plan.
  package init(seed: UInt64) { self.seed = seed }

  /// The parameters, for people.
  package var text: String {
    """
    seed \(seed): \(memberCount) members, \(relayCount) relays, at most \(fanOut) below a node, \(clientCount) clients, \
    \(rate) actions a second for \(seconds) s\(losesRelay ? ", a relay is lost" : "")
    """
  }
}

/// The processor time and the latency of the steps of an action, in nanoseconds.
///
/// The defaults are those that `docs/SCALING.md` has, with when and where they were measured.
package struct TreeCosts: Sendable {
  /// The processor time of the hub that leads for a commit, and for each action in it.
  package var commit = 300_000
  package var action = 500
  /// The processor time of a member for an entry from the store, and of a relay for one from a link: both with the
  /// journal.
  package var storeEntry = 190_000
  package var linkEntry = 165_000
  /// The processor time for a message that is written to a link.
  package var message = 12_000
  /// The processor time for a message that arrives without an entry: actions, a beat, or the place of a journal.
  package var receipt = 12_000
  /// The processor time for a change that is written to a client.
  package var delta = 1_500
  /// The time until the store has committed a transaction, and until it answers a read.
  package var commitLatency = 1_000_000
  package var readLatency = 300_000
  /// The time that bytes need to another machine.
  package var linkLatency = 100_000
  /// The time until a journal is on disk.
  package var syncLatency = 300_000

  /// Creates the default costs.
  package init() {}
}
