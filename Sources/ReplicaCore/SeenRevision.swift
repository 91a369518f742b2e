import Wire

/// What a client says with its actions about the children that its user has seen presented.
struct SeenRevision {
  /// The revision of the last state that has arrived of any part of the feature's state; nil without one.
  private(set) var last: UInt64?
  /// True if the client has the parts with all presentations; nil if this is to be found out again.
  private(set) var showsPresentations: Bool?

  /// Notes that the client has the hub's state of its parts at a revision.
  mutating func note(_ revision: UInt64) { last = max(last ?? 0, revision) }

  /// Notes that the client follows other parts, or has received one of them for the first time.
  mutating func partsChanged() { showsPresentations = nil }

  mutating func found(_ showsPresentations: Bool) { self.showsPresentations = showsPresentations }
}

extension ReplicaCore {
  /// The revision of the last state that the user has seen. Nil if something may be presented that the client does not
  /// show: its user does not mean what was shown at a revision.
  ///
  /// - Complexity: O(1), except for the first action after the client follows other parts.
  mutating func revisionSeen() -> UInt64? {
    guard seen.last != nil else { return nil }
    if seen.showsPresentations == nil {
      let paths = subscriptions.filter { $0.root == .feature && $0.hasArrived }.map(\.path)
      seen.found(schema?.hasPresentations(allWithin: paths) ?? false)
    }
    return seen.showsPresentations == true ? seen.last : nil
  }

  /// Notes that a part has the hub's value at a revision.
  mutating func noteArrival(of subscription: Subscription, at revision: UInt64) {
    subscription.arrived(at: revision)
    guard subscription.root == .feature else { return }
    seen.note(revision)
    guard !subscription.hasArrived else { return }
    subscription.hasArrived = true
    seen.partsChanged()
  }

  /// Notes the revision of an outcome, which the hub writes after the state of all parts. For a part that has not changed
  /// it writes nothing, so this may be the only sign that the part is still as it is shown.
  mutating func noteOutcome(at revision: UInt64) {
    guard case .open = link, !awaitsResumedOutcomes, seen.last != nil else { return }
    seen.note(revision)
  }

  /// Notes that a subscription has no value of the hub's present history, or that of another part.
  mutating func noteLoss(of subscription: Subscription) {
    subscription.hasArrived = false
    seen.partsChanged()
  }

  /// Forgets all revisions: they belong to another history.
  mutating func forgetRevisions() {
    for subscription in subscriptions { subscription.hasArrived = false }
    seen = SeenRevision()
    pending.forgetRevisions()
  }
}
