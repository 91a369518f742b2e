/// What the hub does in one turn of the loop, as `TurnScheduler` has decided. The shell and the core carry it out.
///
/// The default is the plan of a hub with time for everyone: all that waits, as long as the turn permits, and an answer
/// to everybody.
package struct TurnPlan: Equatable, Sendable {
  /// The work that has waited, to be done before the turn's output.
  package enum Work: Equatable, Sendable {
    /// All of it, as long as `TurnScheduler.limit` permits: connections, reads and frames.
    case everything
    /// Nothing; the turn answers what has just arrived.
    case nothing
    /// Open one connection.
    case connection
    /// Nothing; the turn writes what was held back for one client, or a piece of a snapshot.
    case output
    /// Handle at most this number of waiting frames and actions, and read from one waiting client. The turn has output
    /// only if more than that has happened, so that such pieces do not cost a write each.
    case input(limit: Int)
  }

  /// The work before the output.
  package var work = Work.everything
  /// True if clients with little traffic share the hub with clients that send much. Snapshots are then sent in smaller
  /// pieces, changes are coalesced by the time that publishing takes, and a turn writes to at most one of the clients
  /// that send much.
  package var isContended = false
  /// True if the turn only answers clients with little traffic: it sends no snapshots and, if the hub is contended,
  /// writes to no client that sends much. That output follows in a turn for which this is false.
  package var answersFirst = false

  package init(_ work: Work = .everything, isContended: Bool = false, answersFirst: Bool = false) {
    (self.work, self.isContended, self.answersFirst) = (work, isContended, answersFirst)
  }

  /// The number of connections that are accepted in one turn.
  ///
  /// Turns are short, since each of them also answers the connected clients. There are thousands of turns in a second.
  package var acceptLimit: Int { isContended ? 1 : TurnScheduler.acceptLimit }
  /// True if each connection is read in steps of its `TurnScheduler.Sender.readLimit`.
  package var limitsReads: Bool { isContended }
}
