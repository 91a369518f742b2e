extension HubCore {
  /// Records a large write to a connection, after which its user's other connections may have to wait.
  mutating func noteOutput(_ byteCount: Int, to connection: LiveConnection, at now: Duration) {
    let budget = accounts.outputBudget(limits)
    guard connection.account.output.note(byteCount, inTurn: turn, at: now, budget) else { return }
    accounts.paused.append(connection.account)
  }

  /// Ends the pauses that are over, or all, and makes the connections that waited pending.
  mutating func endPauses(at now: Duration, all: Bool) {
    let budget = accounts.outputBudget(limits)
    for account in accounts.paused where all || account.output.isOver(at: now, budget) {
      outputs.resume(account.output.finish())
    }
    accounts.paused.removeAll { !$0.output.isOn }
  }

  /// The time at which the next pause ends at the latest; nil if no connection waits.
  var pauseDue: Duration? { accounts.paused.lazy.filter { !$0.output.waiting.isEmpty }.map(\.output.end).min() }

  /// True if connections wait although sockets have accepted the output of their user.
  var hasDrainedPause: Bool {
    let budget = accounts.outputBudget(limits)
    return accounts.paused.contains { !$0.output.waiting.isEmpty && $0.output.hasDrained(budget) }
  }
}
