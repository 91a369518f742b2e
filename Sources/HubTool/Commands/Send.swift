internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let send = Self(
    "send", "send an action and wait for its outcome",
    arguments: [.init("ACTION", value: .action), .init("VALUE", .anyNumber)],
    options: [
      .init("no-wait", "end as soon as the hub's socket has accepted it"),
      .init("diff", short: "d", "print what has changed since it was sent, including changes by others"),
      .init(
        "path", short: "p", argument: "PATH",
        "only changes of this part, which is read in place of the whole state", value: .path, if: .option("diff")),
    ],
    details: [
      .text(
        """
        The values of the action are JSON. A text needs no quotes. Several values may also be one object with their \
        labels, or one array. An ACTION that begins with { is a whole action as JSON. The revision that --json prints \
        is the hub's when it acknowledged the action, and may also include later actions.
        """),
      .code([
        "storectl send counter.incrementButtonTapped", "storectl send todos.addButtonTapped bread",
        "storectl send 'todos.todos[3].completionChanged' true",
        "storectl send todos.moved '{\"id\": 3, \"before\": 0}'",
      ]),
    ])
}

extension Tool {
  /// Refuses an action that the hub could not read, although it has the form of its type.
  private static func checkReading(of action: CBORValue, _ schema: Schema) throws(ToolFailure) {
    let bytes = action.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    do throws(WireError) {
      _ = try SchemaValues(asReadByHubs: schema).value(of: schema.action, from: &decoder)
    } catch {
      throw ToolFailure(.failed, "not sent, because the hub could not read the action: \(error.problem)")
    }
  }

  func send() async throws(ToolFailure) {
    guard !options.flag("no-wait") || !options.flag("diff") else {
      throw ToolFailure(.usage, "--diff prints what an action has changed, for which --no-wait does not wait")
    }
    let isDiff = options.flag("diff")
    let hub = try await connect()
    let schema = hub.schema(of: .feature)
    let action = try action(schema)
    let name = options.string("path") ?? ""
    let path = try path(name, in: schema)
    var scope: HubConnection.Scope?
    if isDiff { scope = try await hub.subscribe(to: path, of: .feature) }
    let before = scope?.mirror.value
    try Self.checkReading(of: action, schema)
    let sent = try hub.send(action)
    if options.flag("no-wait") { return try await hub.flush() }
    // The hub sends the changes of an action before its outcome, and those of others in between.
    let revision: UInt64
    do throws(ToolFailure) { revision = try await hub.outcome(of: sent) } catch {
      guard [.hubWentAway, .timedOut].contains(error.status) else { throw error }
      throw ToolFailure(error.status, "\(error.reason); the action may have taken effect")
    }
    effect = "the action took effect"
    let printer = ChangePrinter(self, schema, isDiff: true, path: name)
    let found = scope.map { differences(schema, at: path, from: before, to: $0.mirror.value) } ?? []
    if isJSON {
      var members = [JSONValue.Member("applied", .bool(true)), .init("revision", .integer(revision))]
      if isDiff { members.append(.init("changes", .array(found.map { printer.json($0) }))) }
      print(.object(members))
    } else if isDiff {
      print(found.isEmpty ? [palette.faint("nothing changed")] : found.flatMap { printer.text($0) })
    }
  }

  /// Returns the changes of a part, which may have appeared or disappeared.
  private func differences(
    _ schema: Schema, at path: [PathStep], from old: CBORValue?, to new: CBORValue?
  ) -> [SchemaValues.Difference] {
    guard old != new, let type = try? schema.type(at: path) else { return [] }
    guard let old, let new else { return [SchemaValues.Difference(path: "", type: type, old: old, new: new)] }
    return SchemaValues(schema).differences(from: old, to: new, as: type)
  }

  /// Returns the action on the command line.
  private func action(_ schema: Schema) throws(ToolFailure) -> CBORValue {
    let name = options.arguments.first ?? ""
    do {
      if name.hasPrefix("{") {
        guard options.arguments.count == 1 else {
          throw ToolFailure(.usage, "an action that is JSON holds its values itself")
        }
        return try schema.action([], [try JSONValue(parsing: name)])
      }
      let path = try schema.actionPath(named: name)
      guard !path.isEmpty, let payload = schema.payload(ofAction: path) else {
        throw ToolFailure(.unknownName, "expected an action")
      }
      let words = options.arguments.dropFirst()
      var values: [JSONValue] = []
      for (index, word) in words.enumerated() {
        values.append(try value(word, words.count == payload.count ? payload[index].type : nil))
      }
      if values.isEmpty, !payload.isEmpty { throw ToolFailure(.unknownName, missing(schema, name, path, payload)) }
      return try schema.action(path, values)
    } catch let error as ToolFailure {
      throw error
    } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
  }

  /// Parses a word as JSON, or as plain text where the type is a text.
  private func value(_ word: String, _ type: SchemaType?) throws(JSONError) -> JSONValue {
    let isJSON = word.hasPrefix("\"") || ["null", ""].contains(word)
    if let type, isTextual(type), !isJSON || word.isEmpty { return .string(word) }
    do throws(JSONError) {
      return try JSONValue(parsing: word)
    } catch {
      // Quotes are optional for single words, such as the name of a case, a UUID or a date.
      guard word.allSatisfy({ $0.isLetter || $0.isNumber || "-_:.+".contains($0) }), !word.isEmpty else { throw error }
      return .string(word)
    }
  }

  private func isTextual(_ type: SchemaType) -> Bool {
    switch type {
    case .named("Optional", let parts): parts.first.map { isTextual($0) } ?? false
    case .named("raw", let parts) where parts.count == 2: isTextual(parts[1])
    case .named(let name, _): ["String", "Substring", "Character", "Unicode.Scalar", "URL", "TextState"].contains(name)
    case .definition: false
    }
  }

  /// Describes the missing values of an action, or the actions below an incomplete path.
  private func missing(_ schema: Schema, _ name: String, _ path: [PathStep], _ payload: [Schema.Payload]) -> String {
    let below = schema.actionCompletions(name.hasSuffix(".") ? name : name + ".").map(\.text)
    if !below.isEmpty { return "'\(name)' is incomplete: it continues with one of \(below.joined(separator: ", "))" }
    let values = SchemaText.values(payload, in: schema)
    return "'\(name)' needs \(payload.count == 1 ? "a value" : "\(payload.count) values"): \(ValueText.safe(values))"
  }
}
