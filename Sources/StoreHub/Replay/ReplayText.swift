internal import HubCore
internal import JSONText
internal import ProgramOptions
internal import SchemaNames
internal import TurnLog
internal import Wire

/// Differences of a replay for people and as JSON.
struct ReplayText {
  let schema: Schema
  /// The number of actions and of parts that are shown of a turn.
  private static let limit = 10
  /// The number of characters of a value.
  private static let width = 200

  /// Returns the lines of a difference: the turn, its actions with their senders, and each part as it is stored and now.
  func lines(_ difference: ReplayDifference) -> [String] {
    let turn = difference.turn
    let actions = turn.decodedActions(schema)
    let revisions =
      turn.revision == turn.baseRevision + 1
      ? "revision \(turn.revision)"
      : "revisions \(turn.baseRevision + 1) to \(turn.revision)"
    var lines = ["\(revisions), turn \(turn.position):"]
    lines += actions.prefix(Self.limit).map { "  \(sender(of: $0)): \(text(of: $0))" }
    if actions.count > Self.limit { lines.append("  and \(counted(actions.count - Self.limit, "action"))") }
    if let refusal = difference.refusal { lines.append("    refused now: \(shortened(refusal.printable))") }
    if difference.revisionNow != turn.revision {
      lines.append("    revision: stored \(turn.revision), now \(difference.revisionNow)")
    }
    let parts = parts(of: difference)
    for part in parts.prefix(Self.limit) {
      let (stored, now) = (value(part.old, of: part), value(part.new, of: part))
      lines.append("    \(name(of: part)): stored \(stored), now \(now)")
    }
    if parts.count > Self.limit { lines.append("    and \(counted(parts.count - Self.limit, "part"))") }
    return lines
  }

  /// Returns a difference as one JSON object.
  func json(_ difference: ReplayDifference) -> JSONValue {
    let turn = difference.turn
    let json = SchemaJSON(schema)
    let actions = turn.decodedActions(schema).map { action -> JSONValue in
      [
        "sender": .string(sender(of: action)), "origin": .string(action.origin.name),
        "connection": action.connection.map { .integer($0) } ?? .null,
        "action": action.value.map { json.json(of: $0, as: schema.action) } ?? .null,
      ]
    }
    let parts = parts(of: difference).map { part -> JSONValue in
      [
        "path": .string(name(of: part)), "stored": part.old.map { json.json(of: $0, as: part.type) } ?? .null,
        "now": part.new.map { json.json(of: $0, as: part.type) } ?? .null,
      ]
    }
    return [
      "revision": .integer(turn.revision), "from": .integer(turn.baseRevision), "turn": .integer(turn.position),
      "time_ms": .integer(turn.time), "actions": .array(actions),
      "refusal": difference.refusal.map { .string($0) } ?? .null, "revisionNow": .integer(difference.revisionNow),
      "differences": .array(parts),
    ]
  }

  /// Returns the last line.
  func line(_ summary: JournalReplay.Summary) -> String {
    let differences = summary.differences == 0 ? "no difference" : counted(summary.differences, "difference")
    guard let revisions = summary.revisions else { return "there is nothing to replay" }
    let foreign =
      summary.foreignTurns == 0
      ? "" : "; \(counted(summary.foreignTurns, "turn")) before them with another schema"
    return """
      replayed \(counted(summary.actions, "action")) in \(counted(summary.turns, "turn")), revisions \
      \(revisions.first) to \(revisions.last): \(differences)\(foreign)
      """
  }

  /// Returns the figures as one JSON object.
  func json(_ summary: JournalReplay.Summary) -> JSONValue {
    [
      "actions": .integer(summary.actions), "turns": .integer(summary.turns),
      "differences": .integer(summary.differences), "foreignTurns": .integer(summary.foreignTurns),
      "from": summary.revisions.map { .integer($0.first) } ?? .null,
      "to": summary.revisions.map { .integer($0.last) } ?? .null,
    ]
  }

  private func sender(of action: LoggedAction) -> String {
    action.sender { userName($0) ?? "user \($0)" } + (action.connection.map { " (connection \($0))" } ?? "")
  }

  private func text(of action: LoggedAction) -> String {
    guard let value = action.value else { return LoggedAction.unreadable }
    return shortened("\(SchemaJSON(schema).json(of: value, as: schema.action))")
  }

  private func parts(of difference: ReplayDifference) -> [SchemaValues.Difference] {
    let values = SchemaValues(schema)
    func state(_ bytes: [UInt8]) -> CBORValue? {
      var decoder = CBORDecoder(bytes.span.bytes)
      return try? values.value(of: schema.state, from: &decoder)
    }
    guard let stored = state(difference.stored), let now = state(difference.now) else { return [] }
    return values.differences(from: stored, to: now, as: schema.state)
  }

  private func name(of part: SchemaValues.Difference) -> String {
    part.path.isEmpty ? "the state" : part.path.hasPrefix(".") ? String(part.path.dropFirst()) : part.path
  }

  private func value(_ value: CBORValue?, of part: SchemaValues.Difference) -> String {
    if part.isMove { return "elsewhere" }
    return value.map { shortened("\(SchemaJSON(schema).json(of: $0, as: part.type))") } ?? "nothing"
  }

  private func shortened(_ text: String) -> String {
    text.count > Self.width ? text.prefix(Self.width - 1) + "…" : text
  }
}
