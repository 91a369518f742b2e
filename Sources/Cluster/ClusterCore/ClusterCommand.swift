package import ClusterLog
package import Wire

/// A command that the shell must execute for the core, in order.
package enum ClusterCommand: Sendable {
  /// Pass a transaction to the store with this id; then call `transactionEnded` with this number, after a deadline with
  /// `.unknown`.
  ///
  /// The shell asks for the store's id on each new connection, before it sends a transaction over it. If the id is
  /// another one, it sends nothing, and the outcome is `.elsewhere`. With no id, any store will do.
  case transact(UInt64, LogTransaction, in: UInt64?)
  /// Forget what the store with this id keeps of revisions before this one, and let a store that was full take writes
  /// again. There is no answer; the command is repeated while the store is full.
  case compact(UInt64, in: UInt64)
  /// Read from the store, from any of its members; then call `readEnded` with this number.
  case read(UInt64, LogRead)
  /// Watch the entries from a position and the key `beat`, and call `watched`; it replaces an earlier watch.
  case watch(from: UInt64)
  /// Store an entry in the local journal, with the parts of its turn; call `journalStored` when it is on disk.
  case record(EncodedEntry, parts: [[UInt8]])
  /// Apply turns of another leader to the feature's state; then call `processed` for the sessions that they changed, and
  /// only then write the changes and the acknowledgements to the clients.
  case apply(turns: [[UInt8]], position: UInt64)
  /// The leader's oldest unstored turns, this many, are stored at a position. Release what waits for them.
  case stored(turnCount: Int, position: UInt64)
  /// Discard all turns that are not stored: the state, the sessions' numbers and the turns' output.
  case discardUnstored
  /// Perform actions of a session, as the leader. Those with lower numbers than the next one were performed already. If
  /// the first one has a higher number, ignore all: the log has actions that this node does not know, so another node
  /// leads, which gets them as well; or a node between a relay and this one has dropped the earlier ones, and the relay
  /// sends all of them again.
  case perform(ClusterSession, first: UInt64, [[UInt8]])
  /// The node leads: turns may be appended, with this term as the effects' fencing token.
  case lead(term: UInt64)
  /// Start the effects of the state and of the following turns.
  case startEffects(term: UInt64)
  /// Cancel all effects.
  case cancelEffects
  /// Send a message over the link to a node.
  case send(ClusterMessage, to: NodeName)
  /// Send a node a snapshot: a journal's base, with its place. This one is the place of the state once the commands before
  /// this one are executed; an earlier one will do if it is beyond the position after which the node lacks entries.
  case sendSnapshot(JournalPlace, to: NodeName)
  /// Replace the state and the journal by the snapshot with this place, which the log has; then call `processed` for all
  /// sessions.
  case install(JournalPlace)
  /// Forget the snapshot with this place: it is not needed, or the log does not have its last entry.
  case discardSnapshot(JournalPlace)
  /// Note the name of the journal's history. With `endsSessions`, the log continues from an earlier state under another
  /// name, and the sessions of all clients end, because acknowledged actions may be lost.
  case adopt(LogHistory, endsSessions: Bool)
  /// Tell the operator why no node can lead, or why a relay cannot go on with what it was sent, although the node serves
  /// what it has. It is repeated as long as it is so.
  case report(Refusal)
  /// `standing` has changed.
  case standingChanged(Standing)
}

/// A plain read of the store, which may be late. It decides nothing: it only brings entries, which check themselves.
package enum LogRead: Hashable, Sendable {
  /// The entries from a position, the lowest position, and the last beat.
  case entries(from: UInt64)
  /// The parts of the turn of an entry.
  case parts(position: UInt64, process: UInt64, count: Int)
  /// The registration of a node.
  case registration(NodeName)
}

/// The result of a read.
package enum LogReading: Sendable {
  /// Entries in order, the lowest position in the log, and the beat, as of a revision of the store.
  case entries([StoredValue], first: UInt64?, beat: StoredValue?, at: UInt64)
  /// Parts in order; fewer if some are absent.
  case parts([[UInt8]])
  case registration(StoredValue?)
  /// The store did not answer.
  case failed
}

/// A client's session, with the node to whose socket the client has connected and the user that this node's kernel
/// states.
package struct ClusterSession: Hashable, Sendable {
  package let node: NodeName
  package let user: UInt32
  package let id: SessionID

  /// Creates a session.
  package init(node: NodeName, user: UInt32, id: SessionID) { (self.node, self.user, self.id) = (node, user, id) }
}

/// A message between two nodes.
package enum ClusterMessage: Equatable, Sendable {
  /// The sender leads up to this position; `isCurrent` is false if the store has not confirmed it lately.
  case beat(Leadership, position: UInt64, isCurrent: Bool)
  /// The sender's journal is on disk up to this position, in the history with this id.
  case status(history: UInt64, stored: UInt64)
  /// Actions of a session of the sender, or of a relay below it, for the leader of a term.
  case actions(term: UInt64, ClusterSession, first: UInt64, [[UInt8]])
  /// The sender needs entries after this position that the log no longer has. A snapshot is the answer.
  case needsSnapshot(after: UInt64)
  /// A relay asks for the entries after its place, and for all that come; nil ends that.
  case follow(FollowRequest?)
  /// The answer to that, or the end of what was accepted.
  case followed(FollowAnswer)
  /// The next entry for a relay, with the parts of its turn.
  case entry(EncodedEntry, parts: [[UInt8]])
  /// What the sender has, for relays.
  case relayBeat(RelayBeat)
}

