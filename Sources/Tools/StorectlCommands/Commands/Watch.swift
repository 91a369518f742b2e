internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let watch = Self(
    "watch", "print the state, or the part at a path, each time it changes", arguments: [.path],
    options: [
      .init("diff", short: "d", "print the changes instead of whole values"),
      .init("value-only", "print the values and nothing else: no revisions, and null or an empty line for no value"),
      .init("count", short: "n", argument: "N", "end after N values, including the current one"), .reconnect, .hub,
    ],
    details: [
      .text(
        """
        Prints the current value first. Each further one is the state after one turn of the hub, which may have applied \
        several actions. If the output is read slowly, values are skipped, but never the last one. Ends when the hub \
        closes the connection, and prints the reason, or with SIGINT. With --json the last line has the reason.
        """),
      .text(
        """
        With --reconnect, it waits for a hub that is not there, and after the loss of the connection for its return, and \
        then prints what has changed since. A note says why the connection was lost.
        """),
      .code(["storectl watch --reconnect --value-only counter.count | while read -r count; do ...; done"]),
    ])
}

extension ProgramOptions.Option {
  nonisolated static let reconnect = Self(
    "reconnect", "wait for a hub that is not there or closes the connection, instead of ending")
}

extension Tool {
  func watch() async throws(ToolFailure) {
    guard !options.flag("diff") || !options.flag("value-only") else {
      throw ToolFailure(.usage, "--diff prints changes and --value-only values; use one of them")
    }
    let name = options.arguments.first ?? ""
    var printer: ChangePrinter?
    let count = options.string("count").flatMap { Int($0) }
    var seen = 0
    try await retrying { [self] (hub) async throws(ToolFailure) in
      let (root, path) = try await place(name, on: hub)
      if printer?.schema != path.schema { printer = ChangePrinter(self, path) }
      var scope: HubConnection.Scope?
      let show = {
        guard let scope, let revision = scope.mirror.revision, hub.failure == nil else { return }
        guard printer?.print(scope.part(path.rest)?.value, at: revision) == true else { return }
        seen += 1
        if seen == count { hub.fail(.done, "") }
      }
      // Pauses reading while the output is blocked; the hub then sends one delta for many.
      output.onFull = { hub.pause($0) }
      scope = try await hub.subscribe(to: path.steps, of: root, onChange: show)
      show()
      throw await hub.waitForFailure()
    } onLoss: { [self] reason in
      if isJSON, !options.flag("value-only") { print(["event": "disconnected", "reason": .string(reason)]) }
    }
  }

  /// Works with a hub until a failure; with `--reconnect`, again after the loss of the connection.
  ///
  /// - Parameters:
  ///   - onLoss: Called with the reason for each loss of the connection after which the hub is waited for.
  ///   - isOver: Returns true if the time for that is over.
  func retrying(
    _ body: (HubConnection) async throws(ToolFailure) -> Void, onLoss: (String) -> Void = { _ in },
    isOver: () -> Bool = { false }
  ) async throws(ToolFailure) {
    var wait = Duration.milliseconds(100)
    var isLost = false
    while true {
      do throws(ToolFailure) {
        let hub = try await connect(isWatched: true)
        (wait, isLost) = (.milliseconds(100), false)
        return try await body(hub)
      } catch {
        if error.status == .done { return }
        guard options.flag("reconnect"), [.unreachable, .hubWentAway, .timedOut].contains(error.status),
          !isEnding, !isOver()
        else {
          if options.command == "watch", isJSON, !options.flag("value-only") {
            print(["event": "end", "reason": .string(error.reason), "status": .integer(error.status.rawValue)])
          }
          throw error
        }
        // Once for each loss, and not for each attempt.
        if !isLost {
          note("\(error.reason); waiting for the hub")
          onLoss(error.reason)
        }
        isLost = true
      }
      try await pause(wait)
      if isOver() { throw ToolFailure(.timedOut, "") }
      wait = min(wait * 2, .seconds(2))
    }
  }
}

/// Prints successive values of a part, as a whole or as differences.
final class ChangePrinter {
  private let tool: Tool
  let schema: Schema
  private let type: SchemaType
  private let changes: ChangeText
  private let (isDiff, isValueOnly): (Bool, Bool)
  private var last: (value: CBORValue?, revision: UInt64)?

  init(_ tool: Tool, _ path: PartPath) {
    (self.tool, schema, type) = (tool, path.schema, path.type)
    (isDiff, isValueOnly) = (tool.options.flag("diff"), tool.options.flag("value-only"))
    changes = ChangeText(schema, tool.palette, width: tool.width, path: tool.options.arguments.first ?? "")
  }

  /// Prints a value that differs from the last one, or is the first, and returns true if it has.
  func print(_ value: CBORValue?, at revision: UInt64) -> Bool {
    // The first value may be reported again, and a part within a value is reported with every change of that.
    if let last, last.value == value { return false }
    let old = last
    last = (value, revision)
    if tool.isJSON { tool.print(json(value, after: old, at: revision)) } else { text(value, after: old, at: revision) }
    return true
  }

  private func json(
    _ value: CBORValue?, after old: (value: CBORValue?, revision: UInt64)?, at revision: UInt64
  ) -> JSONValue {
    let json = value.map { SchemaJSON(schema).json(of: $0, as: type) }
    if isValueOnly { return json ?? .null }
    guard let json else { return ["event": "absent", "revision": .integer(revision)] }
    guard isDiff, let before = old?.value, let value else {
      return ["event": "value", "revision": .integer(revision), "value": json]
    }
    let found = SchemaValues(schema).differences(from: before, to: value, as: type)
    return [
      "event": "change", "revision": .integer(revision), "from": .integer(old?.revision ?? 0),
      "changes": .array(found.map { changes.json($0) }),
    ]
  }

  private func text(_ value: CBORValue?, after old: (value: CBORValue?, revision: UInt64)?, at revision: UInt64) {
    if !isValueOnly { tool.output.line(tool.palette.faint("── revision \(revision)")) }
    let lines: [String]
    if let value, isDiff, let before = old?.value {
      lines = changes.text(SchemaValues(schema).differences(from: before, to: value, as: type))
    } else if let value {
      lines = ValueText(schema, tool.palette, width: tool.width).lines(value, type)
    } else {
      lines = [isValueOnly ? "" : "nothing is there"]
    }
    for line in lines { tool.output.line(line) }
  }
}
