import HubCore
import ReplicaCore
import Wire

// Connections: how they are established, carry bytes, and end.

extension Simulation {
  /// Completes the attempts to connect whose time has come.
  func connectClients() throws {
    for client in clients {
      guard let time = client.connectsAt, time <= now else { continue }
      client.connectsAt = nil
      guard let hub, hub.endsBy == nil else {
        client.replica.disconnected(reason: "nobody listens", at: now)
        try turn(client)
        continue
      }
      client.link = connect(client, to: hub)
      client.replica.connected(at: now)
      try turn(client)
    }
  }

  func connect(_ client: ClientProcess, to hub: HubProcess) -> Link {
    let id = hub.inform { $0.connected(client.peer, at: now, wallTime: wallTime) }
    linkCount += 1
    let link = Link(linkCount, hub, client, id)
    trace.note(now, "connected", link.number, Int(client.number))
    report.connections += 1
    hub.add(link)
    links.append(link)
    return link
  }

  // MARK: Bytes

  func deliverToHub(_ link: Link) throws {
    let hub = link.hub
    guard link.isOpenAtHub, !link.toHub.isDead, !link.isPaused, !link.isClosing, now >= link.toHub.notBefore,
      hub.isAlive, !hub.isHandingOver, now >= hub.continuesAt
    else { return }
    let most = hub.limitsReads ? min(portion(), link.sender.readLimit) : portion()
    let bytes = link.toHub.read(atMost: most, limit: socketBytes)
    if !bytes.isEmpty {
      trace.note(now, "hub reads", link.number, bytes.count)
      if bug != .shellKeepsTheRecordOfAReadConnection { link.restingRecord = nil }
      let limit = chance.pick([1, 5, .max])
      if hub.scheduler.isContended {
        link.isPaused = !receiveInContention(bytes, on: link, of: hub)
      } else {
        link.isPaused = !receiveWithoutContention(bytes, on: link, of: hub, limit: limit)
      }
    }
    if link.toHub.takeRoom(), link.isOpenAtClient { link.client.replica.drained() }
    if link.toHub.isEmpty, link.toHub.hasEnded, !link.isInputEndNoted, !link.isPaused, link.isOpenAtHub {
      trace.note(now, "hub reads the end", link.number)
      (link.isInputEndNoted, link.restingRecord) = (true, nil)
      hub.inform { $0.inputEnded(link.id, at: now) }
      hub.noteCause()
    }
    // A peer that closes its socket with unread bytes resets the stream, so a hub with bytes to write does not wait for
    // its time limit.
    if link.isInputEndNoted, !link.isOpenAtClient, !link.toClient.isDead, !link.toClient.rest.isEmpty { drop(link) }
  }

  func deliverToClient(_ link: Link) throws {
    let client = link.client
    guard link.isOpenAtClient, client.isAlive, !link.toClient.isDead, now >= client.stuckUntil,
      now >= link.toClient.notBefore
    else { return }
    var bytes = link.toClient.read(atMost: portion(), limit: socketBytes)
    if link.toClient.takeRoom(), link.isOpenAtHub {
      if link.isClosing { drop(link) } else if link.hub.isAlive { link.hub.inform { $0.drained(link.id, at: now) } }
    }
    if !bytes.isEmpty {
      trace.note(now, "client reads", link.number, bytes.count)
      if bug == .networkFlipsABit, chance.hits(10) {
        bytes[chance.number(0...bytes.count - 1)] ^= 1 << UInt8(chance.number(0...7))
      }
      let time = now
      let span = bytes.span.bytes
      client.replica.received(span, at: time)
      try turn(client)
    }
    if link.toClient.isEmpty, link.toClient.hasEnded, link.isOpenAtClient {
      closeAtClient(link)
      client.replica.disconnected(reason: "the hub has closed the connection", at: now)
      try turn(client)
    }
  }

  var socketBytes: Int { isSettling ? 1 << 20 : plan.faults.socketBytes }

  private func portion() -> Int {
    !isSettling && chance.hits(plan.faults.partialDelivery) ? chance.number(1...40) : 64 << 10
  }

  /// The client's shell drops a connection; bytes that it has written still arrive.
  func closeAtClient(_ link: Link) {
    guard link.isOpenAtClient else { return }
    trace.note(now, "client closes", link.number)
    link.isOpenAtClient = false
    link.toHub.hasEnded = true
    if link.client.link === link { link.client.link = nil }
  }

  // MARK: Cuts

  /// Both sides notice; bytes in transit are lost.
  func cut(_ link: Link) throws {
    trace.note(now, "cut", link.number)
    report.cuts += 1
    (link.toHub, link.toClient) = (Link.Pipe(), Link.Pipe())
    drop(link)
    guard link.isOpenAtClient else { return }
    closeAtClient(link)
    guard link.client.isAlive else { return }
    link.client.replica.disconnected(reason: "cut", at: now)
    try turn(link.client)
  }

  /// Only the client notices.
  func cutAtClient(_ link: Link) throws {
    guard link.isOpenAtClient, link.isOpenAtHub else { return }
    trace.note(now, "cut at the client", link.number)
    report.halfOpen += 1
    link.isOpenAtClient = false
    // The client's bytes may arrive late, and the end of the stream may never arrive.
    if chance.hits(500) { link.toHub.notBefore = now + chance.time(upTo: .seconds(5)) }
    link.toHub.isDead = chance.hits(200)
    link.toClient.isDead = true
    if link.client.link === link { link.client.link = nil }
    link.client.replica.disconnected(reason: "cut", at: now)
    try turn(link.client)
  }

  /// Only the hub notices.
  func cutAtHub(_ link: Link) throws {
    guard link.isOpenAtClient, link.isOpenAtHub else { return }
    trace.note(now, "cut at the hub", link.number)
    report.halfOpen += 1
    (link.toHub.isDead, link.toClient.isDead) = (true, true)
    drop(link)
  }
}
