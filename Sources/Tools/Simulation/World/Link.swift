import HubCore

/// A connection between a client and a hub.
final class Link {
  /// One direction of the connection.
  struct Pipe {
    /// Bytes that the network has accepted and not delivered.
    var network: [UInt8] = []
    /// Bytes that the writer keeps because the network is full.
    var rest: [UInt8] = []
    /// The earliest time of the next delivery.
    var notBefore = Duration.zero
    /// True if the writer has closed its end, after the bytes that it has written.
    var hasEnded = false
    /// True if nothing is delivered any more, without either side noticing.
    var isDead = false
    /// True if the writer has learnt that the network is full, and not yet that it has taken everything.
    private var hasWaitingWriter = false

    var isEmpty: Bool { network.isEmpty && rest.isEmpty }

    /// Accepts bytes from the writer; returns false if some must wait for room.
    mutating func write(_ bytes: [UInt8], limit: Int, notBefore time: Duration) -> Bool {
      if network.isEmpty { notBefore = time }
      rest += bytes
      fill(limit)
      if !rest.isEmpty { hasWaitingWriter = true }
      return rest.isEmpty
    }

    /// Returns true once after the network has taken everything from a writer that waits for it, whatever made room.
    mutating func takeRoom() -> Bool {
      guard hasWaitingWriter, rest.isEmpty else { return false }
      hasWaitingWriter = false
      return true
    }

    /// Takes the waiting bytes back. The next process writes them.
    mutating func takeRest() -> [UInt8] {
      defer { (rest, hasWaitingWriter) = ([], false) }
      return rest
    }

    /// Returns bytes in order, and makes room for more.
    mutating func read(atMost count: Int, limit: Int) -> [UInt8] {
      let bytes = Array(network.prefix(count))
      network.removeFirst(bytes.count)
      fill(limit)
      return bytes
    }

    private mutating func fill(_ limit: Int) {
      let count = min(max(limit - network.count, 0), rest.count)
      network += rest.prefix(count)
      rest.removeFirst(count)
    }
  }

  let number: Int
  /// The hub's process, and the connection's id in it.
  private(set) var hub: HubProcess
  private(set) var id: ConnectionID
  let client: ClientProcess
  var toHub = Pipe()
  var toClient = Pipe()
  /// False after the hub's shell has dropped it.
  var isOpenAtHub = true
  /// False after the client's shell has dropped it.
  var isOpenAtClient = true
  /// True while the hub has paused reading.
  var isPaused = false
  /// True if the hub closes it after sending its writes.
  var isClosing = false
  /// True if the hub knows that the client has closed its direction.
  var isInputEndNoted = false
  /// What the hub's shell remembers of its traffic.
  var sender: TurnScheduler.Sender
  /// The oracle's check of the hub's output.
  var tap = WireTap()
  /// The hub's revision when the welcome was written.
  var welcomeRevision: UInt64 = 0
  /// The record of the connection at rest; nil if it had activity since.
  var restingRecord: [UInt8]?
  /// The output that the last process has left, which precedes that of the present one.
  var inheritedOutput: [UInt8] = []
  /// For planted bugs: a delayed write.
  var heldBack: [UInt8]?

  init(_ number: Int, _ hub: HubProcess, _ client: ClientProcess, _ id: ConnectionID) {
    (self.number, self.hub, self.client, self.id) = (number, hub, client, id)
    sender = hub.scheduler.newSender
  }

  /// Another process continues the connection.
  func passes(to hub: HubProcess, as id: ConnectionID) {
    (self.hub, self.id, isOpenAtHub) = (hub, id, true)
    sender = hub.scheduler.newSender
    (isPaused, isInputEndNoted, restingRecord) = (false, false, nil)
  }
}
