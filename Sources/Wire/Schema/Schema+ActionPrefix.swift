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
}
