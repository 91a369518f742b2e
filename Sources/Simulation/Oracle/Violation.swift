/// A promise that was broken in a simulation.
public struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
  /// Which promise it is.
  public enum Kind: String, Sendable {
    /// An action took effect twice.
    case appliedTwice
    /// Actions of one client took effect in another order than it had sent them.
    case appliedOutOfOrder
    /// A client was told that an action took effect, and it did not.
    case acknowledgedNotApplied
    /// What was acknowledged is gone after a restart.
    case acknowledgedLost
    /// What was reported as refused took effect.
    case refusedTookEffect
    /// An action had two outcomes, or one that it cannot have.
    case wrongOutcome
    /// Something left the hub before the log had stored it.
    case seenBeforeStored
    /// A client's state is not that of the hub at its revision.
    case stateDiffers
    /// A client's revision went back.
    case revisionWentBack
    /// Frames of a scope do not follow each other, or come where they must not.
    case framesOutOfOrder
    /// The hub wrote to a connection that could not be written to.
    case writtenWhileFull
    /// A hub or a client was sent something that breaks the protocol.
    case protocolBroken
    /// The hub no longer knows a session that it must know.
    case sessionForgotten
    /// The log could not be read.
    case recoveryFailed
    /// The log's record of a turn's actions or sessions is not what happened.
    case loggedWrongly
    /// The recovered state is not the one that was stored.
    case recoveredWrongly
    /// A hash of the hub is not that of the client's state.
    case hashDiffers
    /// Something waits for ever.
    case notAtRest
    /// A queue is longer than its limit.
    case queueTooLong
    /// Something costs more than it may.
    case tooMuchWork
  }

  /// Which promise it is.
  public let kind: Kind
  /// What happened.
  public let description: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    description = "\(kind.rawValue): \(text)"
  }
}
