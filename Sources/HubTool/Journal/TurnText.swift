internal import TurnLog
internal import Wire

/// The text and JSON of a journal's turn: its actions, their senders, and the changes.
struct TurnText {
  let tool: Tool
  let schema: Schema

  /// An action of a turn.
  struct Action {
    /// The session of the sender; nil for an action of the hub itself.
    var session: LoggedSession?
    /// The number of the action in its session.
    var sequence: UInt64?
    var isOfHub: Bool
    /// The action; nil if its bytes do not fit the schema.
    var value: CBORValue?
  }

  /// Returns the actions of a turn, in order.
  func actions(_ turn: LoggedTurn) -> [Action] { Self.actions(turn, schema) }

  /// Returns the first actions of a turn, in order, up to a limit.
  static func actions(_ turn: LoggedTurn, _ schema: Schema, limit: Int = .max) -> [Action] {
    let sessions = Dictionary(turn.sessions.map { ($0.id, $0) }) { _, last in last }
    var found: [Action] = []
    var runs = CBORDecoder(turn.actions.span.bytes)
    while runs.offset < turn.actions.count, let run = try? LoggedActions(from: &runs) {
      var decoder = CBORDecoder(run.actions.span.bytes)
      for index in 0..<run.count {
        var action = Action(isOfHub: true)
        if case .session(let id, let first) = run.origin {
          action = Action(session: sessions[id], sequence: first + index, isOfHub: false)
        }
        action.value = try? SchemaValues(schema).value(of: schema.action, from: &decoder)
        found.append(action)
        if found.count == limit { return found }
        if action.value == nil { break }
      }
    }
    return found
  }

  /// Returns an action as written for `storectl send`: `todos.addButtonTapped "bread"`.
  func text(_ action: Action) -> String {
    guard let value = action.value else { return "an action that does not fit the schema" }
    guard let parts = schema.parts(ofAction: value), let name = schema.name(ofAction: parts.path) else {
      return "\(SchemaJSON(schema).json(of: value, as: schema.action))"
    }
    let values = parts.values.map { item in
      let label = item.payload.label.isEmpty || parts.values.count == 1 ? "" : "\(ValueText.safe(item.payload.label)): "
      return label + "\(SchemaJSON(schema).json(of: item.value, as: item.payload.type))"
    }
    return ([tool.palette.strong(ValueText.safe(name))] + values).joined(separator: " ")
  }

  private func origin(_ action: Action) -> String {
    if action.isOfHub { return "the hub" }
    guard let session = action.session else { return "a client" }
    return "\(Users.name(session.user)) \(ValueText.safe(session.name))"
  }

  /// Returns the revision after one of a turn's stored actions.
  ///
  /// Actions that effects sent at once count too, but are not stored. If there are any, only the revision at the end of
  /// the turn is known.
  static func revision(after index: Int, of count: Int, in turn: LoggedTurn) -> UInt64 {
    turn.revision - turn.baseRevision == UInt64(count) ? turn.baseRevision + UInt64(index) + 1 : turn.revision
  }

  /// Returns the lines of a turn: a heading, its actions, and their changes.
  func lines(_ turn: LoggedTurn, _ changes: [SchemaValues.Difference]) -> [String] {
    let palette = tool.palette
    let actions = actions(turn)
    var lines: [String] = []
    for (index, action) in actions.enumerated() {
      let revision = Self.revision(after: index, of: actions.count, in: turn)
      let head = palette.faint("── \(revision)  \(Moment.text(turn.time))  \(origin(action))")
      lines += [head, text(action)]
    }
    let printer = ChangePrinter(tool, schema, isDiff: true, path: "")
    return lines + changes.flatMap { printer.text($0) }
  }

  /// Returns a turn as one JSON value.
  func json(_ turn: LoggedTurn, _ changes: [SchemaValues.Difference]) -> JSONValue {
    let printer = ChangePrinter(tool, schema, isDiff: true, path: "")
    return [
      "revision": .integer(turn.revision), "from": .integer(turn.baseRevision), "time": .string(Moment.json(turn.time)),
      "actions": .array(actions(turn).map { json($0) }), "changes": .array(changes.map { printer.json($0) }),
    ]
  }

  private func json(_ action: Action) -> JSONValue {
    let name = action.value.flatMap { schema.parts(ofAction: $0) }.flatMap { schema.name(ofAction: $0.path) }
    return [
      "name": name.map { .string($0) } ?? .null,
      "action": action.value.map { SchemaJSON(schema).json(of: $0, as: schema.action) } ?? .null,
      "origin": .string(action.isOfHub ? "hub" : "client"),
      "user": action.session.map { .integer(UInt64($0.user)) } ?? .null,
      // 0 if the process had ended before the hub accepted its connection.
      "process": action.session.flatMap { $0.process > 0 ? .integer(UInt64($0.process)) : nil } ?? .null,
      "client": action.session.map { .string($0.name) } ?? .null,
      "sequence": action.sequence.map { .integer($0) } ?? .null,
    ]
  }
}
