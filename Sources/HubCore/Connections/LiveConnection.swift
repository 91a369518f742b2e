import Senders
import Wire

/// The phases of a connection, each with only the data that exists in it.
enum ConnectionPhase {
  /// No connection uses the slot.
  case free
  /// Only a *hello* is accepted.
  case greeting(Greeting)
  /// A session is open.
  case live(LiveConnection)
  /// The last frame was written, and input is ignored. The connection is aborted at the deadline.
  case closing(deadline: Duration)
}

/// A connection that has not sent *hello* yet.
final class Greeting {
  private(set) var peer: Peer
  var decoder: FrameDecoder
  /// The time limit for the *hello*.
  let deadline: Duration
  /// The time of the connection, in milliseconds since 1970.
  let since: Int64
  private(set) var account: UserAccount
  /// The peer's rights; nil if it is refused.
  var rights: AccessRights?
  /// The number of bytes that its user is charged for.
  var chargedBytes = 0

  init(
    peer: Peer, decoder: FrameDecoder, deadline: Duration, since: Int64, account: UserAccount, rights: AccessRights?
  ) {
    (self.peer, self.decoder, self.deadline, self.account) = (peer, decoder, deadline, account)
    (self.since, self.rights) = (since, rights)
  }

  /// Gives the connection to the user for whom a gateway speaks.
  func represent(_ peer: Peer, account: UserAccount, rights: AccessRights?) {
    (self.peer, self.account, self.rights, chargedBytes) = (peer, account, rights, 0)
  }
}

/// A connection with an open session.
///
/// Only the core uses it, one property at a time, so its hot properties omit the run-time exclusivity check, which
/// would take a tenth of each turn.
final class LiveConnection {
  /// An attached scope.
  struct Scope {
    /// The client's number for the scope.
    let number: UInt16
    /// The index of the publisher of its root, or of its view.
    let publisher: Int
    /// The number of the subscriber in that publisher.
    let subscriber: Int
    /// The number of elements of its window; 0 for a part of the state.
    var windowElements = 0
    /// The number of elements that its user is charged for the window.
    var windowCharge: Int { Self.windowCharge(windowElements) }

    /// True if it is in a view.
    var isInView: Bool { publisher >= Publishers.firstView }

    static func windowCharge(_ elements: Int) -> Int {
      elements == 0 ? 0 : max(elements, HubLimits.leastWindowCharge)
    }
  }

  let id: ConnectionID
  let peer: Peer
  let account: UserAccount
  /// The rights of the connection.
  var rights: AccessRights {
    didSet { noteRights() }
  }
  /// True if its actions are passed on to the hub that leads.
  var isForwarding = false {
    didSet { noteRights() }
  }
  /// The number of the last action that was passed on.
  var forwarded: UInt64 = 0
  /// The frames that the log has not stored, if this hub leads others.
  var unstored = UnstoredFrames()
  /// True for a session whose client is connected to another hub: there is no socket.
  let isRemote: Bool
  /// True if its actions are reduced here and need no check.
  @exclusivity(unchecked) private(set) var actsOnEverything: Bool
  /// The number of bytes that its user is charged for.
  @exclusivity(unchecked) var chargedBytes = 0
  @exclusivity(unchecked) var decoder: FrameDecoder
  @exclusivity(unchecked) var session: Session
  /// True if the revisions that the client knows belong to this hub's history.
  let knowsHistory: Bool
  /// The attendee number of the client.
  let attendee: UInt64
  /// The client as the feature sees it.
  let client: HubClient
  /// The number of the session's actions that were processed before this connection.
  private let processedBefore: UInt64
  @exclusivity(unchecked) var scopes: [Scope] = []
  /// True if the list of clients has its scopes and the bytes held for it.
  @exclusivity(unchecked) var isDescribed = true
  /// Received frames that wait for a later turn because this turn's work limit was reached.
  @exclusivity(unchecked) var backlog: Backlog?
  /// True if the peer has closed its direction of the stream.
  @exclusivity(unchecked) var hasInputEnded = false
  /// The time limit for the rest of an incomplete frame, or for a peer that has half-closed to read its output.
  @exclusivity(unchecked) var deadline: Duration?

  // MARK: Log

  /// True if the session is in the record of the current turn.
  @exclusivity(unchecked) var isRecorded = false

  // MARK: Output

  /// What keeps the hub from having written everything. Only `OutputQueues` changes it.
  @exclusivity(unchecked) var standing = OutputStanding.idle
  /// True if the socket has not yet accepted all of the last write.
  @exclusivity(unchecked) var isBusy = false
  /// The number of bytes that the shell keeps because the socket has not accepted them.
  @exclusivity(unchecked) var queuedBytes = 0
  /// True if it has sent much since the last write to it. In a contended turn its output waits.
  @exclusivity(unchecked) var hasSentMuch = false
  /// The highest sequence number in an *applied* frame sent to it.
  @exclusivity(unchecked) var sentProcessed: UInt64
  /// The number of the session's rejections that were written on this connection.
  @exclusivity(unchecked) var sentRejections = 0
  /// The answers to requests that were not written yet.
  @exclusivity(unchecked) var replies = PendingReplies()

  init(
    id: ConnectionID, peer: Peer, account: UserAccount, rights: AccessRights, decoder: FrameDecoder, session: Session,
    knowsHistory: Bool, attendee: UInt64, number: UInt64, sentProcessed: UInt64, isRemote: Bool = false
  ) {
    self.isRemote = isRemote
    (self.id, self.peer, self.account, self.decoder, self.session) = (id, peer, account, decoder, session)
    (self.rights, actsOnEverything) = (rights, rights.actsOnEverything)
    (self.knowsHistory, self.attendee, self.sentProcessed) = (knowsHistory, attendee, sentProcessed)
    processedBefore = session.processed
    client = HubClient(
      connection: number, session: session.id.identity, name: session.name, process: peer.process,
      user: peer.systemUser)
  }

  private func noteRights() { actsOnEverything = rights.actsOnEverything && !isForwarding }

  /// False once the connection is closing or has ended and must no longer be used.
  var isOpen: Bool { standing != .closed }

  /// The number of actions that were processed on this connection.
  var actionCount: UInt64 { session.processed - min(processedBefore, session.processed) }

  /// The number of bytes held for it: received frames, output that the client has not read, rejections that it has not
  /// acknowledged, and refused scopes of which it was not told.
  var heldBytes: Int {
    decoder.heldBytes + (backlog?.byteCount ?? 0) + queuedBytes + session.rejections.byteCount + replies.refusedBytes
  }

  /// Returns true if a scope number is taken: attached, or detached or refused without its *detached* frame being
  /// written yet.
  func isInUse(_ number: UInt16) -> Bool {
    scopes.contains { $0.number == number } || replies.detached.contains(number)
      || replies.refused.contains { $0.number == number }
  }

  /// Removes the rejections that the client has acknowledged.
  func acknowledge(_ sequence: UInt64) {
    sentRejections = max(sentRejections - session.rejections.acknowledge(sequence), 0)
  }
}
