extension HubCore {
  /// The bytes that may be written to one user's connections in a turn: a quarter of what may be held for the user.
  var outputBudget: Int {
    min(limits.heldBytesPerUser, max(limits.heldBytes - heldBytes, 0) / (accounts.count + 1)) / 4
  }

  /// Records a large write to a connection, after which its user's other connections may have to wait.
  mutating func noteOutput(_ byteCount: Int, to connection: LiveConnection, at now: Duration) {
    guard connection.account.output.note(byteCount, inTurn: turn, at: now, outputBudget) else { return }
    pausedAccounts.append(connection.account)
  }

  /// Ends the pauses that are over, or all, and makes the connections that waited pending.
  mutating func endPauses(at now: Duration, all: Bool) {
    let budget = outputBudget
    for account in pausedAccounts where all || account.output.isOver(at: now, budget) {
      outputs.resume(account.output.finish())
    }
    pausedAccounts.removeAll { !$0.output.isOn }
  }

  /// The time at which the next pause ends at the latest; nil if no connection waits.
  var pauseDue: Duration? { pausedAccounts.lazy.filter { !$0.output.waiting.isEmpty }.map(\.output.end).min() }

  /// True if connections wait although sockets have accepted the output of their user.
  var hasDrainedPause: Bool {
    let budget = outputBudget
    return pausedAccounts.contains { !$0.output.waiting.isEmpty && $0.output.hasDrained(budget) }
  }
}
