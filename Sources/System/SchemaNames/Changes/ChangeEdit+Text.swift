internal import JSONText
package import Wire

extension Schema {
  /// The change of a shared model that an action is, in words: `set syncUps[3].title = "x"`; nil for another action.
  ///
  /// - Parameters:
  ///   - values: The values of the action.
  ///   - name: The action's name, which is the path of the changed part.
  ///   - limit: The maximum number of edits; the rest are counted.
  ///   - valueText: The text of a value; as JSON if nil.
  /// - Complexity: O(size of the change).
  package func changeText(
    of values: [ActionParts.Value], name: String, limit: Int = .max,
    _ valueText: ((CBORValue, SchemaType) -> String)? = nil
  ) -> String? {
    guard values.count == 1, case .named(_, let parts) = values[0].payload.type, values[0].payload.type.isChange,
      let edits = SchemaValues(self).edits(of: values[0].value, as: parts[0])
    else { return nil }
    guard !edits.isEmpty else { return "change nothing in \(name)" }
    let valueText = valueText ?? { "\(SchemaJSON(self).json(of: $0, as: $1))" }
    let texts = edits.prefix(limit).map { text(of: $0, in: name, valueText) }
    return (texts + (edits.count > limit ? ["and \(edits.count - limit) more"] : [])).joined(separator: "; ")
  }

  private func text(of edit: ChangeEdit, in root: String, _ value: (CBORValue, SchemaType) -> String) -> String {
    let isSuffix = edit.path.isEmpty || edit.path.hasPrefix("[") || edit.path.hasPrefix("?")
    let path = isSuffix ? root + edit.path : "\(root).\(edit.path)"
    func list(_ items: [CBORValue], _ type: SchemaType) -> String {
      items.map { value($0, type) }.joined(separator: ", ")
    }
    switch edit.verb {
    case .set(let new): return "set \(path) = \(value(new, edit.type))"
    case .add(let amount): return "add \(value(amount, .named("Int128"))) to \(path)"
    case .append(let elements): return "append \(list(elements, edit.itemType)) to \(path)"
    case .remove(let items):
      guard edit.layout != .set else { return "remove \(list(items, edit.keyType)) from \(path)" }
      return "remove " + items.map { path + id($0, edit) }.joined(separator: ", ")
    case .insertMembers(let members): return "insert \(list(members, edit.keyType)) into \(path)"
    case .insertPairs(let pairs):
      let texts = pairs.map { "\(path)\(id($0.key, edit)) = \(value($0.value, edit.itemType))" }
      return "insert " + texts.joined(separator: ", ")
    case .insert(let element, let place):
      let type = ElementType(edit.type, in: self)
      let name = type.id(of: element).map { path + id($0.value, edit) } ?? "into \(path)"
      var content = element
      if type.isInStack, case .array(let pair) = element, pair.count == 2 { content = pair[1] }
      return "insert \(name) \(text(of: place, "at", edit)): \(value(content, type.element))"
    case .move(let item, let place): return "move \(path)\(id(item, edit)) \(text(of: place, "to", edit))"
    }
  }

  private func id(_ id: CBORValue, _ edit: ChangeEdit) -> String {
    text(ofID: id.encoded(), edit.keyType, isInStack: edit.layout == .stack)
  }

  private func text(of place: ChangeEdit.Place, _ preposition: String, _ edit: ChangeEdit) -> String {
    switch place.anchor {
    case .start: "\(preposition) the start"
    case .end: "\(preposition) the end"
    case .after(let id): "after \(self.id(id, edit))"
    }
  }
}

extension ChangeEdit {
  fileprivate var layout: NamedLayout? {
    if case .named(let name, let parts) = type { NamedLayout(name, parts.count) } else { nil }
  }
}
