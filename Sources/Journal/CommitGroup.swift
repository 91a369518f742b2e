/// Decides for which turns the next commit waits, so that the clients in flight share one commit.
///
/// Clients that wait for their acknowledgements send their next actions soon after a commit. Without a wait, the next
/// commit begins with what arrived meanwhile. Then two groups of clients take turns, and each acknowledgement takes two
/// commits. A commit therefore waits until as many actions have arrived as were in flight at the end of the previous
/// one, for at most half the time of a commit. If they do not arrive, some commits begin at once before the next
/// attempt.
///
/// Actions are counted by revisions. Times are nanoseconds of the monotonic clock.
struct CommitGroup {
  /// The revision up to which the next commit waits for turns.
  private(set) var revision: UInt64 = 0
  /// The time until which it waits.
  private(set) var deadline: Int64 = 0
  /// The number of commits that do not wait because an earlier wait was in vain.
  private var commitsWithoutWait = 0

  /// The number of commits without a wait after a wait in vain, so that such waits cost less than 1 % of the time.
  private static let skippedWaits = 63
  /// The longest wait, in nanoseconds. A single slow sync must not delay the next commit by its own measure.
  private static let longestWait: Int64 = 5_000_000

  /// Begins with the end of a commit.
  ///
  /// - Parameters:
  ///   - stored: The revisions before and after the commit.
  ///   - newest: The revision of the newest turn, stored or not.
  ///   - duration: The time of the commit.
  ///   - now: The present time.
  mutating func begin(
    afterCommitOf stored: (from: UInt64, to: UInt64), newest: UInt64, duration: Int64, now: Int64
  ) {
    commitsWithoutWait = max(commitsWithoutWait - 1, 0)
    // A misplaced turn may have any revision.
    let inFlight = max(newest, stored.to) - stored.from
    (revision, deadline) = (
      stored.to + inFlight, commitsWithoutWait > 0 ? now : now + min(duration / 2, Self.longestWait)
    )
  }

  /// Ends with the turns that the next commit takes.
  ///
  /// - Parameter waited: True if the commit could have begun earlier.
  mutating func end(at newest: UInt64, waited: Bool) {
    if waited, newest < revision { commitsWithoutWait = Self.skippedWaits + 1 }
  }
}
