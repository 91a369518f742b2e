public import Wire

/// The part of an outbox that is not actions: the session, and how far it has come.
public struct OutboxSession: Equatable, Sendable {
  /// The session to resume; nil before the first one, and after one that was left.
  public var session: SessionID?
  /// The history of the hub that has opened or resumed it.
  public var history: UInt64?
  /// The last sequence number of the session whose outcome is known here.
  public var acknowledged: UInt64
  /// The number of the last action that may have been sent in the session; 0 if none may.
  public var lastSent: UInt64

  /// Creates the record of a session.
  public init(session: SessionID? = nil, history: UInt64? = nil, acknowledged: UInt64 = 0, lastSent: UInt64 = 0) {
    (self.session, self.history) = (session, history)
    (self.acknowledged, self.lastSent) = (acknowledged, lastSent)
  }
}

/// An action in an outbox, without its bytes.
public struct OutboxAction: Equatable, Sendable {
  /// The number of the action. Later actions have greater ones, across processes.
  public var number: UInt64
  /// The revision of the last state that the user had seen; nil without one.
  public var seenRevision: UInt64?
  /// True if its failure was reported. It is kept until the hub acknowledges its number.
  public var isRefused: Bool

  /// Creates the record of an action.
  public init(number: UInt64, seenRevision: UInt64? = nil, isRefused: Bool = false) {
    (self.number, self.seenRevision, self.isRefused) = (number, seenRevision, isRefused)
  }
}

/// What an outbox keeps for the next process of a client: its session, and the actions whose outcome is not known.
public struct OutboxContents: Sendable {
  /// The schema of the actions; nil for an outbox that is new.
  public var schema: Schema?
  /// The session.
  public var session: OutboxSession
  /// The actions, in the order of their numbers. The bytes are one item of the action type of `schema`; none for an
  /// action that a program with another schema could not convert.
  public var actions: [(action: OutboxAction, bytes: [UInt8])]

  /// Creates contents; by default those of a new outbox.
  public init(
    schema: Schema? = nil, session: OutboxSession = OutboxSession(),
    actions: [(action: OutboxAction, bytes: [UInt8])] = []
  ) {
    (self.schema, self.session, self.actions) = (schema, session, actions)
  }
}

/// The changes of an outbox since it was stored last. They must be stored together or not at all.
///
/// The added actions are those of `ReplicaCore.forEachAddedAction`.
public struct OutboxChanges: Equatable, Sendable {
  /// True if the outbox has other contents, which the added actions replace, and another schema.
  public internal(set) var replacesAll = false
  /// The session.
  public internal(set) var session: OutboxSession
  /// True if the session is another one, or actions have failed: later ones get their numbers in it, or the hub is about
  /// to forget that it has rejected them. This must survive a loss of power before an action is sent, so that none is sent
  /// again under another number, or is taken for applied.
  public internal(set) var mustReachDisk = false
  /// The actions up to this number are to be removed: their outcomes are known. 0 for none.
  public internal(set) var settled: UInt64 = 0
  /// The numbers of further actions to be removed, which have failed without being sent.
  public internal(set) var removed: [UInt64] = []
  /// The numbers of actions whose failure was reported, but which the hub has not acknowledged.
  public internal(set) var refused: [UInt64] = []
  /// The added actions have these numbers; some numbers may be missing.
  public internal(set) var added: ClosedRange<UInt64>?
}
