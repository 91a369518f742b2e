/// A deliberate defect of the simulated shell, log or network, to verify that the oracles find it.
package enum PlantedBug: String, CaseIterable, Sendable {
  /// The log reports turns as stored when it has only received them.
  case logSaysStoredTooEarly
  /// The log loses the last stored turn when the hub crashes.
  case logLosesTheLastTurn
  /// The log loses a turn in the middle when the hub crashes.
  case logLosesAMiddleTurn
  /// The log records a later position for a snapshot than that of its state.
  case snapshotHasALaterPosition
  /// A recovery skips the change of a turn.
  case recoverySkipsAChange
  /// A recovery loses all sessions.
  case recoveryForgetsSessions
  /// A recovery loses the sessions' processed sequence numbers.
  case recoveryForgetsProcessed
  /// A recovery restores ended sessions, and sessions in an early state.
  case recoveryTakesOldSessions
  /// A recovery loses the effects in flight.
  case recoveryForgetsEffects
  /// The log does not store that effects have ended.
  case logForgetsEndedEffects
  /// A recovery does not give a state of another schema a new revision.
  case recoveryKeepsTheRevision
  /// A migration converts the snapshot, without the turns after it.
  case migrationIgnoresTurns
  /// A migration runs again on a state that it has already converted.
  case migrationRunsTwice
  /// The shell skips a write.
  case shellDropsAWrite
  /// The shell repeats a write.
  case shellRepeatsAWrite
  /// The shell swaps two writes to a connection.
  case shellSwapsWrites
  /// The shell sends a client the change of another scope.
  case shellMixesUpScopes
  /// The shell writes to a full socket as if it had accepted everything.
  case shellIgnoresFullSockets
  /// The shell never resumes reading from a connection.
  case shellForgetsToReadAgain
  /// The shell sleeps although the hub needs another turn.
  case shellSleepsTooEarly
  /// The shell sleeps through the times at which the hub has something to do.
  case shellOversleeps
  /// The shell handles everything that it has read in one turn, whatever its scheduler permits.
  case shellHasNoLimits
  /// The shell never reads again from a client that waits for its turn.
  case shellForgetsAReader
  /// The shell delivers an effect's action twice.
  case shellRepeatsAnEffect
  /// The shell does not start or cancel an effect.
  case shellDropsAnEffect
  /// The shell does not report the end of a connection to the hub.
  case shellForgetsEndedConnections
  /// The shell lets the hub continue after its log has failed, and reports everything as stored.
  case shellIgnoresAFailedLog
  /// The log stores a turn at a position at which another hub has stored one, and removes that one and its successors.
  case logReplacesTurnsOfAnotherHub
  /// The shell reports turns as stored whose positions another hub has taken.
  case shellIgnoresAConflict
  /// The shell reads from a connection after the hub has made the record for the next process.
  case shellReadsAfterHandingOver
  /// The shell does not pass unsent output on to the next process.
  case shellForgetsUnsentOutput
  /// The shell passes all connections on to the next process, but the record of an earlier time.
  case shellHandsOverAnOldRecord
  /// The shell does not invalidate the record of a connection at rest when it reads from the connection.
  case shellKeepsTheRecordOfAReadConnection
  /// The shell does not invalidate the record of a connection at rest when it writes to the connection.
  case shellKeepsTheRecordOfAWrittenConnection
  /// The hub releases all output before it is stored, as in async mode.
  case hubDoesNotWait
  /// The hub goes on working while its log is far behind.
  case hubIgnoresASlowLog
  /// The hub lets everyone read and send everything.
  case hubIgnoresItsPolicy
  /// The hub does not limit the size of its state.
  case hubHasNoStateLimit
  /// The hub does not check that the state after an action can be read back.
  case hubDoesNotReadBack
  /// The hub does not limit the rate of actions.
  case hubHasNoRate
  /// A client sends an action that no hub has instead of the user's.
  case clientSendsAnotherAction
  /// A client opens a new session instead of resuming its own.
  case clientForgetsItsSession
  /// A client's prediction keeps an action that has an outcome.
  case clientForgetsAnOutcome
  /// A client calls actions unsent whose outcome it will never learn.
  case clientCallsSentActionsUnsent
  /// The hub sends no bookmarks.
  case hubSendsNoBookmarks
  /// The outcome of actions is reported as unknown to a client that has resumed its session, and can repeat them.
  case clientGivesUpSentActions
  /// A client renumbers the actions that it resends, starting with the next number.
  case clientRenumbersActions
  /// A client resends its actions in a new session if the hub does not know the old one.
  case clientSendsAgainInANewSession
  /// A client does not send a cancellation again that was lost with its connection.
  case clientForgetsCancellations
  /// A client's shell reports the changes of an outbox as stored, and stores them the next time.
  case outboxStoresTooLate
  /// The outbox of a client lacks the session.
  case outboxForgetsItsSession
  /// The hub holds the shared effects of clients that are gone.
  case hubHoldsForever
  /// A client that moves a window does not tell the hub.
  case clientMovesAWindowAlone
  /// A view of the hub takes the parameter of another client.
  case viewMixesUpParameters
  /// A client sends its value of a shared model's field, and not what it did to it.
  case clientSendsTheValue
  /// The network flips a bit of the bytes to a client.
  case networkFlipsABit
}
