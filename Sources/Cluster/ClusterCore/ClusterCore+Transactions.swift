package import ClusterLog

/// Transactions: one that is repeated until it has an answer, and one beside it that is not.
extension ClusterCore {
  mutating func transact(_ transaction: LogTransaction, for purpose: PendingTransaction.Purpose) {
    precondition(pending == nil, "a node has one transaction in flight")
    lastNumber += 1
    pending = PendingTransaction(
      number: lastNumber, transaction: transaction, purpose: purpose, firstSentAt: now, sentAt: now)
    emit(.transact(lastNumber, transaction, in: storeID(for: purpose)))
  }

  /// A proof finds out which store it is; everything else is meant for the store of the proof. A store that was restored
  /// from a backup since gets nothing: it still has the old leadership, and would remove entries that no journal has.
  private func storeID(for purpose: PendingTransaction.Purpose) -> UInt64? { purpose == .proof ? nil : store }

  mutating func transactAside(_ transaction: LogTransaction, for purpose: SideTransaction.Purpose) {
    lastNumber += 1
    aside = SideTransaction(number: lastNumber, purpose: purpose)
    emit(.transact(lastNumber, transaction, in: store))
  }

  mutating func retryTransaction() {
    guard var next = pending, let retryAt = next.retryAt, now >= retryAt else { return }
    lastNumber += 1
    (next.number, next.sentAt, next.retryAt) = (lastNumber, now, nil)
    pending = next
    emit(.transact(lastNumber, next.transaction, in: storeID(for: next.purpose)))
  }

  /// Handles the outcome of a transaction; one that the node no longer waits for is ignored.
  ///
  /// - Parameters:
  ///   - number: The number of the command.
  ///   - store: The id of the store's cluster.
  ///   - outcome: The outcome.
  package mutating func transactionEnded(_ number: UInt64, in store: UInt64, _ outcome: TransactionOutcome) {
    if let ended = aside, ended.number == number {
      aside = nil
      return asideEnded(ended.purpose, outcome)
    }
    guard let ended = pending, ended.number == number else { return }
    switch outcome {
    case .unknown:
      pending?.retryAt = now
      retryTransaction()
    case .full:
      pending?.retryAt = now + options.retryInterval
      makeRoom()
    case .elsewhere: proveAgain()
    case .written(let revision):
      (pending, fullSince) = (nil, nil)
      // Nothing is learnt from a store that is not the history's.
      if let expected = begun ?? history, expected.store != store { return refuse(.restored) }
      lastRevision = store == self.store ? max(lastRevision, revision) : revision
      written(ended, revision, in: store)
    case .refused(let values):
      (pending, fullSince) = (nil, nil)
      if ended.purpose != .proof, let expected = begun ?? history, expected.store != store { return refuse(.restored) }
      refused(ended, values, in: store)
    }
  }

  private mutating func written(_ ended: PendingTransaction, _ revision: UInt64, in store: UInt64) {
    switch ended.purpose {
    case .proof: proved(in: store, revision)
    case .claim:
      guard case .claiming(let opening, _) = role else { return }
      becomeLeader(opening, confirmedAt: ended.sentAt)
    case .append, .part, .beat: leaderWrote(ended, revision)
    }
  }

  private mutating func refused(_ ended: PendingTransaction, _ values: [StoredValue?], in store: UInt64) {
    switch ended.purpose {
    case .proof: proofRefused(values, in: store)
    case .claim: claimRefused(ended, values)
    case .append: appendRefused(ended, values)
    case .part, .beat:
      // The only condition is the leadership.
      demote()
    }
  }

  private mutating func asideEnded(_ purpose: SideTransaction.Purpose, _ outcome: TransactionOutcome) {
    switch (purpose, outcome) {
    case (_, .elsewhere): proveAgain()
    case (.removal(let position, _), .written(let revision)): removed(before: position, revision)
    case (.removal(let position, let leadership), .refused(let values)):
      removalRefused(before: position, leadership, values)
    case (.removal, .unknown), (.removal, .full): removeAt = now + options.retryInterval
    case (.registration(let own), .written(let revision)): registered(own, revision, in: store)
    case (.registration, .refused), (.registration, .unknown), (.registration, .full):
      // The next look at the registration tells.
      break
    }
  }

  /// The store or the log may be another one; a proof decides.
  mutating func proveAgain() {
    demote()
    prove()
  }
}
