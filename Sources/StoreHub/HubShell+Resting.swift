internal import EventLoop
internal import Glibc
internal import HubCore
internal import ServiceManager

extension HubShell {
  /// Gives connections at rest to a service manager from now on, if the hub's log allows it.
  func keepConnections(in manager: ServiceManager) {
    guard core.keepsConnectionsAtRest, manager.isPresent,
      let resting = RestingConnections(in: manager, connections: connections, inherited: inheritedInodes)
    else {
      for inode in inheritedInodes { manager.removeDescriptors(named: Inheritance.Name.connection(inode)) }
      inheritedInodes = []
      return
    }
    inheritedInodes = []
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
    // Without further checks, the next event starts a period.
    awaitsActivity = !isNeeded
    if isNeeded { restingTimer?.start(after: RestingConnections.period) }
  }

  /// Starts a period after an event, which may be activity on a connection.
  func activityBegan() {
    awaitsActivity = false
    restingTimer?.start(after: RestingConnections.period)
  }
}
