internal import EventLoop
internal import Glibc
internal import HubCore
internal import ServiceManager

/// Gives the connections at rest to the service manager while the hub runs, so that they survive a crash of the
/// process. The service manager receives their sockets and a table with their records.
///
/// A connection without reads and writes is recorded once after a short time. Afterwards it costs nothing until its
/// next activity. Connections that are always busy are not recorded: after a crash they are closed, and their clients
/// resume their sessions.
final class RestingConnections {
  /// The interval of the checks. A connection is recorded after one to two intervals without activity.
  static let period = Duration.milliseconds(100)
  /// The maximum number of descriptors added to the service manager or removed from it in one period, and of messages
  /// that wait while it does not read.
  private static let messagesPerPeriod = 32

  private let table: RestingTable
  private let manager: ServiceManager
  /// The inodes of the sockets whose descriptors are in the service manager. Their connections have slots, so that the
  /// service manager never has more of them than the table has slots.
  private var stored: Set<UInt64> = []
  /// The inodes of closed connections whose descriptors are still in the service manager.
  private var closed: [UInt64] = []
  private var messageCount = 0

  /// Creates the table and gives it to the service manager.
  ///
  /// - Parameters:
  ///   - manager: The service manager.
  ///   - connections: The open connections.
  ///   - inherited: The inodes of the sockets that the service manager has from the previous process. It keeps those of
  ///     open connections, as long as there are slots.
  init?(in manager: ServiceManager, connections: [ServedConnection?], inherited: Set<UInt64>) {
    let capacity = RestingTable.capacity(within: manager.storeLimit)
    guard let table = RestingTable(capacity: capacity), manager.store(table.descriptor, as: Inheritance.Name.table)
    else { return nil }
    (self.table, self.manager) = (table, manager)
    guard !inherited.isEmpty else { return }
    for case let connection? in connections {
      guard let descriptor = connection.stream.descriptor, let inode = Inheritance.inode(of: descriptor),
        inherited.contains(inode), begin(connection)
      else { continue }
      stored.insert(inode)
    }
    for inode in inherited.subtracting(stored) {
      manager.removeDescriptors(named: Inheritance.Name.connection(inode))
    }
  }

  /// Begins a check of all connections.
  func beginPeriod() {
    messageCount = min(manager.waitingCount, Self.messagesPerPeriod)
    while let inode = closed.last, messageCount < Self.messagesPerPeriod {
      closed.removeLast()
      remove(inode)
    }
  }

  private func remove(_ inode: UInt64) {
    messageCount += 1
    manager.removeDescriptors(named: Inheritance.Name.connection(inode))
  }

  /// True if descriptors of closed connections are to be removed in the next period.
  var hasClosed: Bool { !closed.isEmpty }

  /// Checks a connection and records it if it is at rest.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - record: Returns the record; nil if the connection is not at rest.
  /// - Returns: True if the connection must be checked again even without further activity.
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
      // A busy connection comes to rest by an event, which starts another check of all connections.
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

  /// Forgets a connection that is about to be closed. Its client sees the end at once, although the service manager
  /// still has a descriptor of the socket.
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
