internal import SchemaNames
internal import Wire

// The documentation comments of fields and cases, as help.

extension HubDescription {
  /// The first paragraph of the comment of a field of a form, or of the chosen case of an enum; empty if there is none.
  package func help(ofFieldAt place: [Int], in draft: Draft) -> String {
    guard let first = place.first, draft.fields.indices.contains(first) else { return "" }
    return help(of: draft.fields[first], place.dropFirst(), own: "")
  }

  private func help(of node: FieldNode, _ place: ArraySlice<Int>, own: String) -> String {
    guard let index = place.first else {
      guard case .choice(let names, let chosen, _) = node.content, names.indices.contains(chosen) else { return own }
      let help = help(ofMember: names[chosen], of: node.type)
      return help.isEmpty ? own : help
    }
    let rest = place.dropFirst()
    switch node.content {
    case .fields(let names, let nodes) where nodes.indices.contains(index):
      return help(of: nodes[index], rest, own: help(ofMember: names[index], of: node.type))
    case .choice(_, _, let values) where values.indices.contains(index): return help(of: values[index], rest, own: "")
    case .optional(_, _, let inner): return help(of: inner, rest, own: own)
    default: return own
    }
  }

  /// The first paragraph of the comment of a field or a case by its name; empty if there is none.
  func help(ofMember name: String, of type: SchemaType) -> String {
    guard case .definition(let index) = FieldRank.unwrapped(type) else { return "" }
    let key: UInt64? =
      switch schema.definitions[index].content {
      case .fields(let fields): fields.first { $0.name == name }?.key
      case .cases(let cases): cases.first { $0.name == name }?.key
      }
    guard let text = key.flatMap({ documentation.text(ofMember: $0, of: index) }) else { return "" }
    return ReadableValue.safe(SchemaDocumentation.summary(of: text))
  }
}

extension Browser.State {
  /// The comment of the selected field of the open page, as help; empty if there is none.
  package var selectionHelp: String {
    guard let hub, let page, past == nil, tab.path != nil, let selected = selectedRow,
      let part = try? hub.schema.part(named: page.path), case .definition(let index) = FieldRank.unwrapped(part.type),
      case .fields(let fields) = hub.schema.definitions[index].content,
      let field = fields.first(where: { NameText.name($0.name) == selected })
    else { return "" }
    return hub.help(ofMember: field.name, of: part.type)
  }
}
