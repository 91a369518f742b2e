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

  /// Takes the next actions of a session, and sends them to the leader, at once or when there is one.
  package mutating func act(_ session: ClusterSession, _ actions: [[UInt8]]) {
    // A message without actions announces a client.
    guard !actions.isEmpty, let number = held.append(actions, to: session) else { return }
    deliver(session, first: number, actions)
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
    if isRelay {
      guard let upstream, upstreams.way != 0 else { return }
      route = .link(upstream)
      sendStatus(to: upstream)
    } else if leader == leadership {
      route = .here
    } else if let announced = links[leader.node], announced == leader {
      route = .link(leader.node)
      sendStatus(to: leader.node)
    }
    guard route != .none else { return }
    wayNumber += 1
    var all: [(ClusterSession, UInt64, [[UInt8]])] = []
    held.forEach { all.append(($0, $1, $2)) }
    for (session, first, actions) in all { deliver(session, first: first, actions) }
  }

  /// The way of actions over a link; nil while there is none, or this node leads.
  package var actionWay: ActionWay? {
    guard case .link(let node) = route, let leader = point.leader, leader.node == node || isRelay else { return nil }
    return ActionWay(node: node, term: leader.term, number: wayNumber)
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
  ///   - knowsRelays: False if it does not know the messages of relays.
  package mutating func linkOpened(_ node: NodeName, givesSnapshots: Bool = true, knowsRelays: Bool = true) {
    links[node] = .some(nil)
    if givesSnapshots { givers.insert(node) }
    if knowsRelays {
      takesRelays.insert(node)
      if options.upstreams.contains(node) { upstreams.linked[node] = Upstreams.State() }
      if options.relays.contains(node) {
        relays.linked.insert(node)
        return sendRelayBeats()
      }
    }
    if case .leader = role { emit(.send(beat, to: node)) }
  }

  /// A link has ended; messages that were sent over it may be lost.
  package mutating func linkClosed(_ node: NodeName) {
    links[node] = nil
    givers.remove(node)
    takesRelays.remove(node)
    relays.linked.remove(node)
    relays.followers[node] = nil
    upstreams.linked[node] = nil
    if isRelay, upstreams.current == node {
      leaveUpstream()
      tendUpstream()
    }
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
      guard id == history?.id else { return }
      trimPlan.note(node, stored: stored)
      relayStored(node, upTo: stored)
    case .actions(let term, let session, let first, let actions):
      // Those for another term are sent again to its leader.
      if let leadership {
        let isKnown = session.node == node || options.relays.contains(session.node)
        if leadership.term == term, isKnown { emit(.perform(session, first: first, actions)) }
      } else {
        passOn(actions, from: first, of: session, inTerm: term, sentBy: node)
      }
    case .needsSnapshot(let position): sendSnapshot(to: node, after: position)
    case .follow(let request): handle(request, from: node)
    case .followed(let answer): handle(answer, from: node)
    case .entry(let entry, let parts): take(entry, parts, from: node)
    case .relayBeat(let beat): heard(beat, from: node)
    }
  }

  /// Sends actions of a relay below this node on. Those that have no way are dropped: the relay sends them again when a
  /// beat tells it of another way.
  private mutating func passOn(
    _ actions: [[UInt8]], from first: UInt64, of session: ClusterSession, inTerm term: UInt64, sentBy node: NodeName
  ) {
    guard let way = actionWay, way.term == term, way.node != node, takesRelays.contains(way.node),
      session.node != options.node, options.relays.contains(session.node)
    else { return }
    if actions.isEmpty {
      emit(.send(.actions(term: term, session, first: first, []), to: way.node))
    } else {
      send(actions, from: first, of: session, inTerm: term, to: way.node)
    }
  }

  private mutating func heard(_ leadership: Leadership, _ position: UInt64, _ isCurrent: Bool, from node: NodeName) {
    guard leadership.node == node, !isRelay else { return }
    let isNew = (links[node] ?? nil) != leadership
    links[node] = .some(leadership)
    if isNew { requestSnapshot(ofNewLeader: node) }
    switch role {
    case .follower, .claiming: break
    case .proving, .refused, .leader: return
    }
    if leadership == point.leader {
      announced = position
      if isCurrent { noteSign(isBehind: position > point.position, isNew: true) } else { noteWaitingLeader() }
      if route == .none { findRoute() }
      sendRelayBeats()
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
    for node in links.keys.sorted() where !relays.linked.contains(node) { emit(.send(message, to: node)) }
    leader.linkBeatAt = now + options.beatInterval
    role = .leader(leader)
    sendRelayBeats()
  }
}
