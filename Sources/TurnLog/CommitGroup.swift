/// Decides for which turns the next commit waits, so that the clients in flight share one commit.
///
/// Clients that wait for their acknowledgements send their next actions soon after a commit. Without a wait, the next
/// commit begins with what arrived meanwhile. Then two groups of clients take turns, and each acknowledgement takes two
/// commits. A commit therefore waits until as many actions have arrived as were in flight at the end of the previous
/// one, for a time that its user sets. If they do not arrive, 64 commits begin at once before the next attempt, and
/// twice as many after each further attempt in vain, up to 256.
///
/// Actions are counted, for example by revisions. Times are nanoseconds of the monotonic clock.
package struct CommitGroup: Sendable {
  /// The revision up to which the next commit waits for turns.
  package private(set) var revision: UInt64 = 0
  /// The time until which it waits.
  package private(set) var deadline: Int64 = 0
  /// The number of commits that do not wait because an earlier wait was in vain.
  private var commitsWithoutWait = 0
  /// That number after the next wait in vain.
  private var skippedWaits = Self.skippedWaits.lowerBound

  /// The number of commits without a wait after a wait in vain. For clients that do not wait for their acknowledgements,
  /// fewer than 1 % of the commits are late.
  private static let skippedWaits = 64...256
  /// The longest wait, in nanoseconds. A single slow sync must not delay the next commit by its own measure.
  private static let longestWait: Int64 = 5_000_000

  /// Waits for nothing.
  package init() {}

  /// Begins with the end of a commit.
  ///
  /// - Parameters:
  ///   - stored: The revisions before and after the commit.
  ///   - newest: The revision of the newest turn, stored or not.
  ///   - wait: The longest wait for the actions of the next commit; it is at most 5 ms.
  ///   - now: The present time.
  package mutating func begin(
    afterCommitOf stored: (from: UInt64, to: UInt64), newest: UInt64, wait: Int64, now: Int64
  ) {
    commitsWithoutWait = max(commitsWithoutWait - 1, 0)
    // A misplaced turn may have any revision.
    let inFlight = max(newest, stored.to) - stored.from
    (revision, deadline) = (
      stored.to + inFlight, commitsWithoutWait > 0 ? now : now + min(wait, Self.longestWait)
    )
  }

  /// Ends with the turns that the next commit takes.
  ///
  /// - Parameter waited: True if the commit could have begun earlier.
  package mutating func end(at newest: UInt64, waited: Bool) {
    guard waited else { return }
    if newest < revision {
      commitsWithoutWait = skippedWaits + 1
      skippedWaits = min(skippedWaits * 2, Self.skippedWaits.upperBound)
    } else {
      skippedWaits = Self.skippedWaits.lowerBound
    }
  }
}
