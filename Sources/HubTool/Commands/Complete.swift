internal import ProgramOptions
internal import ReplicaCore
internal import Wire

extension Tool {
  /// Prints the paths, actions or types that begin with a text.
  func complete(_ value: ProgramOptions.Value, _ beginning: String) -> Int32 {
    runLoop {
      do throws(ToolFailure) {
        let hub = try await self.connect()
        for word in try await self.candidates(value, beginning, hub) { self.output.line(word) }
        await self.output.finish()
      } catch {
        // Nothing to offer.
      }
    }
    return 0
  }

  private func candidates(
    _ value: ProgramOptions.Value, _ beginning: String, _ hub: HubConnection
  ) async throws(ToolFailure) -> [String] {
    let schema = hub.schema(of: value == .action ? .feature : root)
    var wanted: [PathStep]?
    var ids: [String] = []
    func offered() -> [NameCompletion] {
      switch value {
      case .path:
        schema.pathCompletions(beginning) { path in
          wanted = path
          return ids
        }
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
      let mirror = try await hub.subscribe(to: path, of: root).mirror
      if let value = mirror.value, let type = mirror.type?.type {
        ids = (SchemaValues(schema).parts(of: value, as: type) ?? []).prefix(200).map(\.name)
        found = offered()
      }
    }
    return found.map { $0.isWhole ? $0.text + " " : $0.text }
  }
}
