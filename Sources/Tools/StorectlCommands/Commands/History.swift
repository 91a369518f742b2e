internal import JSONText
internal import Journal
internal import ProgramOptions
internal import SchemaNames
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let diff = Self(
    "diff", "print the differences between two revisions of the journal",
    arguments: [.init("REV1|TIME1"), .init("REV2|TIME2")], options: [.directory], details: [.readsJournal])

  nonisolated static let blame = Self(
    "blame", "print the action that last changed the part at a path", arguments: [.init("PATH", value: .path)],
    options: [.directory], details: [.readsJournal])

  nonisolated static let bisect = Self(
    "bisect", "print the first revision of the journal that satisfies a predicate",
    arguments: [.init("PREDICATE", .anyNumber, value: .predicate)], options: [.directory],
    details: [
      .readsJournal,
      .text("The state after each turn is checked, so the predicate may be false again later."), .predicate,
      .code([
        "storectl bisect 'counter.count > 5'", "storectl bisect 'todos.todos[3].text ~ milk'",
        "storectl bisect '!todos.todos[3]'",
      ]),
    ])
}

extension Tool {
  /// Runs `state PATH --at REV`.
  func pastState() async throws(ToolFailure) {
    guard root == .feature else {
      throw ToolFailure(.usage, "journals do not contain the hub's own state; use either --hub or --at")
    }
    let reader = try await openJournal()
    let states = try await states(at: options.string("at") ?? "", in: reader)
    let (schema, name) = (states.schema, options.arguments.first ?? "")
    let path = try part(name, in: schema)
    guard let part = SchemaValues(schema).part(at: path, of: states.value) else {
      throw ToolFailure(.absent, "nothing was at '\(name)' at revision \(states.revision)")
    }
    if isJSON { return print(SchemaJSON(schema).json(of: part.value, as: part.type)) }
    print(ValueText(schema, palette, width: width).lines(part.value, part.type))
  }

  func diff() async throws(ToolFailure) {
    let reader = try await openJournal()
    let old = try await states(at: options.arguments[0], in: reader)
    let new = try await states(at: options.arguments[1], in: reader)
    let schema = new.schema
    let before = try JournalStates.converted(old.value, from: old.schema, to: schema)
    let changes = SchemaValues(schema).differences(from: before, to: new.value, as: schema.state)
    let printer = ChangeText(schema, palette, width: width)
    if isJSON {
      return print([
        "from": .integer(old.revision), "to": .integer(new.revision),
        "changes": .array(changes.map { printer.json($0) }),
      ])
    }
    if changes.isEmpty { return print([palette.faint("nothing differs")]) }
    print(printer.text(changes))
  }

  func blame() async throws(ToolFailure) {
    let reader = try await openJournal()
    let name = options.arguments.first ?? ""
    let (extent, places, schemas) = try JournalStates.attempt { () throws(LogError) in
      (try reader.extent(), try reader.snapshots(), try reader.schemas().map(\.schema))
    }
    try check(name, in: schemas)
    var end = extent.tail
    // Backwards from snapshot to snapshot, since users mostly look for recent changes.
    for place in places.reversed() {
      let states = try JournalStates.begin(reader, upTo: place.position)
      var (schema, path) = (states.schema, try? states.schema.part(named: name))
      var last: (turn: LoggedTurn, old: CBORValue?, new: CBORValue?, schema: Schema, path: PartPath)?
      while states.position < end, let (turn, before) = try states.advance() {
        try await continueScan()
        if states.schema != schema { (schema, path) = (states.schema, try? states.schema.part(named: name)) }
        guard let path, hasChanged(path, before, states) else { continue }
        let values = SchemaValues(schema)
        last = (
          turn, values.part(at: path, of: before)?.value, values.part(at: path, of: states.value)?.value, schema, path
        )
      }
      if let last { return print(last.turn, last.old, last.new, last.schema, last.path, name) }
      end = place.position
    }
    let since = places.first?.revision ?? 0
    throw ToolFailure(
      .absent, "nothing has changed '\(name)' since revision \(since), with which the journal's states begin")
  }

  /// Prints the changes of a turn to one part.
  private func print(
    _ turn: LoggedTurn, _ old: CBORValue?, _ new: CBORValue?, _ schema: Schema, _ path: PartPath, _ name: String
  ) {
    var changes = [SchemaValues.Difference(path: "", type: path.type, old: old, new: new)]
    if let old, let new { changes = SchemaValues(schema).differences(from: old, to: new, as: path.type) }
    let text = TurnText(tool: self, schema: schema, path: name)
    if isJSON { print(text.json(turn, changes)) } else { print(text.lines(turn, changes)) }
  }

  func bisect() async throws(ToolFailure) {
    let reader = try await openJournal()
    let text = options.arguments.joined(separator: " ")
    let first = try JournalStates.attempt { () throws(LogError) in try reader.snapshots().first }
    let states = try JournalStates.begin(reader, upTo: first?.position ?? 0)
    var schema = states.schema
    var predicate = try Predicate(text, in: schema, of: states.schemas)
    let begin = states.revision
    if predicate.holds(states.value, schema) {
      if isJSON {
        return print(["revision": .integer(begin), "time": .null, "actions": .array([]), "changes": .array([])])
      }
      return print(["it holds already at revision \(begin), with which the journal's states begin"])
    }
    while let (turn, before) = try states.advance() {
      try await continueScan()
      if states.schema != schema {
        schema = states.schema
        predicate = try Predicate(text, in: schema, of: states.schemas)
      }
      guard predicate.holds(states.value, schema) else { continue }
      let changes = SchemaValues(schema).differences(from: before, to: states.value, as: schema.state)
      let text = TurnText(tool: self, schema: schema)
      return isJSON ? print(text.json(turn, changes)) : print(text.lines(turn, changes))
    }
    throw ToolFailure(.absent, "no revision from \(begin) to \(states.revision) satisfies it")
  }
}
