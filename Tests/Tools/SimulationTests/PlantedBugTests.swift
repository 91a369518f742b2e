import HubCore
import Simulation
import TestSupport
import Testing

/// The oracles detect each planted bug, and report it under a matching name.
@Suite(.computing) struct PlantedBugTests {
  @Test(arguments: PlantedBug.allCases) func aPlantedBugIsFound(bug: PlantedBug) throws {
    var found: [Violation.Kind: Int] = [:]
    let first = Self.seeds[bug] ?? 0
    for seed in first..<first + 60 {
      do {
        try Simulation(plan(for: bug, seed: seed), bug: bug).run()
      } catch let violation as Violation {
        found[violation.kind, default: 0] += 1
        if Self.names(of: bug).contains(violation.kind) { return }
      }
    }
    Issue.record("\(bug) was not found by its name: \(found)")
  }

  /// Where to begin the search for a bug that takes more than a few seeds: at one that found it. Other code may change
  /// what a seed does; the search is then longer.
  private static let seeds: [PlantedBug: UInt64] = [
    .recoveryForgetsProcessed: 5, .recoveryTakesOldSessions: 5, .recoveryKeepsTheRevision: 45, .shellDropsAWrite: 15,
    .shellRepeatsAWrite: 61, .shellSwapsWrites: 15, .shellMixesUpScopes: 4, .shellIgnoresFullSockets: 15,
    .hubIgnoresASlowLog: 10, .shellOversleeps: 25, .shellRepeatsAnEffect: 3, .shellDropsAnEffect: 5,
    .logReplacesTurnsOfAnotherHub: 7, .shellHandsOverAnOldRecord: 6, .shellKeepsTheRecordOfAWrittenConnection: 35,
    .clientSendsAnotherAction: 10, .clientCallsSentActionsUnsent: 60, .networkFlipsABit: 3,
  ]

  /// Returns a plan with many opportunities for the bug.
  private func plan(for bug: PlantedBug, seed: UInt64) -> SimulationPlan {
    var plan = SimulationPlan(seed: seed)
    plan.storage = .sync
    plan.stepCount = 400
    plan.limits.detachedSessions = 4096
    if bug != .hubIgnoresItsPolicy, bug != .hubHasNoStateLimit { plan.removeLater() }
    (plan.faults.hubCrash, plan.faults.unsyncedSurvives, plan.faults.logFailure) = (15, 0, 0)
    switch bug {
    case .shellIgnoresAFailedLog: plan.faults.logFailure = 10
    case .hubIgnoresASlowLog: (plan.limits.unstoredTurns, plan.faults.commit) = (1, 20)
    case .shellOversleeps:
      plan.faults = .none
      (plan.clientCount, plan.wholeStateClientCount) = (4, 4)
      (plan.limits.coalescingThreshold, plan.limits.coalescing) = (1, .milliseconds(20))
    case .shellHasNoLimits, .shellForgetsAReader: plan.contention = 50
    case .shellForgetsEndedConnections: plan.notesAttendance = true
    case .clientForgetsItsSession: plan.storage = [.async, .memory][Int(seed % 2)]
    case .hubIgnoresItsPolicy: (plan.hasGuests, plan.wholeStateClientCount, plan.toolCount) = (true, 0, 0)
    case .hubSendsNoBookmarks: (plan.limits.bookmarkInterval, plan.faults) = (1, .none)
    case .clientGivesUpSentActions: (plan.faults.cut, plan.faults.clientSideCut) = (15, 15)
    case .hubDoesNotReadBack: (plan.awkwardness, plan.faults) = (300, .none)
    case .clientForgetsCancellations, .hubHoldsForever:
      (plan.cancellations, plan.faults.cut, plan.faults.clientSideCut) = (500, 25, 25)
      (plan.faults.hubCrash, plan.faults.clientCrash, plan.limits.holdTimeout) = (0, 10, .seconds(1))
    case .outboxStoresTooLate, .outboxForgetsItsSession:
      (plan.outboxes, plan.faults.clientRestart, plan.toolCount) = (1000, 30, 0)
    case .clientMovesAWindowAlone: (plan.windows, plan.wholeStateClientCount) = (400, 3)
    case .viewMixesUpParameters: (plan.views, plan.sharing, plan.wholeStateClientCount) = (400, 400, 3)
    case .clientSendsTheValue: (plan.sharing, plan.clientCount, plan.wholeStateClientCount) = (800, 4, 4)
    case .hubHasNoRate: (plan.limits.actionsPerSecond, plan.faults) = (30, .none)
    case .hubHasNoStateLimit: (plan.limits.stateBytes, plan.hasLongLists, plan.faults) = (1000, false, .none)
    case .shellIgnoresFullSockets: plan.faults.socketBytes = 64
    case .recoveryForgetsEffects, .logForgetsEndedEffects: plan.promises = 200
    case .snapshotHasALaterPosition: (plan.limits.snapshotInterval, plan.faults.snapshotFailure) = (256, 0)
    case .recoveryForgetsProcessed, .recoveryForgetsSessions, .recoveryTakesOldSessions, .clientRenumbersActions:
      (plan.faults.cut, plan.faults.clientSideCut) = (15, 15)
    case .recoveryKeepsTheRevision:
      plan.faults = .none
      (plan.faults.upgrade, plan.faults.downgrade, plan.faults.hubCrash) = (900, 900, 50)
      (plan.clientCount, plan.newerClientCount, plan.toolCount, plan.wholeStateClientCount) = (5, 5, 0, 5)
    case .migrationIgnoresTurns, .migrationRunsTwice:
      (plan.migrates, plan.faults.upgrade, plan.faults.hubCrash) = (true, 500, 30)
    case .logReplacesTurnsOfAnotherHub, .shellIgnoresAConflict: (plan.faults.overtaking, plan.faults.commit) = (15, 500)
    case .shellReadsAfterHandingOver, .shellForgetsUnsentOutput:
      plan.faults = .none
      (plan.faults.hubRestart, plan.faults.socketBytes, plan.faults.longestDelay) = (20, 64, .milliseconds(20))
    case .shellHandsOverAnOldRecord:
      plan.faults = .none
      (plan.faults.hubRestart, plan.clientCount, plan.wholeStateClientCount) = (30, 4, 4)
      (plan.limits.coalescingThreshold, plan.limits.coalescing) = (1, .milliseconds(20))
    case .shellKeepsTheRecordOfAReadConnection, .shellKeepsTheRecordOfAWrittenConnection:
      plan.faults = .none
      (plan.faults.restingRecord, plan.faults.hubCrash, plan.clientCount) = (1000, 15, 4)
    default: plan.faults.removeSuccessions()
    }
    return plan
  }

