internal import EventLoop
internal import Glibc
internal import HubCore
internal import ServiceManager

/// Leaves the connections at rest with the service manager while the hub runs, so that they survive a crash of the
/// process: their sockets, and a table with their records.
///
/// A connection that was neither read nor written for a while is recorded once; from then on it costs nothing until
/// something happens on it. Connections that are always busy are not kept: after a crash they are closed, and their
/// clients resume their sessions.
final class RestingConnections {
  /// How long a connection is quiet before it is recorded: between one and two of these.
  static let period = Duration.milliseconds(100)
  /// How many descriptors are given to the service manager, or taken back, in one period.
  private static let messagesPerPeriod = 32

  private let table: RestingTable
  private let manager: ServiceManager
  /// The sockets whose descriptors the service manager has, by their inodes.
  private var stored: Set<UInt64>
  /// Those of closed connections, which it has still.
  private var closed: [UInt64] = []
  private var messageCount = 0

  /// Begins to keep connections.
  ///
  /// - Parameters:
  ///   - manager: The service manager.
  ///   - stored: The inodes of the connections that it has from the process before.
  init?(in manager: ServiceManager, stored: Set<UInt64>) {
    guard let table = RestingTable(), manager.store(table.descriptor, as: Inheritance.Name.table) else { return nil }
    (self.table, self.manager, self.stored) = (table, manager, stored)
  }

  /// Begins a look at all connections.
  func beginPeriod() {
    messageCount = 0
    while let inode = closed.last, messageCount < Self.messagesPerPeriod {
      closed.removeLast()
      remove(inode)
    }
  }

  private func remove(_ inode: UInt64) {
    messageCount += 1
    manager.removeDescriptors(named: Inheritance.Name.connection(inode))
  }

  /// Whether descriptors of closed connections wait for the next period.
  var hasClosed: Bool { !closed.isEmpty }

  /// Looks at a connection, and records it if it is at rest.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - record: Its record; nil if it is not at rest.
  /// - Returns: Whether to look at it again although nothing may happen on it until then.
  func look(at connection: ServedConnection, record: (_ token: UInt64) -> [UInt8]?) -> Bool {
    guard let slot = connection.restingSlot else { return begin(connection) }
    let mark = table.mark(of: slot)
    switch mark.pointee {
    case RestingTable.Mark.atRest: return false
    case RestingTable.Mark.active:
      SharedMemory.store(RestingTable.Mark.quiet, in: mark)
      return true
    default:
      guard let descriptor = connection.stream.descriptor, let inode = Inheritance.inode(of: descriptor) else {
        return false
      }
      let isStored = stored.contains(inode)
      guard isStored || messageCount < Self.messagesPerPeriod else { return true }
      // One that is not at rest now comes to rest by an event, which has all connections looked at again.
      guard let record = record(inode), table.write(record, to: slot) else { return false }
      guard !isStored else { return false }
      messageCount += 1
      if manager.store(descriptor, as: Inheritance.Name.connection(inode)) { stored.insert(inode) }
      return false
    }
  }

  private func begin(_ connection: ServedConnection) -> Bool {
    guard let slot = table.takeSlot() else { return false }
    connection.restingSlot = slot
    let mark = table.mark(of: slot)
    connection.stream.marksActivity(in: mark)
    SharedMemory.store(RestingTable.Mark.quiet, in: mark)
    return true
  }

  /// Gives up a connection that is about to be closed. Its client sees the end at once, although the service manager has
  /// its socket still.
  func close(_ connection: ServedConnection) {
    guard let slot = connection.restingSlot.take() else { return }
    connection.stream.marksActivity(in: nil)
    table.release(slot)
    guard let descriptor = connection.stream.descriptor, let inode = Inheritance.inode(of: descriptor),
      stored.remove(inode) != nil
    else { return }
    shutdown(descriptor, CInt(SHUT_RDWR))
    closed.append(inode)
  }
}

extension HubShell {
  /// Leaves connections at rest with a service manager from now on, if the hub's log allows it.
  func keepConnections(in manager: ServiceManager) {
    guard core.keepsConnectionsAtRest, manager.isPresent,
      let resting = RestingConnections(in: manager, stored: inheritedInodes)
    else {
      for inode in inheritedInodes { manager.removeDescriptors(named: Inheritance.Name.connection(inode)) }
      inheritedInodes = []
      return
    }
    do throws(UVError) {
      restingTimer = try Timer(on: loop) { self.lookAtConnections() }
      restingTimer?.keepsLoopAlive(false)
    } catch {
      return log.write(.warning, "connections are not kept over a crash: \(error)")
    }
    self.resting = resting
    lookAtConnections()
  }

  private func lookAtConnections() {
    guard let resting, !isStopping else { return }
    resting.beginPeriod()
    var isNeeded = resting.hasClosed
    for connection in connections {
      guard let connection else { continue }
      if resting.look(at: connection, record: { core.resting(connection.id, token: $0) }) { isNeeded = true }
    }
    // Otherwise the next event begins another period.
    awaitsActivity = !isNeeded
    if isNeeded { restingTimer?.start(after: RestingConnections.period) }
  }

  /// Something has happened, perhaps on a connection.
  func activityBegan() {
    awaitsActivity = false
    restingTimer?.start(after: RestingConnections.period)
  }
}
