import ClusterCore
import ClusterLink
import ClusterLog
import Wire

/// The links between the nodes.
extension ClusterSimulation {
  /// The index of the link of two nodes, of which the first has the lower index.
  func linkIndex(_ first: Int, _ second: Int) -> Int { min(first, second) * nodes.count + max(first, second) }

  func send(_ message: ClusterMessage, from node: ClusterNode, to name: NodeName) {
    guard let other = nodes.first(where: { $0.name == name && links[linkIndex(node.index, $0.index)].ends != nil })
    else { return }
    let (index, direction) = (linkIndex(node.index, other.index), node.index < other.index ? 0 : 1)
    // The bug's node hears nothing of the leader.
    if bug == .takeoverByLeaseOnly, case .beat(let leadership, let position, _) = message {
      links[index].ends?[direction].link.send(.beat(leadership, position: position, isCurrent: false))
    } else {
      links[index].ends?[direction].link.send(forged(message))
    }
    flush(index, direction)
  }

  /// The message as a faulty node sends it: an entry with another turn, which continues another log.
  private func forged(_ message: ClusterMessage) -> ClusterMessage {
    guard plan.forgedEntries > 0, !isSettling, case .entry(let encoded, _) = message,
      case .turns(let first, _) = encoded.entry.content, chance.hits(plan.forgedEntries)
    else { return message }
    report.forged += 1
    let turn = ClusterModel.turn([], padding: 3)
    return .entry(
      Self.entry(encoded, .turns(first: first, [turn]), after: encoded.entry.previous ^ 1), parts: [])
  }

  /// Puts what an end has to send on its way.
  private func flush(_ index: Int, _ direction: Int) {
    guard let end = links[index].ends?[direction] else { return }
    while end.link.hasOutput {
      links[index].queues[direction].append(end.link.takeOutput(limit: 1 << 16))
      if links[index].isCut[direction] {
        links[index].stalled[direction] += 1
      } else {
        events.add(.message(link: index, direction: direction, epoch: links[index].epoch), at: now + delay())
      }
    }
  }

  func deliverMessage(_ index: Int, _ direction: Int, _ epoch: Int) throws {
    guard links[index].epoch == epoch, !links[index].queues[direction].isEmpty else { return }
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    let receiver = direction == 0 ? high : low
    guard !links[index].isCut[direction] else {
      links[index].stalled[direction] += 1
      return
    }
    guard !receiver.isPaused(at: now) else {
      return events.add(.message(link: index, direction: direction, epoch: epoch), at: receiver.pausedUntil + 1)
    }
    let bytes = links[index].queues[direction].removeFirst()
    guard let end = links[index].ends?[1 - direction] else { return }
    let time = receiver.clock.local(now)
    receiver.process?.core.advance(to: time)
    end.link.received(bytes.span.bytes, now: time)
    try handleEvents(of: end, index, 1 - direction)
  }

  /// Passes what has happened at an end on to its node.
  private func handleEvents(of end: SimulatedLink.End, _ index: Int, _ direction: Int) throws {
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    let (node, other) = direction == 0 ? (low, high) : (high, low)
    for event in end.link.takeEvents() {
      switch event {
      case .opened(let peer): node.process?.core.linkOpened(peer.node)
      case .message(let message):
        report.messages += 1
        try receive(message, by: node, from: other)
      case .snapshot(let event): take(event, of: end, node, from: other)
      case .sessionEnded, .cancelled, .clockRead: break
      case .sessionRefused(let session, let refusal):
        throw Violation(.connectionLost, "a session of \(session.node) is refused: \(refusal)")
      case .ended(.silent), .ended(.noHello):
        report.silentLinks += 1
        return try close(index)
      case .ended(let reason): throw Violation(.connectionLost, "the link of \(low.name) and \(high.name): \(reason)")
      }
    }
    flush(index, direction)
    try drive(node)
  }

  private func receive(_ message: ClusterMessage, by node: ClusterNode, from other: ClusterNode) throws {
    guard let process = node.process else { return }
    let upstream = process.core.upstream
    var received = message
    if case .entry(let entry, let parts) = message {
      report.relayed += 1
      if bug == .relayedAcknowledgement { try acknowledge(entry, to: node) }
      if bug == .relayedWithoutAChecksum, entry.entry.position == process.core.point.position + 1 {
        received = .entry(Self.entry(entry, entry.entry.content, after: process.core.point.checksum), parts: parts)
      }
    }
    process.core.received(received, from: other.name)
    if let next = process.core.upstream, next != upstream { report.upstreamChanges += 1 }
  }

  /// Acknowledges the actions of an entry as a relay with the bug does.
  private func acknowledge(_ entry: EncodedEntry, to node: ClusterNode) throws {
    guard case .turns(_, let turns) = entry.entry.content else { return }
    for change in try turns.flatMap(ClusterModel.changes) {
      for client in clients where client.node === node && client.isConnected && client.session == change.session {
        try acknowledge(min(change.number, client.sent), to: client)
      }
    }
  }

  private static func entry(
    _ encoded: EncodedEntry, _ content: LogEntry.Content, after checksum: UInt64
  ) -> EncodedEntry {
    let entry = encoded.entry
    return EncodedEntry(
      LogEntry(
        position: entry.position, leader: entry.leader, schema: entry.schema, previous: checksum, content: content))
  }

