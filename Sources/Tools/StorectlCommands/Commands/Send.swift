internal import JSONParser
internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let send = Self(
    "send", "send an action and wait for its outcome",
    arguments: [.init("ACTION", value: .action), .init("VALUE", .anyNumber)],
    options: [
      .init("no-wait", "end as soon as the hub's socket has accepted it"),
      .init("diff", short: "d", "print what has changed since it was sent, including changes by others"),
      .init("must-change", "exit with 12 if nothing has changed since it was sent"),
      .init(
        "path", short: "p", argument: "PATH",
        "with --diff and --must-change, only changes of this part, which is read in place of the whole state",
        value: .path),
    ],
    details: [
      .text(
        """
        The values of the action are JSON. A text needs no quotes; a word that is also JSON, such as true or 123, is \
        sent as a text if the action takes one, with a note on standard error that quotes, as in '"123"', avoid. \
        Several values may also be one object with their labels, or one array. An ACTION that begins with { is a whole \
        action as JSON. The revision that --json prints is the hub's when it acknowledged the action, and may also \
        include later actions.
        """),
      .text(
        """
        If the action is for an element that does not exist, a note says so to users who may read the whole state, and \
        whether anything has changed; with --json, missing is the element's path. changed is printed where it is known: \
        also with --diff and --must-change.
        """),
      .text(
        """
        With - as the ACTION, each line of standard input is an action as JSON. They are sent over one session without \
        waiting for each other, and take effect in their order. There is one line of output for each, in the same \
        order; an action that is refused does not stop the others. The exit status is that of the first one that failed. \
        An input without actions is not an error, but a note on standard error says so, because the program that should \
        write them may have failed (see pipefail in bash(1)); an input that cannot be read is one.
        """),
      .code([
        "storectl send counter.incrementButtonTapped", "storectl send todos.addButtonTapped bread",
        "storectl send 'todos.todos[3].completionChanged' true",
        "storectl send todos.moved '{\"id\": 3, \"before\": 0}'",
        "jq -c '{todos: {addButtonTapped: .title}}' list.json | storectl send -",
      ]),
    ])
}

extension Tool {
  /// Refuses an action that the hub could not read, although it has the form of its type.
  static func checkReading(of action: CBORValue, _ schema: Schema) throws(ToolFailure) {
    let bytes = action.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    do throws(WireError) {
      _ = try SchemaValues(asReadByHubs: schema).value(of: schema.action, from: &decoder)
    } catch {
      throw ToolFailure(.failed, "not sent, because the hub could not read the action: \(error.problem)")
    }
  }

  func send() async throws(ToolFailure) {
    let (isDiff, mustChange) = (options.flag("diff"), options.flag("must-change"))
    for option in ["no-wait", "diff", "must-change", "path"] where options.arguments.first == "-" {
      guard options.string(option) == nil else { throw ToolFailure(.usage, "--\(option) is for one action, not for -") }
    }
    guard !options.flag("no-wait") || !isDiff && !mustChange else {
      throw ToolFailure(
        .usage,
        "--\(isDiff ? "diff" : "must-change") is about the effect of an action, for which --no-wait does not wait")
    }
    guard options.string("path") == nil || isDiff || mustChange else {
      throw ToolFailure(.usage, "--path has no effect without --diff or --must-change")
    }
    if options.arguments.first == "-" { return try await sendLines() }
    var hub = try await connect()
    let schema = hub.schema(of: .feature)
    let action: CBORValue
    do throws(ToolFailure) { action = try self.action(schema) } catch { throw await explained(error, schema) }
    let name = options.string("path") ?? ""
    let path = try part(name, in: schema)
    var target = options.flag("no-wait") || !hub.mayReadHub ? nil : TargetElement(of: action, schema)
    var scope: HubConnection.Scope?
    if isDiff || mustChange { scope = try await hub.subscribe(to: path.steps, of: .feature) }
    if let element = target {
      let found = try await subscribe(to: element.path, reconnecting: &hub, keeping: scope != nil)
      if let found, found.mirror.value == nil {
        target?.scope = found
        // Only now is it worth to read the whole state.
        if scope == nil { scope = try await subscribe(to: [], reconnecting: &hub, keeping: false) }
      } else {
        target = nil
      }
    }
    let before = scope?.part(path.rest)?.value
    try Self.checkReading(of: action, schema)
    let sent = try hub.send(action)
    if options.flag("no-wait") { return try await hub.flush() }
    // The hub sends the changes of an action before its outcome, and those of others in between.
    let revision = try await outcome(of: sent, hub)
    let after = scope?.part(path.rest)?.value
    let found = scope.map { _ in differences(schema, path.type, from: before, to: after) }
    if target?.scope?.mirror.value != nil { target = nil }
    report(revision, found, missing: target?.name, ChangeText(schema, palette, width: width, path: name))
    if mustChange, found?.isEmpty == true {
      throw ToolFailure(.unchanged, target == nil ? "nothing changed" : "")
    }
  }

