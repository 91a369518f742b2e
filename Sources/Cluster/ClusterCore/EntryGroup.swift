import TurnLog

/// Decides for which actions a leader's next entry waits, so that the clients in flight share one entry: without it, they
/// take turns in two groups, and each acknowledgement takes two transactions (``CommitGroup``).
struct EntryGroup {
  /// The longest wait, in transactions: an acknowledgement to a follower's client, and the next action on its way to the
  /// leader, take the way through the store's watch, two hubs and a link.
  private static let wait = 4
  private var group = CommitGroup()
  /// The number of actions in all turns of this leadership.
  private(set) var newest: UInt64 = 0
  /// The number of those that are stored.
  private var stored: UInt64 = 0
  /// True if the next entry could have begun earlier.
  private var hasWaited = false

  /// Counts the actions of turns that wait for an entry.
  mutating func add(_ actionCount: Int) { newest += UInt64(actionCount) }

  /// Notes that an entry was stored.
  ///
  /// - Parameters:
  ///   - number: The number of its last action.
  ///   - duration: The time of its transaction.
  ///   - now: The present time.
  mutating func stored(upTo number: UInt64, in duration: Duration, at now: Duration) {
    group.begin(
      afterCommitOf: (stored, number), newest: newest, wait: (duration * Self.wait).wholeNanoseconds,
      now: now.wholeNanoseconds)
    stored = number
  }

  /// The time until which an entry of the turns that wait is not begun; nil if it is begun now.
  mutating func end(at now: Duration) -> Duration? {
    let deadline = Duration.nanoseconds(group.deadline)
    guard newest < group.revision, now < deadline else { return nil }
    hasWaited = true
    return deadline
  }

  /// Notes that an entry of the turns that wait is begun.
  mutating func begin() {
    group.end(at: newest, waited: hasWaited)
    hasWaited = false
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
