package import ClusterLog

/// Links to the other nodes, and the way of actions to the leader.
extension ClusterCore {
  /// Opens a session of a client of this node.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - processed: The number up to which the applied log has its actions; 0 for a new one.
  package mutating func open(_ session: ClusterSession, processed: UInt64) {
    held.open(session, processed: processed)
  }

  /// Ends a session: its client will send nothing more, and what is not stored is forgotten.
  package mutating func close(_ session: ClusterSession) { held.close(session) }

  /// Takes the next action of a session, and sends it to the leader, at once or when there is one.
  package mutating func act(_ session: ClusterSession, _ action: [UInt8]) {
    guard let number = held.append(action, to: session) else { return }
    deliver(session, first: number, [action])
  }

  /// Releases the actions of a session that the applied log has.
  package mutating func processed(_ session: ClusterSession, upTo number: UInt64) {
    held.release(session, upTo: number)
  }

  private mutating func deliver(_ session: ClusterSession, first: UInt64, _ actions: [[UInt8]]) {
    switch route {
    case .none: break
    case .here: emit(.perform(session, first: first, actions))
    case .link(let node):
      guard let leader = point.leader else { return }
      send(actions, from: first, of: session, inTerm: leader.term, to: node)
    }
  }

  /// Finds the way to the leader of the current term, and sends it everything that is held.
  mutating func findRoute() {
    route = .none
    guard let leader = point.leader, point.successor == nil else { return }
    if leader == leadership {
      route = .here
    } else if let announced = links[leader.node], announced == leader {
      route = .link(leader.node)
      sendStatus(to: leader.node)
    }
    guard route != .none else { return }
    var all: [(ClusterSession, UInt64, [[UInt8]])] = []
    held.forEach { all.append(($0, $1, $2)) }
    for (session, first, actions) in all { deliver(session, first: first, actions) }
  }

  /// The linked leader to which actions go, and its term; nil while there is none, or this node leads.
  package var linkedLeader: Leadership? {
    if case .link(let node) = route, let leader = point.leader, leader.node == node { leader } else { nil }
  }

  private var leadership: Leadership? {
    if case .leader(let leader) = role, leader.successor == nil { leader.leadership } else { nil }
  }

  // MARK: Events of links

  /// A link to a node is open.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - givesSnapshots: False if it does not answer `needsSnapshot`.
  package mutating func linkOpened(_ node: NodeName, givesSnapshots: Bool = true) {
    links[node] = .some(nil)
    if givesSnapshots { givers.insert(node) }
    if case .leader = role { emit(.send(beat, to: node)) }
  }

  /// A link has ended; messages that were sent over it may be lost.
  package mutating func linkClosed(_ node: NodeName) {
    links[node] = nil
    givers.remove(node)
    trimPlan.forget(node)
    if route == .link(node) { route = .none }
    if snapshotRequest?.node == node { snapshotRequest?.until = now }
  }

  /// Tells the leader up to where the journal is on disk.
  mutating func sendStatus(to leader: NodeName) {
    guard let history else { return }
    emit(.send(.status(history: history.id, stored: storedPosition), to: leader))
  }

  /// Handles a message of a node.
  package mutating func received(_ message: ClusterMessage, from node: NodeName) {
    guard links[node] != nil else { return }
    switch message {
    case .beat(let leadership, let position, let isCurrent): heard(leadership, position, isCurrent, from: node)
    case .status(let id, let stored):
      // A journal of another history has other entries at the same positions.
      if id == history?.id { trimPlan.note(node, stored: stored) }
    case .actions(let term, let session, let first, let actions):
      // Those for another term are sent again to its leader.
      guard let leadership, leadership.term == term, session.node == node else { return }
      emit(.perform(session, first: first, actions))
    case .needsSnapshot(let position): sendSnapshot(to: node, after: position)
    }
  }

  private mutating func heard(_ leadership: Leadership, _ position: UInt64, _ isCurrent: Bool, from node: NodeName) {
    guard leadership.node == node else { return }
    links[node] = .some(leadership)
    switch role {
    case .follower, .claiming: break
    case .proving, .refused, .leader: return
    }
    if leadership == point.leader {
      announced = position
      if isCurrent { noteSign(isBehind: position > point.position, isNew: true) } else { noteWaitingLeader() }
      if route == .none { findRoute() }
    }
    if position > point.position { readEntries() }
  }

  // MARK: Beats

  private var beat: ClusterMessage {
    guard case .leader(let leader) = role else { preconditionFailure("only a leader announces itself") }
    return .beat(
      leader.leadership, position: point.position,
      isCurrent: now - leader.confirmedAt < options.takeoverAfter && leader.successor == nil)
  }

  /// Announces the leadership over all links.
  mutating func sendBeats() {
    guard case .leader(var leader) = role else { return }
    let message = beat
    for node in links.keys.sorted() { emit(.send(message, to: node)) }
    leader.linkBeatAt = now + options.beatInterval
    role = .leader(leader)
  }
}
