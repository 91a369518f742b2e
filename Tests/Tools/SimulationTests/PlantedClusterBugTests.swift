import Simulation
import TestSupport
import Testing

/// The oracles detect each planted bug within 100 seeds, and report it under a matching name.
@Suite(.computing) struct PlantedClusterBugTests {
  @Test(arguments: PlantedClusterBug.allCases) func aPlantedBugIsFound(bug: PlantedClusterBug) throws {
    var found: [Violation.Kind: Int] = [:]
    for seed in UInt64(0)..<100 {
      do {
        try ClusterSimulation(plan(for: bug, seed: seed), bug: bug).run()
      } catch let violation as Violation {
        found[violation.kind, default: 0] += 1
        if Self.names(of: bug).contains(violation.kind) { return }
      }
    }
    Issue.record("\(bug) was not found by its name: \(found)")
  }

  /// Returns a plan with many opportunities for the bug.
  private func plan(for bug: PlantedClusterBug, seed: UInt64) -> ClusterPlan {
    var plan = ClusterPlan(seed: seed)
    (plan.nodeCount, plan.actionInterval) = (3, 100)
    (plan.faults.backupRestored, plan.faults.upgrade, plan.faults.removal, plan.hasTwin) = (0, 0, 0, false)
    switch bug {
    case .noComparisonWithTheLeader: (plan.faults.storeCut, plan.actionInterval) = (40, 2000)
    case .unknownSettledByARead: plan.faults.requestLost = 50
    case .acknowledgedBeforeApplied, .servedBeforeCopied: break
    case .trimmedBeyondAMajority: (plan.keptBytes, plan.trimStepBytes) = (0, 1)
    case .takeoverByLeaseOnly: plan.actionInterval = 2000
    case .removedWithoutTheNext:
      (plan.keptBytes, plan.trimStepBytes, plan.faults.backupRestored) = (0, 1, 20)
    case .relayedWithoutAChecksum, .relayedAcknowledgement:
      (plan.relayCount, plan.lowerRelayCount, plan.forgedEntries) = (2, 0, 20)
    case .uncheckedBase: (plan.keptBytes, plan.trimStepBytes, plan.faults.diskLost, plan.faults.crash) = (0, 1, 20, 20)
    case .registersInAnyCase: (plan.faults.removal, plan.faults.crash) = (20, 20)
    }
    return plan
  }

  private static func names(of bug: PlantedClusterBug) -> [Violation.Kind] {
    switch bug {
    case .noComparisonWithTheLeader, .takeoverByLeaseOnly: [.effectsOverlap]
    case .unknownSettledByARead: [.acknowledgedNotApplied, .forked]
    case .acknowledgedBeforeApplied: [.seenBeforeStored]
    case .trimmedBeyondAMajority, .removedWithoutTheNext: [.trimmedTooEarly]
    case .servedBeforeCopied: [.sessionForgotten]
    case .uncheckedBase: [.stateDiffers]
    case .relayedWithoutAChecksum: [.forked]
    case .relayedAcknowledgement: [.seenBeforeStored]
    case .registersInAnyCase: [.removedReturns]
    }
  }
}