  private static func names(of bug: PlantedBug) -> [Violation.Kind] {
    switch bug {
    case .logSaysStoredTooEarly, .hubDoesNotWait: [.seenBeforeStored]
    case .logLosesTheLastTurn: [.acknowledgedLost]
    case .logLosesAMiddleTurn: [.recoveryFailed, .recoveredWrongly, .acknowledgedLost]
    case .snapshotHasALaterPosition, .recoverySkipsAChange, .migrationIgnoresTurns, .migrationRunsTwice:
      [.recoveredWrongly]
    case .recoveryForgetsSessions: [.sessionForgotten]
    case .recoveryForgetsEffects, .logForgetsEndedEffects: [.restartedWrongly]
    case .recoveryKeepsTheRevision: [.stateDiffers, .hashDiffers]
    case .recoveryForgetsProcessed, .recoveryTakesOldSessions:
      [.appliedTwice, .sessionForgotten, .protocolBroken, .loggedWrongly]
    case .shellDropsAWrite, .shellRepeatsAWrite, .shellSwapsWrites: [.protocolBroken, .notAtRest, .stateDiffers]
    case .shellMixesUpScopes: [.protocolBroken, .stateDiffers, .hashDiffers, .framesOutOfOrder]
    case .shellIgnoresFullSockets: [.writtenWhileFull]
    case .hubIgnoresASlowLog: [.queueTooLong]
    case .shellForgetsToReadAgain: [.notAtRest]
    case .shellHasNoLimits: [.turnTooLong]
    case .shellForgetsAReader: [.starved]
    case .shellDropsAnEffect, .clientForgetsCancellations, .hubHoldsForever: [.effectLost]
    case .shellForgetsEndedConnections: [.notReleased, .stateDiffers, .notAtRest]
    case .hubIgnoresItsPolicy, .clientSendsAnotherAction: [.wrongOutcome]
    case .hubHasNoRate: [.rateExceeded]
    case .hubDoesNotReadBack: [.stateUnreadable]
    case .hubHasNoStateLimit: [.queueTooLong]
    case .clientForgetsItsSession: [.sessionForgotten]
    case .outboxStoresTooLate: [.refusedTookEffect, .acknowledgedNotApplied, .wrongOutcome, .sessionForgotten]
    case .outboxForgetsItsSession: [.appliedTwice, .sessionForgotten]
    case .clientCallsSentActionsUnsent: [.refusedTookEffect]
    case .clientGivesUpSentActions: [.wrongOutcome]
    case .hubSendsNoBookmarks: [.framesOutOfOrder]
    case .clientForgetsAnOutcome, .clientMovesAWindowAlone, .viewMixesUpParameters: [.stateDiffers]
    case .clientSendsTheValue: [.workLost]
    case .shellSleepsTooEarly: [.notAtRest]
    case .shellOversleeps: [.stateDiffers, .notAtRest]
    case .shellRepeatsAnEffect, .clientSendsAgainInANewSession: [.appliedTwice]
    case .logReplacesTurnsOfAnotherHub: [.acknowledgedLost, .recoveredWrongly]
    case .shellIgnoresAConflict: [.seenBeforeStored]
    case .shellReadsAfterHandingOver: [.protocolBroken, .notAtRest]
    case .shellForgetsUnsentOutput: [.protocolBroken, .notAtRest]
    case .shellHandsOverAnOldRecord: [.framesOutOfOrder, .protocolBroken]
    case .shellKeepsTheRecordOfAReadConnection, .shellKeepsTheRecordOfAWrittenConnection:
      [.framesOutOfOrder, .protocolBroken, .wrongOutcome, .notAtRest]
    case .shellIgnoresAFailedLog: [.seenBeforeStored, .notAtRest, .acknowledgedLost]
    case .clientRenumbersActions: [.protocolBroken, .wrongOutcome, .notAtRest, .acknowledgedNotApplied]
    case .networkFlipsABit: [.protocolBroken, .stateDiffers, .hashDiffers, .wrongOutcome]
    }
  }
}
