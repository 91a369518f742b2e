internal import EventLoop
internal import FeatureCore
internal import Glibc
internal import HubCore
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess
internal import Wire

// Passes connections from one process to the next through the service manager.

extension HubShell {
  /// Stops reading. When the log has stored everything, gives the service manager the connections and their record.
  func handOver(to manager: ServiceManager, onStopped: @escaping (Bool) -> Void) {
    guard let socket, !isStopping else { return }
    handingOver = (manager, onStopped)
    socket.pause()
    openWaiting(all: true)
    for connection in connections { connection?.stream.stopReading() }
    runner?.cancelAll()
    inform { $0.reportLostEffects() }
    endTurn()
    finishHandOver()
  }

  /// Hands over the connections, unless turns wait for the log.
  func finishHandOver() {
    guard let (manager, onStopped) = handingOver, core.unstoredTurnCount == 0 else { return }
    // A connection may end while it is written to, and the feature may react; the record must not be ahead of the log.
    var revision: UInt64
    repeat {
      inform { $0.performAllPostponed() }
      revision = core.revision
      inform { $0.endTurn(at: loop.now, wallTime: wallTime(), flushing: true) }
      performCommands()
    } while core.revision != revision
    guard core.unstoredTurnCount == 0 else { return }
    handingOver = nil
    let isTaken = store(in: manager)
    // The sockets in the service manager stay open if the next process gets their record.
    if isTaken { resting = nil }
    abandon()
    onStopped(isTaken)
  }

  /// Gives the service manager the record and the connections; returns false if it did not take them.
  private func store(in manager: ServiceManager) -> Bool {
    var descriptors: [CInt] = []
    let open = connections
    let record = core.handOver { id in
      guard open.indices.contains(id.index), let connection = open[id.index], connection.id == id,
        let descriptor = connection.stream.descriptor, let inode = Inheritance.inode(of: descriptor)
      else { return nil }
      descriptors.append(descriptor)
      return (inode, connection.stream.unsentBytes)
    }
    guard let record, let file = MemoryFile(name: "storehub", containing: record.encoded().span.bytes) else {
      return false
    }
    guard let box = DescriptorBox(containing: [file.descriptor] + descriptors) else { return false }
    var kept = [(Inheritance.Name.connections, box.descriptor)]
    if let listener = socket?.handOver() { kept.append((Inheritance.Name.listener, listener)) }
    // This process must not end before the service manager has them.
    guard manager.store(kept, within: .seconds(5)) else { return false }
    log.write(
      .info, "left \(counted(descriptors.count, "connection")) at revision \(core.revision) to the next process",
      Log.Details(.handedOver, ["COUNT": "\(descriptors.count)", "REVISION": "\(core.revision)"]))
    return true
  }

  /// Takes over the connections of the previous process.
  func takeOver(_ inheritance: Inheritance) {
    defer { closeKept(inheritance) }
    guard let handOver = inheritance.handOver else { return }
    var (served, rest) = (Set<UInt64>(), inheritance.connections)
    for (index, token) in handOver.tokens.enumerated() {
      // A missing connection has ended in the meantime.
      guard let descriptor = rest.removeValue(forKey: token) else { continue }
      do throws(UVError) {
        let stream: PipeStream
        do throws(UVError) { stream = try PipeStream.adopting(descriptor, on: loop) } catch {
          // Other processes may also have the socket open.
          shutdown(descriptor, CInt(SHUT_RDWR))
          close(descriptor)
          throw error
        }
        try takeOver(stream, handOver, index)
        served.insert(token)
      } catch {
        log.write(.warning, cause: Log.Cause("connections not taken over"), "\(error)")
      }
    }
    // Connections without a record are closed.
    for descriptor in rest.values { close(descriptor) }
    inheritedInodes = served.intersection(inheritance.keptInodes)
    ServiceManager().removeKept()
    let which =
      handOver.isAfterCrash ? "at rest of the previous process, which crashed" : "of the previous process"
    log.write(
      .info, "took over \(counted(served.count, "connection")) \(which), at revision \(core.revision)",
      Log.Details(.takenOver, ["COUNT": "\(served.count)", "REVISION": "\(core.revision)"]))
  }

  /// Closes the descriptors that the previous process gave to the service manager while it ran, except those of served
  /// connections. Other descriptors of the same sockets may still be open.
  private func closeKept(_ inheritance: Inheritance) {
    guard !inheritance.keptInodes.isEmpty || inheritance.hasTable else { return }
    let manager = ServiceManager()
    for (inode, descriptor) in inheritance.kept {
      if !inheritedInodes.contains(inode) { shutdown(descriptor, CInt(SHUT_RDWR)) }
      close(descriptor)
    }
    for inode in inheritance.keptInodes where !inheritedInodes.contains(inode) {
      manager.removeDescriptors(named: Inheritance.Name.connection(inode))
    }
    manager.removeKept()
  }

  private func takeOver(_ stream: consuming PipeStream, _ handOver: HandOver, _ index: Int) throws(UVError) {
    let connection = try add(stream, isTakenOver: true)
    let isReadable = inform {
      $0.takeOver(handOver, index, on: connection.id, at: loop.now, limit: scheduler.limit)
    }
    // The rest of its earlier output must precede the output of this turn.
    performCommands()
    do throws(UVError) { try startReading(connection) } catch {
      drop(connection.id)
      throw error
    }
    if !isReadable { connection.stream.stopReading() }
  }
}
