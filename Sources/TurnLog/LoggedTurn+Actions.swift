package import Wire

/// An action of a turn, and its sender.
package struct LoggedAction: Sendable {
  /// The session of the sender; nil for an action of the hub itself, and if the turn has no record of the session.
  package var session: LoggedSession?
  /// The number of the action in its session; nil for an action of the hub itself.
  package var sequence: UInt64?
  /// The action; nil if its bytes do not fit the schema.
  package var value: CBORValue?

  /// True if the hub itself has sent it: an effect or a `HubEvent`.
  package var isOfHub: Bool { sequence == nil }

  /// The text in place of an action whose value is nil.
  package static let unreadable = "an action that does not fit the schema"

  /// The sender for people: the hub, or a user and a client's name, which may contain any characters.
  ///
  /// - Parameter user: Returns the name of a user.
  package func sender(user: (UInt32) -> String) -> String {
    if isOfHub { return "the hub" }
    return session.map { "\(user($0.user)) \($0.name)" } ?? "a client"
  }
}

extension LoggedTurn {
  /// Reads the first actions, in order, up to a limit. After one that does not fit the schema,
  /// the rest of its sender's run is missing.
  package func decodedActions(_ schema: Schema, limit: Int = .max) -> [LoggedAction] {
    // If a session ends in the same turn, the record of its end comes second. It has no process.
    let sessions = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
    var found: [LoggedAction] = []
    var runs = CBORDecoder(actions.span.bytes)
    while runs.offset < actions.count, let run = try? LoggedActions(from: &runs) {
      var decoder = CBORDecoder(run.actions.span.bytes)
      for index in 0..<run.count {
        var action = LoggedAction()
        if case .session(let id, let first) = run.origin {
          let (sequence, isOver) = first.addingReportingOverflow(index)
          if isOver { break }
          (action.session, action.sequence) = (sessions[id], sequence)
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
