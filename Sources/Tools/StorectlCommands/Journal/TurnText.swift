internal import JSONText
internal import SchemaNames
internal import TurnLog
internal import Wire

/// The text and JSON of a journal's turn: its actions, their senders, and the changes.
struct TurnText {
  let tool: Tool
  let schema: Schema
  /// The path of the part whose changes are shown.
  var path = ""

  /// Returns an action as written for `storectl send`: `todos.addButtonTapped "bread"`; or the change of a shared model in
  /// words.
  func text(_ action: LoggedAction) -> String {
    guard let value = action.value else { return LoggedAction.unreadable }
    guard let parts = schema.parts(ofAction: value), let name = schema.name(ofAction: parts.path) else {
      return "\(SchemaJSON(schema).json(of: value, as: schema.action))"
    }
    if let change = schema.changeText(of: parts.values, name: name) { return ValueText.safe(change) }
    let values = parts.values.map { item in
      let label = item.payload.label.isEmpty || parts.values.count == 1 ? "" : "\(ValueText.safe(item.payload.label)): "
      return label + "\(SchemaJSON(schema).json(of: item.value, as: item.payload.type))"
    }
    return ([tool.palette.strong(ValueText.safe(name))] + values).joined(separator: " ")
  }

  /// Returns the lines of a turn: its actions, each below a heading, and their changes.
  func lines(_ turn: LoggedTurn, _ changes: [SchemaValues.Difference]) -> [String] {
    let palette = tool.palette
    let actions = turn.decodedActions(schema)
    var lines: [String] = []
    func head(_ revision: UInt64, _ sender: String) -> String {
      palette.faint("── \(revision)  \(Moment.text(turn.time))  \(sender)")
    }
    for (index, action) in actions.enumerated() {
      let sender = ValueText.safe(action.sender(user: Users.name))
      lines += [head(turn.revision(after: index, of: actions.count), sender), text(action)]
    }
    // Such as that of a hub whose feature has another schema than before.
    if actions.isEmpty { lines += [head(turn.revision, "the hub"), "the state was changed without an action"] }
    let printer = ChangeText(schema, tool.palette, width: tool.width, path: path)
    return lines + printer.text(changes)
  }

  /// Returns a turn as one JSON value.
  func json(_ turn: LoggedTurn, _ changes: [SchemaValues.Difference]) -> JSONValue {
    let printer = ChangeText(schema, tool.palette, width: tool.width, path: path)
    let actions = turn.decodedActions(schema)
    return [
      "revision": .integer(turn.revision), "from": .integer(turn.baseRevision), "time": .string(Moment.json(turn.time)),
      "actions": .array(actions.map { json($0) }), "changes": .array(changes.map { printer.json($0) }),
    ]
  }

  private func json(_ action: LoggedAction) -> JSONValue {
    let name = action.value.flatMap { schema.parts(ofAction: $0) }.flatMap { schema.name(ofAction: $0.path) }
    return [
      "name": name.map { .string($0) } ?? .null,
      "action": action.value.map { SchemaJSON(schema).json(of: $0, as: schema.action) } ?? .null,
      "origin": .string(action.origin.name),
      "user": action.session.map { .integer(UInt64($0.user)) } ?? .null,
      // 0 if the process had ended before the hub accepted its connection.
      "process": action.session.flatMap { $0.process > 0 ? .integer(UInt64($0.process)) : nil } ?? .null,
      "client": action.session.map { .string($0.name) } ?? .null,
      "connection": action.connection.map { .integer($0) } ?? .null,
      "sequence": action.sequence.map { .integer($0) } ?? .null,
    ]
  }
}
