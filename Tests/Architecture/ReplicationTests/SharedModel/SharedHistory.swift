import ReplicatedArchitecture
import Wire

/// A hub and clients with bases that lag behind, without a network: each message waits until it is delivered.
struct SharedHistory<Model: Replicated> {
  /// A client that predicts: what it shows is the hub's value, as far as it knows it, with its own changes merged.
  struct Client {
    /// The hub's value at `revision`.
    var known: Model
    var revision = 0
    /// The changes that the hub has not applied yet, as far as the client knows, and how many of them it has sent.
    var pending: [SharedChange<Model>] = []
    var sent = 0
    var shown: Model
  }

  private(set) var hub: Model
  /// The delta of each revision, and the client whose change it was.
  private(set) var log: [(delta: [UInt8], sender: Int)] = []
  private(set) var clients: [Client]

  init(_ initial: Model, clients count: Int) {
    hub = initial
    clients = (0..<count).map { _ in Client(known: initial, shown: initial) }
  }

  /// A client edits what it shows.
  mutating func edit(_ client: Int, _ edit: (inout Model) -> Void) throws(WireError) {
    let base = clients[client].shown
    var edited = base
    edit(&edited)
    let changes = SharedChange.changes(from: base, to: edited)
    for change in changes { try change.apply(to: &clients[client].shown) }
    precondition(clients[client].shown.encoded() == edited.encoded(), "a change leads from its base to its result")
    clients[client].pending += changes
  }

  /// The hub applies the next change of a client; returns false if there is none.
  mutating func deliver(from client: Int) throws(WireError) -> Bool {
    guard clients[client].sent < clients[client].pending.count else { return false }
    let bytes = clients[client].pending[clients[client].sent].encoded()
    clients[client].sent += 1
    let before = hub
    try SharedChange<Model>(decoding: bytes.span.bytes).apply(to: &hub)
    log.append((hub.delta(from: before), client))
    return true
  }

  /// A client receives the next revision; returns false if it knows them all.
  mutating func deliver(to client: Int) throws(WireError) -> Bool {
    guard clients[client].revision < log.count else { return false }
    let (delta, sender) = log[clients[client].revision]
    clients[client].revision += 1
    clients[client].known = try clients[client].known.applying(delta)
    if sender == client {
      clients[client].pending.removeFirst()
      clients[client].sent -= 1
    }
    clients[client].shown = clients[client].known
    for change in clients[client].pending { try change.apply(to: &clients[client].shown) }
    return true
  }

  /// Delivers everything.
  mutating func settle() throws(WireError) {
    for client in clients.indices { while try deliver(from: client) {} }
    for client in clients.indices { while try deliver(to: client) {} }
  }
}
