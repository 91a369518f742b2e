package import Senders
package import Wire

/// An action of a turn, and its sender.
package struct LoggedAction: Sendable {
  /// The origin of the action.
  package var origin: LoggedActions.Origin
  /// The session of the sender; nil for an action of the hub itself, and if the turn has no record of the session.
  package var session: LoggedSession?
  /// The number of the action in its session; nil for an action of the hub itself.
  package var sequence: UInt64?
  /// The action; nil if its bytes do not fit the schema.
  package var value: CBORValue?

  /// True if no client has sent it: the hub itself, or an effect.
  package var isOfHub: Bool { sequence == nil }

  /// The number of the sender's connection; nil for an action of the hub itself, and in journals of earlier versions.
  package var connection: UInt64? {
    if case .session(_, _, let connection) = origin, connection != 0 { connection } else { nil }
  }

  /// The sender as the reducer has seen it; nil for a client of which the turn has no complete record.
  package var sender: Sender? {
    switch origin {
    case .hub: .hub
    case .effect: .effect
    case .session: session.flatMap(\.client).map { .client($0) }
    }
  }

  /// The text in place of an action whose value is nil.
  package static let unreadable = "an action that does not fit the schema"

  /// The sender for people: the hub, an effect, or a user and a client's name, which may contain any characters.
  ///
  /// - Parameter user: Returns the name of a user that the journal does not name.
  package func sender(user: (UInt32) -> String) -> String {
    switch origin {
    case .hub: return "the hub"
    case .effect: return "an effect"
    case .session:
      guard let session else { return "a client" }
      let user = session.userName.isEmpty ? user(session.user) : session.userName
      // The log of a cluster does not have the names of the clients of other nodes.
      return session.name.isEmpty ? user : "\(user) \(session.name)"
    }
  }
}

extension LoggedTurn {
  /// Reads the first actions, in order, up to a limit. After one that does not fit the schema,
  /// the rest of its sender's run is missing.
  package func decodedActions(_ schema: Schema, limit: Int = .max) -> [LoggedAction] {
    // If a session ends in the same turn, the record of its end comes second. It has no process.
    let byID = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    let byConnection = Dictionary(sessions.map { ($0.connection, $0) }) { first, _ in first }
    var found: [LoggedAction] = []
    var runs = CBORDecoder(actions.span.bytes)
    while runs.offset < actions.count, let run = try? LoggedActions(from: &runs) {
      var decoder = CBORDecoder(run.actions.span.bytes)
      for index in 0..<run.count {
        var action = LoggedAction(origin: run.origin)
        if case .session(let id, let first, let connection) = run.origin {
          let (sequence, isOver) = first.addingReportingOverflow(index)
          if isOver { break }
          // A session that was resumed in the turn has two records.
          let ofConnection = connection == 0 ? nil : byConnection[connection]
          (action.session, action.sequence) = (ofConnection ?? byID[id], sequence)
        }
        action.value = try? SchemaValues(schema).value(of: schema.action, from: &decoder)
        found.append(action)
        if found.count == limit { return found }
        if action.value == nil { break }
      }
    }
    return found
  }

  /// Returns the revision after one of the turn's stored actions.
  ///
  /// Actions that effects sent at once count too, but are not stored. If there are any, only the revision at the end of
  /// the turn is known.
  package func revision(after index: Int, of count: Int) -> UInt64 {
    revision.subtractingReportingOverflow(baseRevision) == (UInt64(count), false)
      ? baseRevision + UInt64(index) + 1 : revision
  }
}
