import ClusterCore
import ClusterLog
import TurnLog

/// The clients of this node: the leader learns of all of them, and of what they cancel.
extension ClusterNode {
  /// The cancellations that wait for a leader; of more, the oldest is dropped.
  private static var cancellationLimit: Int { 1024 }

  func open(_ session: ForwardedSession, processed: UInt64) {
    let named = self.session(session)
    groups[named] = session.group
    core.open(named, processed: processed)
    if let toldClients { announce(named, to: toldClients) }
  }

  func close(_ session: ForwardedSession) {
    sendForwarded()
    let named = self.session(session)
    groups[named] = nil
    cancellations.removeAll { $0.session == named }
    core.close(named)
    links?.sessionEnded(named)
  }

  func cancel(action number: UInt64, of session: ForwardedSession) {
    sendForwarded()
    let named = self.session(session)
    if let toldClients {
      links?.cancel(action: number, of: named, term: toldClients.term, on: toldClients.node)
    } else {
      if cancellations.count >= Self.cancellationLimit { cancellations.removeFirst() }
      cancellations.append((named, number))
    }
  }

  /// Tells a leader that a link has been opened to of all clients, after the actions that were held for it.
  func tellClients() {
    let leader = core.linkedLeader
    guard leader != toldClients else { return }
    toldClients = leader
    guard let leader else { return }
    for session in groups.keys { announce(session, to: leader) }
    let waiting = cancellations
    cancellations = []
    for (session, number) in waiting {
      links?.cancel(action: number, of: session, term: leader.term, on: leader.node)
    }
  }

  private func announce(_ session: ClusterSession, to leader: Leadership) {
    links?.send(
      .actions(term: leader.term, session, first: 1, []), to: leader.node, group: groups[session] ?? .max)
  }

  /// A client of another node cancels the effects of one of its actions.
  func cancelled(_ action: UInt64, of session: ClusterSession, inTerm term: UInt64) {
    // Those of another term have ended with it.
    guard core.leadingTerm == term else { return }
    deliver(.cancel(ForwardedSession(id: session.id, user: session.user, group: .max), action: action))
  }
}
