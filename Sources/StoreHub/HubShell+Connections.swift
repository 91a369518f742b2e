internal import EventLoop
internal import HubCore

// The sockets of open connections.

extension HubShell {
  func open(_ stream: consuming PipeStream) throws(UVError) {
    let connection = try add(stream)
    do throws(UVError) { try startReading(connection) } catch {
      drop(connection.id)
      throw error
    }
  }

  /// Adds a connection, without reading from it yet.
  func add(_ stream: consuming PipeStream, isTakenOver: Bool = false) throws(UVError) -> ServedConnection {
    let credentials = try stream.peerCredentials()
    let peer = Peer(
      process: credentials.process, user: credentials.user, group: credentials.group, groups: credentials.groups)
    let id = inform {
      $0.connected(
        peer, at: loop.now, wallTime: wallTime(), isTakenOver: isTakenOver,
        userName: { user in self.userNames.name(of: user) })
    }
    let connection = ServedConnection(id: id, stream: stream, sender: scheduler.newSender)
    while connections.count <= id.index { connections.append(nil) }
    connections[id.index] = connection
    // The callbacks hold the shell; closing the stream releases it.
    connection.stream.onDrained { self.inform { $0.drained(id, at: self.loop.now) } }
    return connection
  }

  func startReading(_ connection: ServedConnection) throws(UVError) {
    let id = connection.id
    try connection.stream.startReading(
      onBytes: { self.received($0, on: id) }, onEnd: { self.readingEnded(id, $0) })
  }

  func readingEnded(_ id: ConnectionID, _ error: UVError?) {
    guard let error else { return inform { $0.inputEnded(id, at: loop.now) } }
    log.write(.debug, "connection \(id.index): \(error)")
    drop(id)
  }

  func connection(_ id: ConnectionID) -> ServedConnection? {
    guard connections.indices.contains(id.index), let connection = connections[id.index], connection.id == id else {
      return nil
    }
    return connection
  }

  func drop(_ id: ConnectionID) {
    guard let dropped = connection(id) else { return }
    resting?.close(dropped)
    connections[id.index] = nil
    inform { $0.ended(id) }
    // During a hand-over, clients wait for the next process.
    if handingOver == nil { socket?.resume() }
    finishIfStopped()
  }
}

/// An open connection's socket.
final class ServedConnection {
  let id: ConnectionID
  let stream: PipeStream
  /// Its traffic. Without the exclusivity check, as the shell's own properties.
  @exclusivity(unchecked) var sender: TurnScheduler.Sender
  /// The slot in the table of connections at rest.
  var restingSlot: Int?

  init(id: ConnectionID, stream: consuming PipeStream, sender: TurnScheduler.Sender) {
    (self.id, self.sender) = (id, sender)
    self.stream = stream
  }
}
