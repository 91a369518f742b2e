internal import SchemaNames
internal import Wire

/// A change of one line of a form.
package enum FieldChange: Equatable, Sendable {
  /// Another text.
  case text(String)
  /// Another case of an enum, by its index.
  case chosen(Int)
  /// A value that is on or off; an optional that has a value or none.
  case isOn(Bool)
}

extension Browser.State {
  mutating func change(_ place: [Int], _ change: FieldChange) {
    // Also while an action is on its way: if it is refused, what was typed meanwhile is in the form.
    guard case .form(var form)? = overlay, let schema = hub?.schema else { return }
    form.error = nil
    form.draft.change(at: place) { node in
      switch (node.content, change) {
      case (.line, .text(let text)): node.content = .line(text)
      case (.json, .text(let text)): node.content = .json(text)
      case (.choice(_, let chosen, _), .chosen(let index)): node.step(by: index - chosen, in: schema)
      case (.toggle(let isOn), .isOn(let wanted)) where isOn != wanted: node.step(by: 1, in: schema)
      case (.optional(let isOn, _, _), .isOn(let wanted)) where isOn != wanted: node.step(by: 1, in: schema)
      // A line without text is an absent value.
      case (.optional(_, let isDefault, var inner), .text(let text)):
        inner.content = .line(text)
        node.content = .optional(isOn: !text.isEmpty, isDefault: isDefault, inner)
      default: break
      }
    }
    overlay = .form(form)
  }

  /// Completes a line by the ids of the elements that it may mean.
  mutating func completeField(_ place: [Int]) {
    guard case .form(let form)? = overlay, let schema = hub?.schema,
      let line = form.draft.lines.first(where: { $0.place == place }), let text = line.entry
    else { return }
    let ids = idTexts(of: FieldRank.unwrapped(line.type), schema).filter { $0.hasPrefix(text) }
    guard let common = ids.commonPrefix, common != text else {
      say(ids.isEmpty ? "nothing completes this" : ids.prefix(20).joined(separator: "  "))
      return
    }
    change(place, .text(common))
  }

  /// The ids of a type in the collections that are here.
  private func idTexts(of type: SchemaType, _ schema: Schema) -> [String] {
    schema.collections.filter { $0.idType == type }.flatMap { collection in
      elements(at: collection.path, limit: 500).map { PageRow.key($0.name) }
    }
  }

  mutating func submitForm() -> Outgoing? {
    guard case .form(var form)? = overlay, form.pending == nil else { return nil }
    if let reason = missingPresentation(of: form) {
      form.error = FieldError(place: [], reason: reason)
      overlay = .form(form)
      return nil
    }
    return submit(form.draft)
  }
}
