package import Wire

/// A part of the state that an action can change in place: a field of a shared model.
package struct SharedPart: Hashable, Sendable {
  /// The cases that lead to the action's change.
  package let action: [PathStep]
  /// The path of the part.
  package let path: [PathStep]
  /// The type of the part.
  package let type: SchemaType
}

extension Schema {
  /// The parts of the state for which there is an action with a change.
  ///
  /// An action changes the part with its name. If there is none, as when the model's case and its field have different
  /// names, it changes the only place of the state whose fields are the action's cases.
  /// - Complexity: O(cases in the schema + shared models × places of the state), of which at most 4,096 are visited.
  package var sharedParts: [SharedPart] {
    sharedModels.flatMap { model -> [SharedPart] in
      guard let type = payload(ofAction: model)?.first?.type, let cases = cases(of: type) else { return [] }
      return cases.compactMap { element in
        guard case .named(_, let parts) = element.payload[0].type else { return nil }
        let action = model + [.key(element.key)]
        return path(ofPart: action, parts[0], among: cases).map { SharedPart(action: action, path: $0, type: parts[0]) }
      }
    }
  }

  private func path(ofPart action: [PathStep], _ type: SchemaType, among cases: [Case]) -> [PathStep]? {
    guard let name = name(ofAction: action) else { return nil }
    if let path = try? path(named: name), (try? self.type(at: path)) == type { return path }
    guard let field = cases.first(where: { .key($0.key) == action.last })?.name else { return nil }
    let models = models(with: cases)
    guard models.count == 1, let key = models[0].keys[field] else { return nil }
    return models[0].path + [.key(key)]
  }

  /// The places of structs that have a field for each case, of the type that the case changes.
  private func models(with cases: [Case]) -> [(path: [PathStep], keys: [String: UInt64])] {
    var found: [(path: [PathStep], keys: [String: UInt64])] = []
    var pending: [(type: SchemaType, path: [PathStep])] = [(state, [])]
    var index = 0
    while index < pending.count, index < 4096 {
      let (type, path) = pending[index]
      index += 1
      guard path.count < 8, case .definition(let number) = type, case .fields(let fields) = definitions[number].content
      else { continue }
      let isModel = cases.allSatisfy { element in
        fields.contains { element.name == $0.name && element.payload.map(\.type) == [.named("Change", [$0.type])] }
      }
      if isModel { found.append((path, Dictionary(fields.map { ($0.name, $0.key) }) { first, _ in first })) }
      pending += fields.map { ($0.type, path + [.key($0.key)]) }
    }
    return found
  }

  /// The action that makes one edit of a shared part.
  ///
  /// - Parameters:
  ///   - verb: What is done to the edited part.
  ///   - steps: The steps from the shared part to the edited one.
  /// - Throws: The problem with the edit.
  package func action(
    changing part: SharedPart, _ verb: ChangeEdit.Verb, at steps: some Sequence<PartPath.Step>
  ) throws(SchemaValueError) -> CBORValue {
    try action(changing: part, [(verb, Array(steps))])
  }

  /// The action that makes several edits of a shared part at once.
  ///
  /// - Parameter edits: What is done, and the steps from the shared part to the edited one.
  /// - Throws: The problem with an edit.
  package func action(
    changing part: SharedPart, _ edits: [(verb: ChangeEdit.Verb, steps: [PartPath.Step])]
  ) throws(SchemaValueError) -> CBORValue {
    var tree = ChangeTree(self, part.type)
    for edit in edits { try tree.add(edit.verb, at: edit.steps[...]) }
    var action = try tree.value()
    for step in part.action.reversed() {
      guard case .key(let key) = step else { continue }
      action = .array([.unsigned(key), action])
    }
    let bytes = action.encoded()
    do throws(WireError) {
      try check(bytes, self.action)
      return try unsafe CBORValue(decoding: bytes.span.bytes)
    } catch {
      throw SchemaValueError("", "\(error.problem)")
    }
  }
}
