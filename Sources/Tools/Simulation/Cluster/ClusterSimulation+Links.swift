import ClusterCore
import ClusterLog

/// The links between the nodes.
extension ClusterSimulation {
  /// The index of the link of two nodes, of which the first has the lower index.
  func linkIndex(_ first: Int, _ second: Int) -> Int { min(first, second) * nodes.count + max(first, second) }

  func send(_ message: ClusterMessage, from node: ClusterNode, to name: NodeName) {
    guard let other = nodes.first(where: { $0.name == name && links[linkIndex(node.index, $0.index)].isOpen }) else {
      return
    }
    // The bug's node hears nothing of the leader.
    if bug == .takeoverByLeaseOnly, case .beat(let leadership, let position, _) = message {
      return send(.beat(leadership, position: position, isCurrent: false), inFullFrom: node, to: other)
    }
    send(message, inFullFrom: node, to: other)
  }

  private func send(_ message: ClusterMessage, inFullFrom node: ClusterNode, to other: ClusterNode) {
    let index = linkIndex(node.index, other.index)
    let direction = node.index < other.index ? 0 : 1
    links[index].queues[direction].append(message)
    if links[index].isCut[direction] {
      links[index].stalled[direction] += 1
    } else {
      events.add(.message(link: index, direction: direction, epoch: links[index].epoch), at: now + delay())
    }
  }

  func deliverMessage(_ index: Int, _ direction: Int, _ epoch: Int) throws {
    guard links[index].epoch == epoch, !links[index].queues[direction].isEmpty else { return }
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    let (sender, receiver) = direction == 0 ? (low, high) : (high, low)
    guard !links[index].isCut[direction] else {
      links[index].stalled[direction] += 1
      return
    }
    guard !receiver.isPaused(at: now) else {
      return events.add(.message(link: index, direction: direction, epoch: epoch), at: receiver.pausedUntil + 1)
    }
    let message = links[index].queues[direction].removeFirst()
    guard let process = receiver.process else { return }
    report.messages += 1
    process.core.advance(to: receiver.clock.local(now))
    process.core.received(message, from: sender.name)
    try drive(receiver)
  }

  /// Opens links, ends those that were cut for long, and heals cuts.
  func tendLinks() throws {
    for low in nodes.indices {
      for high in nodes.indices where high > low && nodes[high].name != nodes[low].name {
        let index = linkIndex(low, high)
        if links[index].isCut != [false, false], now >= links[index].cutUntil { heal(index) }
        let isWhole = links[index].isCut == [false, false]
        if links[index].isOpen, !isWhole, chance.hits(50) { try close(index) }
        if !links[index].isOpen, isWhole, isReachable(nodes[low]), isReachable(nodes[high]),
          isSettling || chance.hits(500)
        {
          try open(index)
        }
      }
    }
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
    links[index].isOpen = true
    (links[index].queues, links[index].stalled) = ([[], []], [0, 0])
    try forBothEnds(index) { $0.process?.core.linkOpened($1) }
  }

  /// The open link between the same names, of which one is that of two machines.
  private func rival(of index: Int) -> Int? {
    guard let twin = nodes.last, twin.isTwin else { return nil }
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    let (name, peer) = low.name == twin.name ? (low, high) : (high, low)
    guard name.name == twin.name else { return nil }
    return nodes.filter { $0.name == twin.name && $0 !== name }.map { linkIndex($0.index, peer.index) }
      .first { links[$0].isOpen }
  }

  private func close(_ index: Int) throws {
    links[index].epoch += 1
    links[index].isOpen = false
    try forBothEnds(index) { $0.process?.core.linkClosed($1) }
  }

  private func forBothEnds(_ index: Int, _ body: (ClusterNode, NodeName) -> Void) throws {
    let (low, high) = (nodes[index / nodes.count], nodes[index % nodes.count])
    for (node, other) in [(low, high), (high, low)] where node.process != nil {
      body(node, other.name)
      // A stopped process continues with the next event.
      if !node.isPaused(at: now) { try drive(node) }
    }
  }

  /// Ends the links of a node whose process has ended.
  func closeLinks(of node: ClusterNode) {
    for other in nodes where other !== node {
      let index = linkIndex(node.index, other.index)
      guard links[index].isOpen else { continue }
      links[index].epoch += 1
      links[index].isOpen = false
      other.process?.core.linkClosed(node.name)
    }
  }
}