/// What a node may do for its clients.
package enum Standing: Equatable, Sendable {
  /// The node has not proved yet that its journal belongs to the log, or has not copied what was stored until then. It
  /// serves nobody.
  case starting
  /// The node's state is the log's, as far as it knows, and no earlier one than when the node has proved its journal.
  case current(leads: Bool)
  /// The log cannot be appended to, or there is no leader, since this time. Reads are stale, and actions are held.
  case waiting(since: Duration)
  /// The log cannot be appended to, because the store is full since this time. Reads are stale, and actions are held.
  case storeFull(since: Duration)
  /// The node does not serve, and needs the operator.
  case refused(Refusal)
}

/// The reason why a node does not serve.
package enum Refusal: Equatable, Sendable {
  /// The journal continues beyond the end of the log, or the log is empty.
  case logLost(journal: UInt64, log: UInt64)
  /// The journal has another entry than the log, or the log an entry that does not follow.
  case diverged(String)
  /// The log has bytes that no leader has written.
  case damaged(String)
  /// The store was restored from a backup, and its log has not been continued by the operator.
  case restored
  /// The log belongs to another history than the journal, and has not its last entry.
  case otherHistory(OtherHistory)
  /// The nodes that a relay may follow have another log than its journal.
  case otherLog(of: NodeName, expected: LogHistory?, found: LogHistory, position: UInt64)
  /// Another process runs as the same node, since before this one.
  case nameTaken(NodeName)
  /// The operator has removed the node from the cluster, and has not taken it back.
  case removed(NodeName)
  /// The log has turns of a schema that this version cannot read, which is usually a newer one.
  case newerSchema(position: UInt64)
}

/// A journal, and the log of another history that was found in its place.
package struct OtherHistory: Equatable, Sendable {
  /// The history of the journal, and that of the log.
  package let expected, found: LogHistory
  /// The last entry of the journal.
  package let position: UInt64
  /// True if the log has another entry at that position; false if it has none there.
  package let hasEntry: Bool
  /// The entries of the log; nil if it has none.
  package let log: ClosedRange<UInt64>?

  /// Describes them.
  package init(
    expected: LogHistory, found: LogHistory, position: UInt64, hasEntry: Bool, log: ClosedRange<UInt64>?
  ) {
    (self.expected, self.found, self.position) = (expected, found, position)
    (self.hasEntry, self.log) = (hasEntry, log)
  }
}

extension OtherHistory: CustomStringConvertible {
  package var description: String {
    let entries = log.map { "entries \($0.lowerBound) to \($0.upperBound)" } ?? "no entries"
    return """
      the journal ends with entry \(position) of the log \(expected.name), but etcd has the log \(found.name) with \
      \(entries), \(hasEntry ? "of which entry \(position) is another one" : "and not that entry")
      """
  }
}

extension LogHistory {
  /// The name for people.
  fileprivate var name: String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Refusal {
  /// True if only another process can serve; all other refusals end when the operator has settled their reason.
  var isFinal: Bool {
    switch self {
    case .nameTaken, .newerSchema: true
    case .logLost, .diverged, .damaged, .restored, .otherHistory, .otherLog, .removed: false
    }
  }
}

extension Refusal: CustomStringConvertible {
  /// The reason, and what the operator can do.
  package var description: String {
    switch self {
    case .logLost(let journal, let log):
      """
      the journal ends at entry \(journal), but the log at \(log): etcd has lost entries. Bring back its data of a \
      later time; or \(Self.restore)\(log == 0 ? ". But if 'etcd' or 'prefix' in [cluster] is wrong, correct that" : "")
      """
    case .diverged(let reason):
      "the journal is not that of the log (\(reason)): \(Self.copyTheLog)"
    case .damaged(let reason): "the log is damaged (\(reason)): bring back etcd's own data; or \(Self.restore)"
    case .restored:
      """
      etcd was restored from a backup: bring back its own data; or \(Self.restore)
      """
    case .otherHistory(let found):
      """
      \(found). That is the log of another cluster, or one that was begun again with another journal: check 'etcd' and \
      'prefix' in [cluster]; if they are right, move this journal away, and give this node a copy of that of a node which \
      serves, by `storectl cluster copy --into DIR` on its machine
      """
    case .otherLog(let node, let expected, let found, let position):
      """
      the journal ends with entry \(position) of the log \(expected?.name ?? "without a name"), but node \(node) has the \
      log \(found.name), which does not continue it: check 'follow' in [cluster]; if it is right, move this journal away, \
      and start this node once with --new-history
      """
    case .nameTaken(let node):
      "another process runs as node \(node): give each machine its own name in [cluster], and start this hub again"
    case .removed(let node):
      """
      node \(node) was removed from the cluster by `storectl cluster remove`: to take this machine back, run `storectl \
      cluster add \(node)` on that of another node, and start this hub again; or give it another name in [cluster]
      """
    case .newerSchema(let position):
      """
      entry \(position) is of another version of the feature, with another schema: run the version of the other nodes on \
      this one
      """
    }
  }

  private static let restore =
    "run `storectl cluster restore` on the machine whose journal ends last, which says what it does before it does it"
  private static let copyTheLog =
    "move this node's journal away, and start it once with --new-history: it copies the log"
}
