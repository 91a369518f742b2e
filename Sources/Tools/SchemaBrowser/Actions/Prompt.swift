internal import JSONText
internal import SchemaNames
package import Wire

/// A place of the state that can hold an alert or a dialog, and the actions of its buttons.
package struct PromptPlace: Equatable, Sendable {
  /// The path of the part in users' notation.
  package let path: String
  /// The type: an `AlertState` or a `ConfirmationDialogState`.
  package let type: SchemaType
  /// The cases that lead to the action of a button.
  package let actionPath: [PathStep]
  /// The action that dismisses the prompt; nil if there is none.
  package let dismissal: [PathStep]?

  /// All actions of the place begin with these cases.
  var allActions: [PathStep] { dismissal.map { $0.dropLast() } ?? actionPath }

  /// True for a type whose values are prompts, which are shown as dialogs and not as parts.
  static func holds(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = FieldRank.unwrapped(type) else { return false }
    switch NamedLayout(name, parts.count) {
    case .alert, .dialog: return true
    default: return false
    }
  }
}

/// An alert or a dialog of the shared state.
package struct Prompt: Equatable, Sendable {
  /// The path of its part.
  package let path: String
  package let title: String
  package let message: String?
  package let buttons: [Button]

  /// A button, with the action that it sends.
  package struct Button: Equatable, Sendable {
    package let label: String
    package let isDestructive: Bool
    package let isCancel: Bool
    /// The action; nil if the feature has none for it.
    package let action: CBORValue?
  }

  /// The action that dismisses it without a choice; nil if the feature has none.
  package let dismissal: CBORValue?

  /// Reads a prompt; nil for a value of another form.
  package init?(_ value: CBORValue, at place: PromptPlace, in schema: Schema) {
    guard case .named(_, let parts) = place.type, parts.count == 1,
      case .object(let members) = SchemaJSON(schema).json(of: value, as: place.type),
      members.contains(where: { $0.name == "title" }), case .array(let items) = value,
      case .array(let buttons)? = items.last
    else { return nil }
    let json = JSONValue.object(members)
    path = place.path
    title = ReadableValue.plainText(json["title"] ?? "")
    let message = ReadableValue.plainText(json["message"] ?? "")
    self.message = message.isEmpty ? nil : message
    dismissal = place.dismissal.map { schema.wrapped(nil, in: $0) }
    let labels: [JSONValue] = if case .array(let items)? = json["buttons"] { items } else { [] }
    var made: [Button] = []
    for (button, label) in zip(buttons, labels) {
      guard case .array(let parts) = button, parts.count == 3 else { return nil }
      let action: CBORValue? =
        if case .array(let wrapped) = parts[1], wrapped.count == 1 {
          schema.wrapped(wrapped[0], in: place.actionPath)
        } else {
          dismissal
        }
      made.append(
        Button(
          label: ReadableValue.plainText(label["label"] ?? ""), isDestructive: label["role"] == "destructive",
          isCancel: label["role"] == "cancel", action: action))
    }
    // As on other platforms, a prompt without buttons has one that only dismisses it.
    if made.isEmpty { made = [Button(label: "OK", isDestructive: false, isCancel: true, action: dismissal)] }
    self.buttons = made
  }
}

extension Schema {
  /// The places of alerts and dialogs that a fixed path leads to, with the actions of the same names and of the type that
  /// their buttons have. A prompt without such an action is not shown: the bytes of its buttons would mean another one.
  var promptPlaces: [PromptPlace] {
    var found: [PromptPlace] = []
    visitPlaces { path, _, _, type in
      guard PromptPlace.holds(type), case .named(_, let parts) = type, parts.count == 1,
        let (action, dismissal) = promptActions(path, of: parts[0])
      else { return }
      found.append(PromptPlace(path: path, type: type, actionPath: action, dismissal: dismissal))
    }
    return found
  }

  /// The cases for the buttons of a prompt.
  private func promptActions(
    _ path: String, of buttonAction: SchemaType
  ) -> (action: [PathStep], dismissal: [PathStep]?)? {
    guard let place = actionPlace(of: path), place.type == buttonAction else { return nil }
    return (place.path, place.dismissal)
  }

  /// The cases that lead to the actions of a part, with the type of these, and the action that dismisses the part if it is
  /// presented: most features name their actions like the parts of the state.
  func actionPlace(of path: String) -> (path: [PathStep], type: SchemaType, dismissal: [PathStep]?)? {
    guard let steps = (try? part(named: path))?.steps else { return nil }
    var place = SchemaPlace(in: self, state, name: "the state")
    var (type, action, dismissal): (SchemaType, [PathStep], [PathStep]?) = (self.action, [], nil)
    for step in steps {
      let isOptional = FieldRank.unwrapped(place.type) != place.type && step == .key(0)
      let definition = isOptional ? nil : place.definition
      guard (try? place.take(step)) != nil else { return nil }
      guard let definition, let name = Self.name(of: step, in: definition) else { continue }
      // What dismisses the part around a field does not dismiss the field; the cases of an enum are what is presented.
      if case .fields = definition.content { dismissal = nil }
      guard let item = cases(of: type)?.first(where: { $0.name == name }), item.payload.count == 1 else { return nil }
      action.append(.key(item.key))
      type = item.payload[0].type
      if let presented = presentedCase(of: type) {
        dismissal = action + [.key(0)]
        action.append(.key(presented.key))
        type = presented.payload[0].type
      }
    }
    return (action, type, dismissal)
  }

  private static func name(of step: PathStep, in definition: Definition) -> String? {
    guard case .key(let key) = step else { return nil }
    switch definition.content {
    case .fields(let fields): return fields.first { $0.key == key }?.name
    case .cases(let cases): return cases.first { $0.key == key }?.name
    }
  }

  /// The case of a `PresentationAction` for the actions of what is presented; nil for other types.
  private func presentedCase(of type: SchemaType) -> Case? {
    guard let cases = cases(of: type), cases.map(\.name) == ["dismiss", "presented"], cases[0].payload.isEmpty else {
      return nil
    }
    return cases[1]
  }

  /// An action inside the cases of a path; without one, the last case is the action.
  func wrapped(_ action: CBORValue?, in path: [PathStep]) -> CBORValue {
    var made = action
    for step in path.reversed() {
      guard case .key(let key) = step else { continue }
      made = made.map { .array([.unsigned(key), $0]) } ?? .unsigned(key)
    }
    return made ?? .null
  }
}
