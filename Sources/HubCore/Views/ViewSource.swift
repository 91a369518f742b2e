import Wire

/// One value of a declared view, for one parameter and user: a source with a publisher of its own.
///
/// It is computed when it is published, only if its input has changed since. Its revision is that of the state with which
/// it has changed last, so a turn that leaves it as it was costs its subscribers nothing. That of the first value may be
/// within the turn in which its first client came. A computation that takes long is followed by a pause of three times its
/// duration, in which changes wait. The first value may take several turns, each with the `ViewFeed.budget` of its turn,
/// and so may the first one after a time without clients.
final class ViewSource: StateSource {
  let group: ViewGroup
  /// The reason why there is no value; nil if there is one.
  let absenceReason: String?
  private let feed: ViewFeed
  private let identity: ViewIdentity
  private let next: ViewDeclaration.Next
  private var current: StateVersion?
  /// The revision of the state at which `current` was computed, and at which it was found to be up to date.
  private var (computed, examined): (UInt64, UInt64) = (0, 0)
  /// The revision at which `current` has differed from its predecessor.
  private var changed: UInt64 = 0
  private var pause = ViewPause()
  /// True if a client has come back to `current`, which was not kept up to date without clients.
  private var isCatchingUp = false
  /// The sum of `WorkBudget.rounds` for the value that is computed in pieces.
  private var rounds = 0

  /// The rounds after which each further one doubles the steps.
  private static let patience = 16

  init(_ group: ViewGroup, _ feed: ViewFeed, _ identity: ViewIdentity, _ next: @escaping ViewDeclaration.Next) {
    (self.group, self.feed, self.identity, self.next) = (group, feed, identity, next)
    absenceReason = nil
  }

  /// A view that is never computed: its value is absent.
  init(_ group: ViewGroup, _ feed: ViewFeed, _ identity: ViewIdentity, absentBecause reason: String) {
    (self.group, self.feed, self.identity) = (group, feed, identity)
    next = { _, _, _ in preconditionFailure("the value of a refused view is absent") }
    (absenceReason, current, changed) = (reason, AbsentVersion(), feed.revision)
  }

  /// The revision of the last change; that of the state while it is unknown whether that has changed the value.
  var revision: UInt64 {
    let revision = feed.revision
    return current != nil && examined == revision || absenceReason != nil ? changed : revision
  }

  var versionRevision: UInt64 { changed }

  /// The value for the current state: the same object as before if nothing has changed, or if it is too early to compute
  /// a slow view again.
  func currentVersion() -> StateVersion {
    let revision = feed.revision
    if let current, isCatchingUp || examined == revision || absenceReason != nil || pause.lasts(feed.clock) {
      return current
    }
    examined = revision
    computeMarked(at: revision)
    guard let current else { preconditionFailure("the first value of a view is prepared before it is read") }
    return current
  }

  var isPrepared: Bool { current != nil && !isCatchingUp }

  /// Goes on with the first value, as far as `ViewFeed.budget` allows.
  func prepare() -> Bool {
    guard !isPrepared else { return true }
    let revision = feed.revision
    if computeMarked(at: revision) { (examined, isCatchingUp) = (revision, false) }
    return isPrepared
  }

  /// Notes that a client has come back to the value, which may be one of long ago.
  func catchUp() {
    guard current != nil, absenceReason == nil, group.inputRevision() > computed else { return }
    (isCatchingUp, rounds) = (true, 0)
  }

  @discardableResult
  private func computeMarked(at revision: UInt64) -> Bool {
    guard let mark = feed.mark else { return compute(at: revision) }
    return mark.during(identity) { compute(at: revision) }
  }

  /// Computes the value; returns false if there is more to do.
  private func compute(at revision: UInt64) -> Bool {
    let input = group.inputRevision()
    if current != nil, input <= computed { return true }
    let (state, old) = (feed.version(), current)
    // Only the first one waits: subscribers of a value wait for its change as they do for that of the state. If actions
    // change more than is computed meanwhile, it gets more and more time, so that it is complete at some time.
    let steps = feed.budget.steps << min(max(rounds - Self.patience, 0), 20)
    let isInPieces = !isPrepared
    var budget = isInPieces ? WorkBudget(steps: steps) : .unlimited
    let (step, duration) = group.measured { next(state, old, &budget) }
    if isInPieces {
      feed.budget.spend(steps - budget.steps)
      rounds += budget.rounds
    }
    switch step {
    case .unfinished: return false
    case .unchanged: break
    case .changed(let new): (current, changed) = (new, revision)
    }
    computed = revision
    pause.begin(after: duration, feed.clock)
    return true
  }

  /// The time at which to publish the value again, because it waits; nil if it does not.
  var due: Duration? { current == nil || examined == feed.revision || absenceReason != nil ? nil : pause.end }
}

/// The time for which a slow view is not computed again, so that views leave most of the loop's time to actions.
private struct ViewPause {
  /// The duration from which a computation is slow.
  static var threshold: Duration { .milliseconds(1) }

  private(set) var end: Duration?

  mutating func begin(after duration: Duration, _ clock: (() -> Duration)?) {
    guard let clock, duration >= Self.threshold else { return end = nil }
    end = clock() + duration * 3
  }

  mutating func lasts(_ clock: (() -> Duration)?) -> Bool {
    guard let end, let clock else { return false }
    if clock() < end { return true }
    self.end = nil
    return false
  }
}
