/// A defect that the simulated shell, log or network has on purpose, to see that the oracles find it.
public enum PlantedBug: String, CaseIterable, Sendable {
  /// The log says that turns are stored which it has only been given.
  case logSaysStoredTooEarly
  /// The log loses the last turn that it has stored, when the hub crashes.
  case logLosesTheLastTurn
  /// The log loses a turn in the middle, when the hub crashes.
  case logLosesAMiddleTurn
  /// The log gives a snapshot a later position than its state has.
  case snapshotHasALaterPosition
  /// A recovery leaves out the change of a turn.
  case recoverySkipsAChange
  /// A recovery forgets all sessions.
  case recoveryForgetsSessions
  /// A recovery forgets how far the sessions have come.
  case recoveryForgetsProcessed
  /// A recovery brings back sessions that had ended, and those as they once were.
  case recoveryTakesOldSessions
  /// The shell does not carry out a write.
  case shellDropsAWrite
  /// The shell carries out a write twice.
  case shellRepeatsAWrite
  /// The shell swaps two writes to a connection.
  case shellSwapsWrites
  /// The shell writes to a client the change of another scope.
  case shellMixesUpScopes
  /// The shell writes while the socket is full, as if it had taken everything.
  case shellIgnoresFullSockets
  /// The shell goes on handing frames to a hub whose log is far behind.
  case shellIgnoresASlowLog
  /// The shell never reads again from a connection from which it has stopped reading.
  case shellForgetsToReadAgain
  /// The shell delivers twice what an effect sends.
  case shellRepeatsAnEffect
  /// The shell lets the hub go on when its log has failed, and says that everything is stored.
  case shellIgnoresAFailedLog
  /// The hub lets everything out before it is stored, as in async mode.
  case hubDoesNotWait
  /// A client numbers the actions that it sends again from the next number on.
  case clientRenumbersActions
  /// A client sends its actions again in a new session, when the hub does not know the old one.
  case clientSendsAgainInANewSession
  /// A bit is flipped on the way to a client.
  case networkFlipsABit
}
