/// A guarantee that was violated in a simulation.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of violations.
  package enum Kind: String, Sendable {
    /// An action took effect twice.
    case appliedTwice
    /// Actions of one client took effect in another order than they were sent.
    case appliedOutOfOrder
    /// An action was acknowledged to a client without having taken effect.
    case acknowledgedNotApplied
    /// An acknowledged action is missing after a restart.
    case acknowledgedLost
    /// An action that was reported as rejected took effect.
    case refusedTookEffect
    /// An action had two outcomes, or an impossible one.
    case wrongOutcome
    /// The hub sent something before the log had stored it.
    case seenBeforeStored
    /// A client's state differs from that of the hub at the same revision.
    case stateDiffers
    /// A client's revision decreased.
    case revisionWentBack
    /// The frames of a scope are not in sequence, or are in a forbidden place.
    case framesOutOfOrder
    /// The hub wrote to a connection that was full.
    case writtenWhileFull
    /// A hub or a client received bytes that violate the protocol.
    case protocolBroken
    /// The hub has lost a session that it must keep.
    case sessionForgotten
    /// A connection ended that the next process should have continued.
    case connectionLost
    /// The log could not be read.
    case recoveryFailed
    /// The log's record of a turn's actions or sessions is wrong.
    case loggedWrongly
    /// A state was acknowledged, or could be, that cannot be read back from its bytes.
    case stateUnreadable
    /// The recovered state differs from the stored one.
    case recoveredWrongly
    /// An effect of a stored action does not run, or one that was cancelled does.
    case effectLost
    /// An effect that outlives the hub is not restarted exactly once, or one is that had ended.
    case restartedWrongly
    /// The hub keeps something of sessions that have ended.
    case notReleased
    /// A hash from the hub differs from that of the client's state.
    case hashDiffers
    /// The shared model lacks work of a client that nobody undid.
    case workLost
    /// Something waits forever.
    case notAtRest
    /// The cluster's log has two entries at a position, or a node has one that was never committed.
    case forked
    /// Entries were removed that too few journals have.
    case trimmedTooEarly
    /// Effects of two terms run at the same time, though no process was stopped.
    case effectsOverlap
    /// A node that was removed from the cluster registers, or leads.
    case removedReturns
    /// A user sends more actions than its rate permits.
    case rateExceeded
    /// A queue exceeds its limit.
    case queueTooLong
    /// A turn of the hub's loop takes too long.
    case turnTooLong
    /// A client gets no answer in time, because of others.
    case starved
    /// An operation exceeds its cost limit.
    case tooMuchWork
  }

  /// The kind of violation.
  package let kind: Kind
  /// A description of the violation.
  package let description: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    description = "\(kind.rawValue): \(text)"
  }
}