  /// Waits for the outcome of an action, and returns the hub's revision.
  func outcome(of sent: HubConnection.Sent, _ hub: HubConnection) async throws(ToolFailure) -> UInt64 {
    do throws(ToolFailure) {
      let revision = try await hub.outcome(of: sent)
      effect = "the action took effect"
      return revision
    } catch {
      guard [.hubWentAway, .timedOut].contains(error.status) else { throw error }
      throw ToolFailure(error.status, "\(error.reason); the action may have taken effect")
    }
  }

  /// Prints the outcome of an action.
  ///
  /// - Parameters:
  ///   - changes: What has changed; nil if that is unknown.
  ///   - missing: The name of the element for which the action was, if it does not exist.
  private func report(
    _ revision: UInt64, _ changes: [SchemaValues.Difference]?, missing: String?, _ text: ChangeText
  ) {
    let isDiff = options.flag("diff")
    if isJSON {
      var members = [JSONValue.Member("applied", .bool(true)), .init("revision", .integer(revision))]
      if let changes { members.append(.init("changed", .bool(!changes.isEmpty))) }
      if let missing { members.append(.init("missing", .string(missing))) }
      if isDiff, let changes { members.append(.init("changes", .array(changes.map { text.json($0) }))) }
      print(.object(members))
    } else if isDiff, let changes {
      print(changes.isEmpty ? [palette.faint("nothing changed")] : text.text(changes))
    }
    guard let missing else { return }
    switch changes?.isEmpty {
    case true: note("nothing changed: there is no \(missing)")
    case false: note("there is no \(missing); what changed is elsewhere")
    case nil: note("there is no \(missing)")
    }
  }

  /// Subscribes to a part that is only for a check or a note; nil if this user may not read it.
  ///
  /// - Parameter keeping: True if the hub has sent a part that must be kept.
  func subscribe(
    to path: [PathStep], reconnecting hub: inout HubConnection, keeping: Bool
  ) async throws(ToolFailure) -> HubConnection.Scope? {
    do throws(ToolFailure) { return try await hub.subscribe(to: path, of: .feature) } catch {
      // The hub has closed the connection.
      guard error.status == .notPermitted, !keeping else { throw error }
      hub = try await connect()
      return nil
    }
  }

  /// Returns the changes of a part, which may have appeared or disappeared.
  private func differences(
    _ schema: Schema, _ type: SchemaType, from old: CBORValue?, to new: CBORValue?
  ) -> [SchemaValues.Difference] {
    guard old != new else { return [] }
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
      if values.isEmpty, !payload.isEmpty { throw ToolFailure(.unknownName, missing(schema, name, payload)) }
      return try schema.action(path, values)
    } catch let error as ToolFailure {
      throw error
    } catch let error as SchemaNameError {
      throw ToolFailure(error)
    } catch let error as SchemaValueError {
      throw ToolFailure(error)
    } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
  }

  /// Adds the comment of the action to a failure for want of values.
  private func explained(_ failure: ToolFailure, _ schema: Schema) async -> ToolFailure {
    guard failure.status == .unknownName, options.arguments.count == 1,
      let path = try? schema.actionPath(named: options.arguments[0]), schema.payload(ofAction: path)?.isEmpty == false,
      let documentation = try? await connect(isDocumented: true).documentation(of: .feature),
      let text = documentation.text(ofAction: path, in: schema)
    else { return failure }
    return ToolFailure(failure.status, "\(failure.reason); \(SchemaDocumentation.summary(of: text))")
  }

  /// Describes the missing values of an action, or the actions below an incomplete path.
  private func missing(_ schema: Schema, _ name: String, _ payload: [Schema.Payload]) -> String {
    let below = schema.actionCompletions(name.hasSuffix(".") ? name : name + ".").map(\.text)
    if !below.isEmpty { return "'\(name)' is incomplete: it continues with one of \(below.joined(separator: ", "))" }
    let values = SchemaText.values(payload, in: schema)
    return "'\(name)' needs \(payload.count == 1 ? "a value" : "\(payload.count) values"): \(ValueText.safe(values))"
  }
}

/// The element of a collection for which an action is.
private struct TargetElement {
  /// Its name, such as `todos.todos[3]`.
  let name: String
  let path: [PathStep]
  var scope: HubConnection.Scope?

  /// Finds the element by the action's path; nil if it is for none. Most features name the actions of a collection like
  /// the collection.
  init?(of action: CBORValue, _ schema: Schema) {
    guard let steps = schema.parts(ofAction: action)?.path,
      let last = steps.lastIndex(where: { if case .id = $0 { true } else { false } }),
      let name = schema.name(ofAction: Array(steps[...last])), let path = try? schema.path(named: name),
      // No client can look for an element whose id is too long.
      Attach.excess(of: path) == nil
    else { return nil }
    (self.name, self.path) = (name, path)
  }
}
