import ClusterLog

/// The role of a node in the cluster.
enum Role {
  /// The node proves that its journal belongs to the log; with `isBehind`, it needs a snapshot first.
  case proving(isBehind: Bool)
  case refused(Refusal, retryAt: Duration)
  case follower(Follower)
  /// The node takes over: the transaction with this opening entry has no answer yet.
  case claiming(EncodedEntry, Follower)
  case leader(Leader)
}

/// A node that applies the entries of another one.
struct Follower {
  /// The last sign of the leader's life: an entry, a beat, or a message over the link that the leader is current.
  var lastSign: Duration
  /// The time of a sign from the store that came after a long silence and may be old, until a later one has shown that
  /// the leader lives.
  var resumedAt: Duration?
  /// The last time at which the leader has said over the link that it waits for the store.
  var leaderWaitedAt: Duration?
  /// The last time at which the node had everything that it knew of.
  var currentAt: Duration
  /// The node claims no earlier, so that several followers do not disturb each other.
  var claimAt: Duration
  /// The revision of the proof, until the node has applied all entries of that time; nil from then on. A client may have
  /// seen them before the node's process has started, so that it must not see an earlier state now.
  var provenRevision: UInt64?

  /// Notes a sign of the leader.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - isBehind: True if the leader is further than this node.
  ///   - isNew: True if the sign was certainly made just now.
  ///   - options: The silence after which a sign may be old, and the time between those of a leader that lives.
  mutating func noteSign(at time: Duration, isBehind: Bool, isNew: Bool, _ options: ClusterOptions) {
    if isNew {
      resumedAt = nil
    } else if let first = resumedAt {
      // What was written before arrives all at once.
      if time - first >= options.beatInterval { resumedAt = nil }
    } else if time - lastSign > options.takeoverAfter - options.beatInterval {
      resumedAt = time
    }
    lastSign = time
    if !isBehind { currentAt = time }
  }

  mutating func noteApplied(upTo revision: UInt64) {
    if let proven = provenRevision, revision >= proven { provenRevision = nil }
  }
}

/// The node that appends.
struct Leader {
  let leadership: Leadership
  /// The entry that is being appended, and the parts of its turn that are not stored yet.
  var appending: Appending?
  var beatCount: UInt64 = 0
  /// The time at which the last successful append or beat was sent.
  var confirmedAt: Duration
  var effects: EffectsPhase
  /// The node that takes over when everything is stored.
  var successor: NodeName?
  var linkBeatAt: Duration

  struct Appending {
    let entry: EncodedEntry
    let turnCount: Int
    /// The number of the last action in the turns (`EntryGroup`).
    var lastAction: UInt64 = 0
    var parts: [[UInt8]] = []
    var nextPart = 0
  }

  /// Where a leader is with its effects.
  enum EffectsPhase: Equatable {
    /// Those of the previous leader may still run until this time.
    case waiting(until: Duration)
    case running
    /// The store has not confirmed the leadership in time.
    case cancelled
  }
}

/// A turn of a leader that no transaction contains yet.
struct WaitingTurn {
  let bytes: [UInt8]
  /// The number of the last action that was appended with it (`EntryGroup`).
  let lastAction: UInt64
}

/// A transaction that has no answer yet. It is repeated until it has one.
struct PendingTransaction {
  enum Purpose { case proof, claim, append, part, beat }

  var number: UInt64
  let transaction: LogTransaction
  let purpose: Purpose
  /// The time at which it was sent first, and last.
  let firstSentAt: Duration
  var sentAt: Duration
  /// The time of the next attempt; nil while one has no answer.
  var retryAt: Duration?
}

/// A transaction that needs no order among those that append, and that is not repeated.
struct SideTransaction {
  enum Purpose {
    case removal(before: UInt64, Leadership)
    case registration(NodeRegistration)
  }

  let number: UInt64
  let purpose: Purpose
}
