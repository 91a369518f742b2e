internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension Tool {
  /// Subscribes to a part. Its path may name an element by an id that equals the element's in other bytes.
  func scope(
    of path: PartPath, in root: StateRoot, on hub: HubConnection
  ) async throws(ToolFailure) -> HubConnection.Scope {
    let scope = try await hub.subscribe(to: path.steps, of: root)
    guard scope.mirror.value == nil, root == .feature, hub.mayReadHub else { return scope }
    let stored = try await storedPath(path.steps) { (steps) async throws(ToolFailure) in
      try await hub.subscribe(to: steps, of: root)
    }
    guard let stored else { return scope }
    return try await hub.subscribe(to: stored, of: root)
  }

  /// The path with the ids that the elements on it have; nil if there is no other such path, or this user may not know.
  ///
  /// A hub finds an element for a change by an equal id, but for a subscription only by an id with the same bytes.
  /// - Parameters:
  ///   - path: A path at which the hub has no value.
  ///   - read: Subscribes to a part; nil if this user may not read it.
  func storedPath(
    _ path: [PathStep], read: ([PathStep]) async throws(ToolFailure) -> HubConnection.Scope?
  ) async throws(ToolFailure) -> [PathStep]? {
    guard let first = path.firstIndex(where: \.mayHaveOtherForms),
      let scope = try await read(Array(path[..<first])), let value = scope.mirror.value,
      let (schema, type) = scope.mirror.type,
      let found = SchemaValues(schema).storedPath(Array(path[first...]), in: value, as: type)
    else { return nil }
    return path[..<first] + found
  }
}

extension PathStep {
  /// True for a step to an element whose id may have other bytes.
  var mayHaveOtherForms: Bool {
    guard case .id(let bytes) = self, let id = try? CBORValue(decoding: bytes.span.bytes) else { return false }
    return ElementID(id).mayHaveOtherForms
  }
}
