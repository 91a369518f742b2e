package import ClusterCore
package import ClusterLog
package import Wire

/// What two nodes tell each other, as frames. Both ends send the same kinds.
package enum LinkFrame: Equatable, Sendable {
  /// The first frame of each end.
  case hello(LinkHello)
  /// The last frame: the sender ends the link.
  case goodbye(LinkGoodbye)
  /// Asks for a `pong` with the same number.
  case ping(UInt64)
  /// The answer, with the sender's wall-clock time in milliseconds since 1970.
  case pong(UInt64, time: UInt64)
  /// The sender leads, as far as it knows, up to a position.
  case beat(Leadership, position: UInt64, isCurrent: Bool)
  /// The sender's journal is on disk up to a position, in the history with this id.
  case status(history: UInt64, stored: UInt64)
  /// A session of a client of the sender, before its first actions.
  case session(LinkSession)
  /// The session with a number has ended; the number may be used again.
  case sessionEnded(UInt32)
  /// The receiver of a session does not perform its actions.
  case sessionRefused(UInt32, SessionRefusal)
  /// Consecutive actions of an announced session, for the leader of a term. None tell the leader of the client.
  case actions(LinkActions)
  /// The sender lacks entries after a position.
  case needsSnapshot(after: UInt64)
  /// A snapshot begins, of which the bytes follow in pieces.
  case snapshot(SnapshotHead)
  case piece([UInt8])
  /// What has become of a snapshot that the receiver has asked for.
  case snapshotNotice(SnapshotNotice)
  /// The client of an announced session cancels the effects of one of its actions, for the leader of a term.
  case cancel(term: UInt64, session: UInt32, action: UInt64)
  /// The sender is a relay and asks for the entries after its place, or, with nil, for no more.
  case follow(FollowRequest?)
  /// The answer to `follow`, or the end of what was accepted.
  case followed(FollowAnswer)
  /// The next entry of the log; the parts of its turn follow, if it has some.
  case entry(EncodedEntry)
  case part([UInt8])
  /// What the sender has, for relays that may follow it.
  case relayBeat(RelayBeat)

  /// The kinds on the wire.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case hello = 1
    case goodbye = 2
    case ping = 3
    case pong = 4
    case beat = 5
    case status = 6
    case session = 7
    case sessionEnded = 8
    case sessionRefused = 9
    case actions = 10
    case needsSnapshot = 11
    case snapshot = 12
    case piece = 13
    case cancel = 14
    case snapshotNotice = 15
    case follow = 16
    case followed = 17
    case entry = 18
    case part = 19
    case relayBeat = 20
  }

  /// The kind of the frame.
  package var kind: Kind {
    switch self {
    case .hello: .hello
    case .goodbye: .goodbye
    case .ping: .ping
    case .pong: .pong
    case .beat: .beat
    case .status: .status
    case .session: .session
    case .sessionEnded: .sessionEnded
    case .sessionRefused: .sessionRefused
    case .actions: .actions
    case .needsSnapshot: .needsSnapshot
    case .snapshot: .snapshot
    case .piece: .piece
    case .snapshotNotice: .snapshotNotice
    case .cancel: .cancel
    case .follow: .follow
    case .followed: .followed
    case .entry: .entry
    case .part: .part
    case .relayBeat: .relayBeat
    }
  }
}

/// The first frame of each end.
package struct LinkHello: Equatable, Sendable {
  /// The versions of the protocol that the sender speaks. The link has the newest one that both do.
  package var versions: ClosedRange<UInt64>
  package var node: NodeName
  /// The random number of the sender's process.
  package var process: UInt64
  /// The history of the sender's journal; nil if it has none.
  package var history: LogHistory?
  /// The greatest payload of a frame that the sender accepts, in bytes.
  package var payloadLimit: UInt64
  /// True if a uid is the same person on all machines.
  package var sharesUsers: Bool
  /// The numbers of the sender's users, if they are not the same persons on all machines.
  package var users: ClosedRange<UInt32>?

  /// Creates a hello.
  package init(
    versions: ClosedRange<UInt64> = LinkVersion.oldest...LinkVersion.newest, node: NodeName, process: UInt64,
    history: LogHistory?, payloadLimit: UInt64, sharesUsers: Bool, users: ClosedRange<UInt32>? = nil
  ) {
    (self.versions, self.node, self.process, self.history) = (versions, node, process, history)
    (self.payloadLimit, self.sharesUsers, self.users) = (payloadLimit, sharesUsers, users)
  }
}

