import HubCore

/// A connection between a client and a hub.
final class Link {
  /// One direction of it.
  struct Pipe {
    /// What the network has taken and not delivered.
    var network: [UInt8] = []
    /// What the writer keeps because the network is full.
    var rest: [UInt8] = []
    /// The earliest time at which something is delivered.
    var notBefore = Duration.zero
    /// Whether the writer has closed its end, behind what it has written.
    var hasEnded = false
    /// Whether nothing is delivered any more, and nobody notices.
    var isDead = false

    var isEmpty: Bool { network.isEmpty && rest.isEmpty }

    /// Takes bytes from the writer; false if some wait for room.
    mutating func write(_ bytes: [UInt8], limit: Int, notBefore time: Duration) -> Bool {
      if network.isEmpty { notBefore = time }
      rest += bytes
      fill(limit)
      return rest.isEmpty
    }

    /// Hands out bytes in order, and makes room for more.
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
  let hub: HubProcess
  let client: ClientProcess
  let id: ConnectionID
  var toHub = Pipe()
  var toClient = Pipe()
  /// Whether the hub's shell has not dropped it.
  var isOpenAtHub = true
  /// Whether the client's shell has not dropped it.
  var isOpenAtClient = true
  /// Whether the hub has stopped reading from it.
  var isPaused = false
  /// Whether the hub closes it once its writes have gone out.
  var isClosing = false
  /// Whether the hub was told that the client has closed its direction.
  var isInputEndNoted = false
  /// The oracle's view of what is written.
  var tap = WireTap()
  /// The hub's revision when the welcome was written.
  var welcomeRevision: UInt64 = 0
  /// For planted bugs: a write that is held back.
  var heldBack: [UInt8]?

  init(_ number: Int, _ hub: HubProcess, _ client: ClientProcess, _ id: ConnectionID) {
    (self.number, self.hub, self.client, self.id) = (number, hub, client, id)
  }
}
