extension Schema {
  /// The bytes with which every action at or below a path begins, and no other; nil for a path that leads nowhere.
  ///
  /// The encoding is deterministic, so comparing them with an action's first bytes decides, without decoding, whether the
  /// action is one of these. The path is one of `actionPath(named:)`; an empty one stands for all actions.
  public func actionPrefix(of path: [PathStep]) -> [UInt8]? {
    var (type, encoder): (SchemaType?, CBOREncoder) = (action, CBOREncoder())
    for step in path {
      guard let current = type else { return nil }
      switch step {
      case .key(let key):
        guard let element = cases(of: current)?.first(where: { $0.key == key }) else { return nil }
        if !element.payload.isEmpty { encoder.arrayHeader(count: 1 + element.payload.count) }
        encoder.unsigned(key)
        type = element.payload.count == 1 ? element.payload[0].type : nil
      case .id(let id):
        guard let element = elementCase(of: current), (try? check(id, element.payload[0].type)) != nil else {
          return nil
        }
        encoder.arrayHeader(count: 3)
        encoder.unsigned(element.key)
        unsafe encoder.append(id.span.bytes)
        type = element.payload[1].type
      case .window: return nil
      }
    }
    return encoder.bytes
  }

  /// The cases of a type, if it is an enum.
  package func cases(of type: SchemaType) -> [Case]? {
    guard case .definition(let index) = type, case .cases(let cases) = definitions[index].content else { return nil }
    return cases
  }

  /// The case of an enum for an element of a collection: `element(id:action:)`.
  package func elementCase(of type: SchemaType) -> Case? {
    cases(of: type)?.first { element in
      element.name == "element" && element.payload.count == 2 && cases(of: element.payload[1].type) != nil
    }
  }

  /// The case paths of the actions that are changes of a shared model, nearest first; the path is empty if all actions
  /// are.
  ///
  /// Models of elements are not among them.
  /// - Complexity: O(cases in the schema).
  package var sharedModels: [[PathStep]] {
    var (found, pending): ([[PathStep]], [(type: SchemaType, path: [PathStep])]) = ([], [(action, [])])
    var (seen, index): (Set<SchemaType>, Int) = ([], 0)
    while index < pending.count {
      let (type, path) = pending[index]
      index += 1
      guard seen.insert(type).inserted, let cases = cases(of: type) else { continue }
      if isSharedModel(type) { found.append(path) }
      for element in cases where element.payload.count == 1 {
        pending.append((element.payload[0].type, path + [.key(element.key)]))
      }
    }
    return found
  }

  /// Returns true for the action type of a shared model.
  package func isSharedModel(_ type: SchemaType) -> Bool {
    guard let cases = cases(of: type), !cases.isEmpty else { return false }
    return cases.allSatisfy { $0.payload.count == 1 && $0.payload[0].type.isChange }
  }
}

extension SchemaType {
  /// True for the change of a field of a shared model.
  package var isChange: Bool {
    if case .named(let name, let parts) = self { NamedLayout(name, parts.count) == .change } else { false }
  }
}
