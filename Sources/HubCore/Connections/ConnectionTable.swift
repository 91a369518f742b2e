import Wire

/// The connections by their ids. The slot of one that has ended is used again, with another generation.
struct ConnectionTable {
  private struct Slot {
    /// Distinguishes the successive connections in the slot.
    var generation: UInt32 = 0
    var phase = ConnectionPhase.free
  }

  private var slots: [Slot] = []
  private var free: [Int32] = []
  /// The number of connections that are greeting or live.
  private(set) var openCount = 0
  /// The number of these without a socket, of sessions whose clients are connected to other hubs.
  private(set) var remoteCount = 0
  /// The number of closing connections.
  private(set) var closingCount = 0

  /// The places of all connections, also of those that have ended.
  var indices: Range<Int> { slots.indices }

  /// The phase of the connection at a place.
  subscript(index: Int) -> ConnectionPhase { slots[index].phase }

  /// The id of the connection at a place.
  func id(at index: Int) -> ConnectionID {
    ConnectionID(slot: Int32(index), generation: slots[index].generation)
  }

  /// The connections with an open session.
  var live: [LiveConnection] {
    slots.compactMap { if case .live(let connection) = $0.phase { connection } else { nil } }
  }

  /// The phase of a connection; free once it has ended.
  @inline(__always)
  subscript(id: ConnectionID) -> ConnectionPhase {
    guard slots.indices.contains(id.index), slots[id.index].generation == id.generation else { return .free }
    return slots[id.index].phase
  }

  /// The session of a connection; nil in any other phase. Nearly all reads are those of open sessions, which thus count
  /// one reference.
  @inline(__always)
  func live(_ id: ConnectionID) -> LiveConnection? {
    guard slots.indices.contains(id.index), slots[id.index].generation == id.generation,
      case .live(let connection) = slots[id.index].phase
    else { return nil }
    return connection
  }

  /// Adds a connection.
  mutating func add(_ greeting: Greeting) -> ConnectionID {
    let index = free.popLast() ?? Int32(slots.count)
    if Int(index) == slots.count { slots.append(Slot()) }
    slots[Int(index)].phase = .greeting(greeting)
    openCount += 1
    return id(at: Int(index))
  }

  /// Makes a greeting connection live.
  mutating func open(_ connection: LiveConnection) {
    slots[connection.id.index].phase = .live(connection)
    if connection.isRemote { remoteCount += 1 }
  }

  /// Makes an open connection a closing one.
  mutating func close(_ id: ConnectionID, by deadline: Duration) {
    slots[id.index].phase = .closing(deadline: deadline)
    openCount -= 1
    closingCount += 1
  }

  /// Removes a connection that has ended.
  mutating func remove(_ id: ConnectionID) {
    switch self[id] {
    case .free: return
    case .greeting: openCount -= 1
    case .live(let connection):
      openCount -= 1
      if connection.isRemote { remoteCount -= 1 }
    case .closing: closingCount -= 1
    }
    slots[id.index].phase = .free
    slots[id.index].generation &+= 1
    free.append(id.slot)
  }
}
