import ClusterCore
import ClusterLog
import Configuration
import TurnLog

/// The clients of this node: the leader learns of all of them, and of what they cancel.
extension ClusterNode {
  /// The cancellations that wait for a leader; of more, the oldest is dropped.
  private static var cancellationLimit: Int { 1024 }

  func open(_ session: ForwardedSession, processed: UInt64) {
    let named = self.session(session)
    (groups[named], names[named]) = (session.group, session.name)
    core.open(named, processed: processed)
    if let toldClients { announce(named, to: toldClients) }
  }

  func close(_ session: ForwardedSession) {
    sendForwarded()
    let named = self.session(session)
    (groups[named], names[named]) = (nil, nil)
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

  /// A session of another node whose actions came over a link is gone: the hub that leads ends it.
  func left(_ session: ClusterSession) {
    links?.sessionEnded(session)
    if core.leadingTerm != nil {
      deliver(.leave(ForwardedSession(id: session.id, user: session.user, group: .max)))
    }
  }

  /// Tells a leader that a link has been opened to of all clients, after the actions that were held for it.
  func tellClients() {
    let way = core.actionWay
    guard way != toldClients else { return }
    toldClients = way
    guard let way else { return }
    for session in groups.keys { announce(session, to: way) }
    let waiting = cancellations
    cancellations = []
    for (session, number) in waiting {
      links?.cancel(action: number, of: session, term: way.term, on: way.node)
    }
  }

  private func announce(_ session: ClusterSession, to way: ActionWay) {
    links?.send(
      .actions(term: way.term, session, first: 1, []), to: way.node, group: groups[session] ?? .max,
      name: name(of: session))
  }

  /// The name of the client of a session, of this node or of one that is linked; empty if it has none.
  func name(of session: ClusterSession) -> String { names[session] ?? links?.name(of: session) ?? "" }

  /// A client of another node cancels the effects of one of its actions.
  func cancelled(_ action: UInt64, of session: ClusterSession, inTerm term: UInt64) {
    // Those of another term have ended with it.
    guard core.leadingTerm == term else {
      if let way = core.actionWay, way.term == term, session.node != settings.node {
        links?.cancel(action: action, of: session, term: term, on: way.node)
      }
      return
    }
    deliver(.cancel(ForwardedSession(id: session.id, user: session.user, group: .max), action: action))
  }
}
