internal import EventLoop
internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let wait = Self(
    "wait", "wait until the state satisfies a predicate",
    arguments: [.init("PREDICATE", .anyNumber, value: .predicate)], options: [.reconnect, .hub],
    details: [
      .text(
        """
        Ends with 0 as soon as the predicate is true, which it may be already, and with --json prints the revision. \
        --timeout is the longest time to wait, in place of the time for one answer: without it, the wait has no end; \
        after it, the status is 6. Only the part that the predicate names is read.
        """), .predicate,
      .code([
        "storectl wait 'counter.count >= 10'", "storectl wait --timeout 30s --reconnect 'todos.todos.count > 0'",
        "storectl wait --hub 'attendees.count > 1'",
      ]),
    ])
}

extension Tool {
  /// Runs `wait PREDICATE`.
  func wait() async throws(ToolFailure) {
    let text = options.arguments.joined(separator: " ")
    let limit = options.string("timeout") == nil ? nil : timeout
    var hasTimedOut = false
    var timer: Timer?
    let end = { [self] in
      hasTimedOut = true
      endSession(.timedOut)
      // It may also wait for its hub.
      onInterrupt?()
    }
    if let limit {
      timer = try? Timer(on: loop, end)
      timer?.start(after: limit)
    }
    defer { timer?.stop() }
    do throws(ToolFailure) {
      try await retrying { [self] (hub) async throws(ToolFailure) in
        let (root, schema, condition) = try await subject(of: text, on: hub)
        let predicate = try Predicate(condition, in: schema, isOfView: root == .views)
        guard let path = predicate.path else { preconditionFailure("the path is one of the only schema") }
        var scope: HubConnection.Scope?
        let check = {
          guard let scope, scope.mirror.revision != nil, hub.failure == nil else { return }
          if predicate.holds(scope.part(path.rest), schema) { hub.fail(.done, "") }
        }
        scope = try await hub.subscribe(to: path.steps, of: root, onChange: check)
        check()
        let failure = await hub.waitForFailure()
        guard failure.status == .done else { throw failure }
        if isJSON { print(["revision": .integer(scope?.mirror.revision ?? 0)]) }
      } isOver: {
        hasTimedOut
      }
    } catch {
      guard hasTimedOut, error.status == .timedOut else { throw error }
      throw ToolFailure(.timedOut, "'\(text)' was not true within \(options.string("timeout") ?? "")")
    }
  }

  /// Finds the state that a predicate is about, and returns the predicate without `view:`.
  private func subject(
    of predicate: String, on hub: HubConnection
  ) async throws(ToolFailure) -> (root: StateRoot, schema: Schema, predicate: String) {
    let negation = predicate.hasPrefix("!") ? "!" : ""
    let text = String(predicate.dropFirst(negation.count))
    guard let view = RootedPath.viewPath(in: text) else { return (root, hub.schema(of: root), predicate) }
    return (.views, try await views(of: hub, for: text), negation + view)
  }
}
