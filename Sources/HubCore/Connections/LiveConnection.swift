import Wire

/// A slot of the hub's connection table.
struct ConnectionSlot {
  /// Differs for each connection that uses the slot.
  var generation: UInt32 = 0
  var phase = ConnectionPhase.free
}

/// The phases of a connection, each with what exists in it and no more.
enum ConnectionPhase {
  /// No connection uses the slot.
  case free
  /// Only a *hello* is accepted.
  case greeting(Greeting)
  /// A session is open.
  case live(LiveConnection)
  /// The last frame was written, and input is ignored; the connection is aborted at the deadline.
  case closing(deadline: Duration)
}

/// A connection that has not said *hello*.
final class Greeting {
  let peer: Peer
  var decoder: FrameDecoder
  /// When the *hello* is overdue.
  let deadline: Duration
  let account: UserAccount
  /// What it may do; nil if it is refused.
  var rights: AccessRights?
  /// How many bytes its user was charged for.
  var chargedBytes = 0

  init(peer: Peer, decoder: FrameDecoder, deadline: Duration, account: UserAccount, rights: AccessRights?) {
    (self.peer, self.decoder, self.deadline, self.account) = (peer, decoder, deadline, account)
    self.rights = rights
  }
}

/// A connection with an open session.
///
/// Only the core touches it, one property at a time, so the properties of the hot path go without the run-time check for
/// overlapping accesses, which would cost a tenth of a turn.
final class LiveConnection {
  /// A scope that it subscribes to.
  struct Scope {
    /// The client's number for it.
    let number: UInt16
    /// The index of the publisher of its root.
    let publisher: Int
    /// Its subscriber in that publisher.
    let subscriber: Int
  }

  let id: ConnectionID
  let peer: Peer
  let account: UserAccount
  /// What it may do.
  var rights: AccessRights {
    didSet { actsOnEverything = rights.actsOnEverything }
  }
  /// Whether its actions need no check.
  @exclusivity(unchecked) private(set) var actsOnEverything: Bool
  /// How many bytes its user was charged for.
  @exclusivity(unchecked) var chargedBytes = 0
  /// False once the connection is closing or has ended; nothing of it is used any more.
  @exclusivity(unchecked) var isOpen = true
  @exclusivity(unchecked) var decoder: FrameDecoder
  @exclusivity(unchecked) var session: Session
  /// Whether the revisions that the client knows are of this hub's history.
  let knowsHistory: Bool
  /// Its number among the attendees.
  let attendee: UInt64
  @exclusivity(unchecked) var scopes: [Scope] = []
  /// Frames that came in and were not handled yet, because the turn's work was done.
  @exclusivity(unchecked) var backlog: Backlog?
  /// Whether the peer has closed its direction of the stream.
  @exclusivity(unchecked) var hasInputEnded = false
  /// When the rest of a begun frame is overdue, or a peer that has closed its direction must have read everything.
  @exclusivity(unchecked) var deadline: Duration?

  // MARK: Log

  /// Whether the session is in the record of the current turn.
  @exclusivity(unchecked) var isRecorded = false
  /// The welcome that waits for the log to store the session; nothing else is written before.
  @exclusivity(unchecked) var heldWelcome: Welcome? {
    didSet { hasHeldWelcome = heldWelcome != nil }
  }
  /// Whether there is a held welcome; comparing it with nil copies it, at 130 instructions a turn.
  @exclusivity(unchecked) private(set) var hasHeldWelcome = false

  // MARK: Output

  /// Whether the socket has not yet taken all of the last write.
  @exclusivity(unchecked) var isBusy = false
  /// How many bytes the shell keeps because the socket has not taken them.
  @exclusivity(unchecked) var queuedBytes = 0
  /// Whether the connection is in the hub's list of those to write to at the end of the turn.
  @exclusivity(unchecked) var isPending = false
  /// Whether it waits for the next publication to everyone.
  @exclusivity(unchecked) var isCoalescing = false
  /// The highest sequence number in an *applied* frame that it was sent.
  @exclusivity(unchecked) var sentProcessed: UInt64
  /// How many of the session's rejections were written on this connection.
  @exclusivity(unchecked) var sentRejections = 0
  /// Whether any of the following replies is to be written.
  @exclusivity(unchecked) var hasReplies = false
  /// The number of the last ping that was not answered.
  var pong: UInt64?
  /// The scopes that were detached, whose *detached* was not written yet.
  var detached: [UInt16] = []
  /// The indices of the roots whose schemas are to be written.
  var requestedSchemas: [Int] = []

  init(
    id: ConnectionID, peer: Peer, account: UserAccount, rights: AccessRights, decoder: FrameDecoder, session: Session,
    knowsHistory: Bool, attendee: UInt64,
    sentProcessed: UInt64
  ) {
    (self.id, self.peer, self.account, self.decoder, self.session) = (id, peer, account, decoder, session)
    (self.rights, actsOnEverything) = (rights, rights.actsOnEverything)
    (self.knowsHistory, self.attendee, self.sentProcessed) = (knowsHistory, attendee, sentProcessed)
  }

  /// How many bytes are kept for it: of frames that came, and of what it does not read.
  var heldBytes: Int { decoder.heldBytes + (backlog?.byteCount ?? 0) + queuedBytes }

  /// Whether a scope number may not be used: it is attached, or the client was not yet sent its *detached*.
  func isInUse(_ number: UInt16) -> Bool {
    scopes.contains { $0.number == number } || detached.contains(number)
  }

  /// Forgets the rejections that the client has acknowledged.
  func acknowledge(_ sequence: UInt64) {
    let count = session.rejections.prefix { $0.sequence <= sequence }.count
    guard count > 0 else { return }
    session.rejections.removeFirst(count)
    sentRejections = max(sentRejections - count, 0)
  }
}
