public import Wire

/// A log that several hubs share. One of them, the leader, reduces actions and appends turns; the others follow: they
/// apply its turns, and pass the actions of their clients on to it.
///
/// `append` takes turns of a leader. `ReplicationEvent.stored` reports them in order, or `follow` that those which were
/// not reported will never be stored.
///
/// All further methods are called on the loop's thread, and `onEvent` calls there. Before `onEvent` is set, events wait.
@MainActor
public protocol ReplicatedLog: TurnLog {
  /// Identifies the history, which all hubs have in common.
  var historyID: UInt64 { get }

  /// Receives what has happened, in order.
  var onEvent: ((ReplicationEvent) -> Void)? { get set }

  /// Begins to keep the actions of a client of this hub, after the processed ones of its session.
  func open(_ session: ForwardedSession, processed: UInt64)

  /// Forgets the actions of a client that is gone.
  func close(_ session: ForwardedSession)

  /// Passes the next actions of an open session to the leader: now, or when there is one, and again to each next leader
  /// until the log has them.
  func forward(_ actions: [[UInt8]], of session: ForwardedSession)

  /// The bytes of the actions that wait to be stored.
  var forwardedByteCount: Int { get }

  /// A client of this hub cancels the effects of one of its actions. Only while this hub follows.
  func cancel(action number: UInt64, of session: ForwardedSession)

  /// The journal on this machine has stored the turns up to a position.
  func journalStored(upTo position: UInt64)

  /// The part of this hub in the log, for the operator and for clients.
  var status: ClusterStatus { get }

  /// Passes the leadership on to another hub, once all turns are stored, and without the silence after which the others
  /// would notice that this one is gone. `ReplicationEvent.follow` tells that it has happened.
  ///
  /// - Parameter node: The name of the hub that shall lead; nil for any that is linked.
  /// - Throws: The reason why nothing happens.
  func handOver(to node: String?) throws(HandOverError)

  /// Reads the files again that the log needs for its connections. They apply to the next ones.
  ///
  /// - Returns: False if there are none.
  /// - Throws: The mistake in a file; those of before then stay in use.
  func reload() throws -> Bool

  /// Leaves the log. The journal on this machine stays open.
  func leave()
}

/// A session whose actions are reduced by another hub than the one that its client is connected to.
public struct ForwardedSession: Hashable, Sendable {
  /// The session.
  public let id: SessionID
  /// The user of the client's process.
  public let user: UInt32
  /// The effective group of the client's process.
  public let group: UInt32
  /// The node of the hub that its client is connected to; empty for this one.
  public let node: String
  /// The name by which its client has introduced itself; empty if it is not known.
  public let name: String

  /// Creates a session.
  public init(id: SessionID, user: UInt32, group: UInt32, node: String = "", name: String = "") {
    (self.id, self.user, self.group, self.node, self.name) = (id, user, group, node, name)
  }
}

/// The reasons why a hub does not pass its leadership on.
public enum HandOverError: Error, Equatable, CustomStringConvertible {
  /// Another hub leads, or none if its name is empty.
  case doesNotLead(leader: String)
  /// The hub leads already.
  case leads(String)
  /// No link is open to the hub that shall lead, or to any.
  case notLinked(String?)

  /// The reason.
  public var description: String {
    switch self {
    case .doesNotLead(""): "this hub does not lead, and it knows of no other that does"
    case .doesNotLead(let leader): "this hub does not lead; that of node \(leader) does"
    case .leads(let node): "node \(node) leads already"
    case .notLinked(let node?): "there is no link to node \(node)"
    case .notLinked(nil): "there is no link to another node"
    }
  }
}

/// What happens to a hub in a replicated log.
public enum ReplicationEvent: Equatable, Sendable {
  /// Another hub leads, or none. What was not reported as stored is discarded.
  case follow
  /// This hub leads, from the last applied or stored turn on.
  case lead(term: UInt64)
  /// Another hub's turns, which are stored, follow.
  case apply([LoggedTurn])
  /// The oldest turns of this hub are stored.
  case stored([LoggedTurn])
  /// A session has sent actions, numbered from `first`. Those that the hub has already are skipped. None tell of the
  /// client of another hub.
  case perform(ForwardedSession, first: UInt64, [[UInt8]])
  /// The client of another hub cancels the effects of one of its actions.
  case cancel(ForwardedSession, action: UInt64)
  /// The client of a session of another hub is gone, or cannot be reached.
  case leave(ForwardedSession)
  /// The effects of the previous leader have ended, so this one's may run.
  case startEffects(term: UInt64)
  /// The leadership is in doubt: effects must end.
  case cancelEffects
  /// `ReplicatedLog.status` tells something else: another leader, or that the state may be stale.
  case statusChanged
  /// The hub must not serve any more, until the operator has settled the reason.
  case refused(reason: String)
}
