import HubCore
import ReplicaCore
import Wire

// The hub's operator, and the guests: clients of a second user with few rights.

extension Simulation {
  static var owner: UInt32 { 1000 }
  static var guest: UInt32 { 1001 }

  /// Returns true if a client's user has few rights.
  func isGuest(_ index: Int) -> Bool {
    plan.hasGuests && index >= plan.wholeStateClientCount && index < plan.clientCount - plan.toolCount
  }

  /// The rights of both users. A guest reads two parts of the state, and sends changes unless that is suspended.
  var policy: AccessPolicy {
    guard plan.hasGuests, bug != .hubIgnoresItsPolicy else { return .open }
    let act = isGuestSuspended ? [] : [hubProgram.changePath]
    let read = hubProgram.parts[SimulatedProgram.guestParts].map(\.path)
    return AccessPolicy(users: [Self.owner: .everything, Self.guest: AccessGrant(read: read, act: act)])
  }

  /// The operator changes the guests' rights, or sets the machine's clock.
  func operatorActs() {
    // Also what the hub has refused earlier in this step, or a halted one that knows nothing of the last change.
    if isGuestSuspended || overtaken?.suspendsGuests == true { guestSuspendedAt = now }
    if plan.policyChange > 0, operations.hits(plan.policyChange), let hub {
      isGuestSuspended.toggle()
      trace.note(now, "policy", isGuestSuspended ? 1 : 0)
      report.policyChanges += 1
      hub.inform { $0.setPolicy(policy, at: now) }
      hub.suspendsGuests = isGuestSuspended
    }
    if isGuestSuspended { guestSuspendedAt = now }
    if plan.clockJump > 0, operations.hits(plan.clockJump) {
      wallClockError = Int64(operations.number(-100_000_000...100_000_000))
      report.clockJumps += 1
    }
  }

  /// The time of the machine's clock in milliseconds, which may jump.
  var wallTime: Int64 { Int64(now.components.seconds) * 1000 + wallClockError }
}