  private func take(
    _ event: ClusterLink.SnapshotEvent, of end: SimulatedLink.End, _ node: ClusterNode, from other: ClusterNode
  ) {
    switch event {
    case .preparing: node.process?.core.snapshotPrepared(by: other.name)
    case .began:
      end.arriving = []
      node.process?.core.snapshotAdvanced(from: other.name)
    case .piece(let bytes):
      end.arriving += bytes
      node.process?.core.snapshotAdvanced(from: other.name)
    case .arrived(let place):
      guard node.process?.core.objection(toSnapshotAt: place) == nil else {
        node.process?.core.snapshotFailed(from: other.name)
        break
      }
      node.process?.arrived[place.encoded()] = end.arriving
      node.process?.core.snapshotArrived(place)
    case .failed: node.process?.core.snapshotFailed(from: other.name)
    }
  }

  func send(_ place: JournalPlace, _ state: [UInt8], from node: ClusterNode, to name: NodeName) {
    guard let other = nodes.first(where: { $0.name == name && links[linkIndex(node.index, $0.index)].ends != nil })
    else { return }
    let (index, direction) = (linkIndex(node.index, other.index), node.index < other.index ? 0 : 1)
    links[index].ends?[direction].link.send(place, from: SnapshotBytes(state, pieceBytes: 8))
    flush(index, direction)
  }

  /// Opens links, ends those that were cut for long, and heals cuts.
  func tendLinks() throws {
    for low in nodes.indices {
      for high in nodes.indices where high > low && mayLink(nodes[low], nodes[high]) {
        let index = linkIndex(low, high)
        if links[index].isCut != [false, false], now >= links[index].cutUntil { heal(index) }
        let isWhole = links[index].isCut == [false, false]
        if links[index].ends != nil, !isWhole, chance.hits(50) { try close(index) }
        try keepAlive(index)
        if links[index].ends == nil, isWhole, isReachable(nodes[low]), isReachable(nodes[high]),
          isSettling || chance.hits(500)
        {
          try open(index)
        }
      }
    }
  }

  private func mayLink(_ low: ClusterNode, _ high: ClusterNode) -> Bool {
    if !low.isRelay, !high.isRelay { return high.name != low.name }
    return low.upstreams.contains(high.name) || high.upstreams.contains(low.name)
  }

  private func isReachable(_ node: ClusterNode) -> Bool { node.process != nil && !node.isPaused(at: now) }

  private func heal(_ index: Int) {
    links[index].isCut = [false, false]
    for direction in 0...1 {
      for _ in 0..<links[index].stalled[direction] {
        events.add(.message(link: index, direction: direction, epoch: links[index].epoch), at: now + delay())
      }
      links[index].stalled[direction] = 0
    }
  }

  private func open(_ index: Int) throws {
    // A node has one link to a name: the last one.
    if let other = rival(of: index) {
      guard chance.hits(100) else { return }
      try close(other)
    }
    links[index].epoch += 1
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    links[index].ends = [end(of: low, calling: high.name), end(of: high, calling: nil)]
    (links[index].queues, links[index].stalled) = ([[], []], [0, 0])
    for direction in 0...1 { flush(index, direction) }
  }

  private func end(of node: ClusterNode, calling other: NodeName?) -> SimulatedLink.End {
    var options = LinkOptions(
      node: node.name, process: node.process?.core.options.process ?? 0,
      members: node.isRelay ? Set(node.upstreams) : members)
    options.relays = relays(below: node)
    options.history = node.process?.core.history
    return SimulatedLink.End(
      ClusterLink(options, certificate: nodes.map(\.name), expected: other, now: node.clock.local(now)))
  }

  /// The relays that may follow a node, and those below them, as its configuration names them.
  func relays(below node: ClusterNode) -> Set<NodeName> {
    Set(nodes.filter(\.isRelay).map(\.name)).subtracting(node.upstreams).subtracting([node.name])
  }

  /// Sends pings, and ends a link on which nothing arrives.
  private func keepAlive(_ index: Int) throws {
    for direction in 0...1 {
      guard let end = links[index].ends?[direction] else { return }
      let node = nodes[direction == 0 ? index / nodes.count : index % nodes.count]
      guard !node.isPaused(at: now) else { continue }
      let time = node.clock.local(now)
      if let next = end.link.nextTime, next > time { continue }
      node.process?.core.advance(to: time)
      end.link.advance(to: time)
      try handleEvents(of: end, index, direction)
    }
  }

  /// The open link between the same names, of which one is that of two machines.
  private func rival(of index: Int) -> Int? {
    guard let twin = nodes.last, twin.isTwin else { return nil }
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    let (name, peer) = low.name == twin.name ? (low, high) : (high, low)
    guard name.name == twin.name else { return nil }
    return nodes.filter { $0.name == twin.name && $0 !== name }.map { linkIndex($0.index, peer.index) }
      .first { links[$0].ends != nil }
  }

  private func close(_ index: Int) throws {
    guard let ends = links[index].ends else { return }
    links[index].epoch += 1
    links[index].ends = nil
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    for (end, node, other) in [(ends[0], low, high), (ends[1], high, low)] where node.process != nil {
      if end.link.peer != nil { node.process?.core.linkClosed(other.name) }
      // A stopped process continues with the next event.
      if !node.isPaused(at: now) { try drive(node) }
    }
  }

  /// Ends the links of a node whose process has ended.
  func closeLinks(of node: ClusterNode) {
    for other in nodes where other !== node {
      let index = linkIndex(node.index, other.index)
      guard let ends = links[index].ends else { continue }
      links[index].epoch += 1
      links[index].ends = nil
      if ends[node.index < other.index ? 1 : 0].link.peer != nil { other.process?.core.linkClosed(node.name) }
    }
  }
}