/// The versions of the protocol between nodes.
package enum LinkVersion {
  package static let oldest: UInt64 = 1
  package static let newest: UInt64 = 4
  /// The first version whose nodes answer `needsSnapshot`; earlier ones ignore it.
  package static let withSnapshots: UInt64 = 2
  /// The first version with relays: the frames from `follow` on, and the origin of a session.
  package static let withRelays: UInt64 = 3
  /// The first version with the names of clients in their sessions.
  package static let withNames: UInt64 = 4
}

/// A session of a client of the sender, with what the kernel of the sender's machine states about the client.
package struct LinkSession: Equatable, Sendable {
  /// The number that stands for the session on this link.
  package let number: UInt32
  package let id: SessionID
  package let user: UInt32
  package let group: UInt32
  /// The relay to whose socket the client has connected, if that is not the sender.
  package let origin: NodeName?
  /// The name by which the client has introduced itself: at most `Hello.nameLimit` bytes, without control characters. Empty
  /// if it has none, or if a node on the way is of an earlier version.
  package let name: String

  /// Creates a session.
  package init(
    number: UInt32, id: SessionID, user: UInt32, group: UInt32, origin: NodeName? = nil, name: String = ""
  ) {
    (self.number, self.id, self.user, self.group, self.origin) = (number, id, user, group, origin)
    self.name = name
  }
}

/// The reason why a node does not perform the actions of another node's session.
package enum SessionRefusal: UInt8, CaseIterable, Equatable, Sendable {
  /// The user is not among those for whom the node may act.
  case user = 1
  /// The node may not act for anybody.
  case node = 2
  /// The node has too many sessions.
  case tooMany = 3
  /// The client's node is a relay that the node does not know.
  case relay = 4
}

extension SessionRefusal: CustomStringConvertible {
  /// The reason, and what the operator can do.
  package var description: String {
    switch self {
    case .user: "the leader does not accept actions of this user from this node: extend the node's ceiling in [cluster]"
    case .node: "the leader accepts no actions from this node: extend the node's ceiling in [cluster]"
    case .relay: "the leader does not know the client's node: write the same 'relays' in [cluster] on all machines"
    case .tooMany: "this node has more sessions than the leader accepts from one node"
    }
  }
}

/// Consecutive actions of a session.
package struct LinkActions: Equatable, Sendable {
  package let term: UInt64
  package let session: UInt32
  /// The number of the first action; without a meaning if there is none.
  package let first: UInt64
  package let actions: [[UInt8]]

  /// Creates actions.
  package init(term: UInt64, session: UInt32, first: UInt64, _ actions: [[UInt8]]) {
    (self.term, self.session, self.first, self.actions) = (term, session, first, actions)
  }
}

/// The beginning of a snapshot.
package struct SnapshotHead: Equatable, Sendable {
  /// The snapshot's place in the log.
  package let place: JournalPlace
  /// The number of the bytes that follow.
  package let byteCount: UInt64
  /// The checksum of the pieces, each with that of those before as its seed.
  package let checksum: UInt64

  /// Creates a head.
  package init(_ place: JournalPlace, byteCount: UInt64, checksum: UInt64) {
    (self.place, self.byteCount, self.checksum) = (place, byteCount, checksum)
  }
}

/// What has become of a snapshot that was asked for.
package enum SnapshotNotice: Equatable, Sendable {
  /// The sender prepares it.
  case preparing
  /// The sender cannot send it, or not to its end. The reason is one sentence for the other node's log.
  case failed(String)

  /// The greatest number of bytes of a reason.
  package static let textLimit = 512
}
