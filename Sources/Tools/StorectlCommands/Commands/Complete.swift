internal import EventLoop
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension Tool {
  /// The time for a completion, unless there is a `--timeout`: users do not wait long for one.
  private static let completionTimeout = Duration.milliseconds(500)
  /// The number of bytes of a part after which its ids are not waited for.
  private static let idsByteLimit = 1 << 20

  /// Prints the paths, actions or types that begin with a text.
  func complete(_ value: ProgramOptions.Value, _ beginning: String) -> Int32 {
    let limit = options.string("timeout") == nil ? Self.completionTimeout : timeout
    if value == .user { return completeUsers(beginning) }
    runLoop {
      do throws(ToolFailure) {
        let hub = try HubConnection(
          loop: self.loop, path: self.path, name: "storectl completions", timeout: limit, isWatched: false)
        // For all steps together.
        let timer = try? Timer(on: self.loop) { hub.fail(.timedOut, "") }
        timer?.start(after: limit)
        try await hub.open()
        for word in await self.candidates(value, beginning, hub) { self.output.line(word) }
        timer?.stop()
        await self.output.finish()
      } catch {
        // Nothing to offer.
      }
    }
    return 0
  }

  private func candidates(
    _ value: ProgramOptions.Value, _ beginning: String, _ hub: HubConnection
  ) async -> [String] {
    let schema = hub.schema(of: value == .action ? .feature : root)
    let isEdit = ["set", "insert", "remove", "move"].contains(options.command)
    var wanted: [PathStep]?
    var ids: [String] = []
    func paths(_ beginning: String) -> [NameCompletion] {
      schema.pathCompletions(beginning) { path in
        wanted = path
        return ids
      }
    }
    if value == .path, !isEdit, let view = RootedPath.viewPath(in: beginning) {
      guard let views = try? await hub.views() else { return [] }
      return views.pathCompletions(view) { _ in [] }.map { RootedPath.viewPrefix + $0.text + ($0.isWhole ? " " : "") }
    }
    func offered() -> [NameCompletion] {
      switch value {
      case .path: isEdit ? paths(beginning).filter { schema.canLeadToSharedPart($0.text) } : paths(beginning)
      case .predicate: predicates(beginning, schema, paths)
      case .action:
        schema.actionCompletions(beginning) { path in
          // Most features name the actions of a collection like the collection.
          wanted = schema.name(ofAction: path).flatMap { try? schema.path(named: $0) }
          return ids
        }
      default:
        schema.definitions.map(\.name).filter { $0.hasPrefix(beginning) }.map {
          NameCompletion(text: $0, isWhole: true)
        }
      }
    }
    var found = offered()
    if let path = wanted {
      ids = await self.ids(at: path, schema, hub)
      if !ids.isEmpty { found = offered() }
    }
    return found.map { $0.isWhole ? $0.text + " " : $0.text }
  }

  /// Returns the next words of a predicate: a path, a comparison or a value.
  private func predicates(
    _ beginning: String, _ schema: Schema, _ paths: (String) -> [NameCompletion]
  ) -> [NameCompletion] {
    guard let first = options.arguments.first else {
      guard beginning.hasPrefix("!") else { return paths(beginning) }
      return paths(String(beginning.dropFirst())).map { NameCompletion(text: "!\($0.text)", isWhole: $0.isWhole) }
    }
    let words: [String]
    if options.arguments.count == 1 {
      words = first.hasPrefix("!") ? [] : Predicate.Comparison.allCases.map(\.rawValue)
    } else {
      let type = (try? schema.part(named: first))?.type
      words = options.arguments.count == 2 ? type.map { schema.words(of: $0) } ?? [] : []
    }
    return words.filter { $0.hasPrefix(beginning) }.map { NameCompletion(text: $0, isWhole: true) }
  }

  /// Prints the names of the accounts of people and of this machine's services that begin with a text.
  private func completeUsers(_ beginning: String) -> Int32 {
    for name in Users.all() where name.hasPrefix(beginning) { output.line(name + " ") }
    runLoop { await self.output.finish() }
    return 0
  }

  /// Returns the ids of the first elements of a part; none if the part is large, or does not arrive in time.
  private func ids(at path: [PathStep], _ schema: Schema, _ hub: HubConnection) async -> [String] {
    let scope = hub.follow(path, of: root, onChange: {})
    do throws(ToolFailure) {
      try await hub.wait { scope.mirror.revision != nil || hub.loadedByteCount > Self.idsByteLimit }
    } catch {
      return []
    }
    // A large part may also arrive within one turn of the loop.
    guard let value = scope.mirror.value, value.encoded().count <= Self.idsByteLimit,
      let type = scope.mirror.type?.type
    else { return [] }
    return (SchemaValues(schema).parts(of: value, as: type) ?? []).prefix(200).map(\.name)
  }
}

extension Schema {
  /// Returns true if a text is the beginning of a path to a part that actions can change, or leads further.
  fileprivate func canLeadToSharedPart(_ text: String) -> Bool {
    sharedParts.contains { part in
      guard let name = try? self.name(of: part.path) else { return false }
      return name.hasPrefix(text) || text.hasPrefix(name)
    }
  }

  /// The values of a type that are written as single words.
  fileprivate func words(of type: SchemaType) -> [String] {
    switch type {
    case .named("Optional", let parts) where parts.count == 1: words(of: parts[0]) + ["nil"]
    case .named("Bool", _): ["false", "true"]
    case .definition(let index):
      if case .cases(let cases) = definitions[index].content {
        cases.filter(\.payload.isEmpty).map(\.name)
      } else {
        []
      }
    case .named: []
    }
  }
}
