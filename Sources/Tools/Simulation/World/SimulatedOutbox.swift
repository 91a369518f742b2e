import ReplicaCore
import Wire

/// The file of a client's outbox: what another process of the client finds.
struct SimulatedOutbox {
  private(set) var contents: OutboxContents

  /// Creates the empty outbox of a client with this schema.
  init(schema: Schema) { contents = OutboxContents(schema: schema) }

  /// Stores the changes of a replica.
  mutating func store(_ changes: OutboxChanges, of replica: borrowing ReplicaCore) {
    var actions = contents.actions
    if changes.replacesAll { actions = [] }
    actions.removeAll { $0.action.number <= changes.settled || changes.removed.contains($0.action.number) }
    replica.forEachAddedAction(of: changes) { action, bytes in
      actions.append((action, bytes.withUnsafeBytes(Array.init)))
    }
    for index in actions.indices where changes.refused.contains(actions[index].action.number) {
      actions[index].action.isRefused = true
    }
    contents.actions = actions
    contents.session = changes.session
  }

  /// Stores the changes without the session, for a planted bug.
  mutating func forgetSession() { contents.session = OutboxSession() }
}

extension Simulation {
  /// Executes the command to store what a client's outbox must keep.
  func store(of client: ClientProcess) {
    guard let changes = client.replica.takeOutboxChanges() else { return }
    report.stores += 1
    guard !outboxes.hits(10) || isSettling else {
      trace.note(now, "client cannot store", Int(client.number))
      return client.replica.outboxFailed(reason: "the disk is full", at: now)
    }
    trace.note(now, "client stores", Int(client.number))
    var outbox = client.lateOutbox ?? client.outbox
    outbox?.store(changes, of: client.replica)
    if bug == .outboxForgetsItsSession { outbox?.forgetSession() }
    if bug == .outboxStoresTooLate {
      client.outbox = client.lateOutbox ?? client.outbox
      client.lateOutbox = outbox
    } else {
      client.outbox = outbox
    }
    client.unstoredOutcomes = [:]
    client.replica.outboxStored(at: now)
    client.hasCrashed = !isSettling && outboxes.hits(plan.faults.clientRestart * 3)
  }

  /// A process that finds only what is in the outbox of the one that has ended.
  func restartFromOutbox(_ client: ClientProcess, _ outbox: SimulatedOutbox) throws {
    client.hasCrashed = false
    client.connectsAt = nil
    client.lateOutbox = nil
    // A session that was left in order is in no file, nor is one that could not be stored.
    if outbox.contents.session.session != client.openedSession, bug != .outboxForgetsItsSession {
      client.openedSession = nil
    }
    client.restartReplica(seed: outboxes.next())
    client.replica.restore(outbox.contents) { _, _ in nil }
    let stored = Set(outbox.contents.actions.filter { !$0.action.isRefused }.map(\.action.number))
    for (ticket, sent) in client.waiting where !stored.contains(ticket.number) {
      client.waiting[ticket] = nil
      report.notSent += 1
      try neverApplied(sent.tag, .notStored(reason: "the process has ended"))
    }
    for (ticket, sent) in client.unstoredOutcomes where stored.contains(ticket.number) { client.waiting[ticket] = sent }
    client.unstoredOutcomes = [:]
    if client.attendees != nil { client.subscribeToHub() }
  }
}
