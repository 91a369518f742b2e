import ClusterCore
import ClusterLog
import Wire

/// The clients, each at the socket of its own machine.
extension ClusterSimulation {
  func newSession(of node: ClusterNode) -> ClusterSession {
    lastSession += 1
    return ClusterSession(node: node.name, user: 1000, id: SessionID(high: 0, low: lastSession))
  }

  /// A client sends an action, and the next one later.
  func act(_ index: Int) throws {
    guard !isSettling else { return }
    events.add(.act(client: index), at: now + time(upTo: 2 * plan.actionInterval))
    let client = clients[index]
    guard client.isConnected, !client.node.isPaused(at: now), let process = client.node.process else { return }
    let action = [UInt8](repeating: 7, count: chance.number(1...plan.longestAction))
    client.sent += 1
    client.actions.append(action)
    report.sent += 1
    note("act", client.node, index, Int(client.sent))
    process.core.advance(to: client.node.clock.local(now))
    process.core.act(client.session, [action])
    try drive(client.node)
  }

  /// Connects the clients of a node that serves. They resume their sessions, and send again what has no outcome.
  func connectClients(of node: ClusterNode) throws {
    guard let process = node.process, node.serves else { return }
    var isChanged = false
    for client in clients where client.node === node && !client.isConnected {
      isChanged = true
      // The welcome names the history.
      if let history = client.history, history != process.core.history { forgetSession(of: client) }
      client.history = process.core.history
      client.isConnected = true
      let processed = process.model.processed[client.session] ?? 0
      process.core.open(client.session, processed: max(processed, client.acknowledged))
      try acknowledge(processed, to: client)
      process.core.act(client.session, client.actions)
    }
    if isChanged { try drive(node) }
  }

  /// Ends the connections of a node's clients: its process has ended, or does not serve, or the log has another history.
  func disconnectClients(of node: ClusterNode, forgettingSessions: Bool = false) {
    for client in clients where client.node === node {
      if client.isConnected { node.process?.core.close(client.session) }
      client.isConnected = false
      guard forgettingSessions else { continue }
      forgetSession(of: client)
    }
  }

  /// The log has another history; the outcome of the actions in between stays unknown.
  private func forgetSession(of client: ClusterClient) {
    client.session = newSession(of: client.node)
    (client.sent, client.acknowledged, client.actions, client.history) = (0, 0, [], nil)
  }
}
