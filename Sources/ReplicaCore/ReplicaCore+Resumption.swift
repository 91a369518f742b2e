import Wire

// After a resumption, the hub sends the outcomes of actions immediately, and the changes that they made when the parts are
// attached again. Reported at once, the actions would be neither pending nor in the parts for a moment.

/// The last outcome of a resumed session, which is not reported yet.
struct ResumedOutcomes {
  /// The sequence number up to which the hub has processed the actions.
  let sequence: UInt64
  /// The hub's revision then.
  let revision: UInt64
}

extension ReplicaCore {
  /// Requests a sign that the hub has answered for all parts: it sends nothing for one that has not changed.
  mutating func awaitParts(on open: OpenLink) {
    guard awaitsResumedOutcomes || resumedOutcomes != nil else { return }
    writePing(on: open)
  }

  /// Reports the outcomes of a resumed session when the parts contain their changes, or when the hub has answered.
  mutating func reportResumedOutcomes() {
    guard let outcomes = resumedOutcomes, case .open(let open) = link else { return }
    // Once further actions were sent, the parts may contain these as well. Their acknowledgement comes after the parts.
    guard pending.acknowledged + UInt64(pending.sentCount) <= outcomes.sequence else { return }
    let isUpToDate = subscriptions.allSatisfy { subscription in
      switch subscription.root {
      case .feature: subscription.base.map { $0 >= outcomes.revision } ?? false
      // The revision of a view is that of its last change.
      case .views: false
      default: true
      }
    }
    guard isUpToDate || open.pongs > 0 else { return }
    reportOutcomes(through: outcomes.sequence)
  }

  /// Reports the outcomes of a session that ends before its parts were sent. If only the connection ends, the hub repeats
  /// them on the next one.
  mutating func endResumption() {
    guard let outcomes = resumedOutcomes else { return }
    resumedOutcomes = nil
    pending.acknowledge(through: outcomes.sequence, &commands)
  }

  /// Reports outcomes that the parts contain.
  mutating func reportOutcomes(through sequence: UInt64) {
    resumedOutcomes = nil
    pending.acknowledge(through: sequence, &commands)
    cancellations.settle(firstPending: pending.first)
    onSettled?()
  }
}
