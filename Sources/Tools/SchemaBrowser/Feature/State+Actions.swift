internal import SchemaNames
internal import Wire

// The actions that a user can give here, and how they are sent.

extension Browser.State {
  /// The element that the open page or its selection is about: the collection's path, and the element's name.
  package var element: (collection: String, name: String)? {
    guard let page, tab.path != nil, let schema = hub?.schema else { return nil }
    if isTable { return selectedRow.map { (page.path, $0) } }
    // On the page of an element, or of a part of it.
    guard let end = page.path.lastIndex(of: "]"),
      let collection = schema.collectionName(ofElementNamed: String(page.path[...end]))
    else { return nil }
    return (collection, String(page.path[...end].dropFirst(collection.count)))
  }

  /// The actions of the palette: those for the element here, those of the open tab, then the others; within these, those
  /// that users send before those that features send to themselves.
  package var choices: [Palette.Choice] {
    guard let hub, past == nil else { return [] }
    let (element, tab) = (element, tab.id)
    let dismissal = page.flatMap { page in
      hub.presentations.last { page.path == $0.path || page.path.hasPrefix("\($0.path).") }?.dismissal
    }
    var ranked: [(rank: Int, offset: Int, choice: Palette.Choice)] = []
    for (offset, entry) in offeredActions.enumerated() {
      let later = entry.isInternal ? 10 : 0
      let isOfTab = entry.name.split(separator: ".").first.map(String.init) == tab
      let isOwn = element != nil && entry.collection == element?.collection
      if isOwn {
        ranked.append((later, offset, Palette.Choice(entry, element: element?.name)))
        continue
      }
      // Without an element, brackets cannot be filled in.
      if case .brackets = entry.target { continue }
      // On the page of what is presented, what dismisses it comes first.
      let rank = dismissal == entry.path ? -1 : isOfTab ? 1 : 2
      ranked.append((later + rank, offset, Palette.Choice(entry)))
    }
    return ranked.sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.choice)
  }

  /// The actions that the configuration does not hide, and this user has not been refused.
  var offeredActions: [ActionEntry] {
    (hub?.actions ?? []).filter { entry in
      !configuration.isHidden(entry.name)
        && !refusedActions.contains { $0 == entry.name || $0.hasPrefix("\(entry.name).") }
    }
  }

  /// The reason why nothing can be sent; nil if it can.
  package var sendingRefusal: String? {
    if past != nil { return "this is the past; Esc returns to the present" }
    switch link {
    case .live: return nil
    case .connecting: return "the hub is not connected yet"
    case .away: return "the hub is away"
    }
  }

  // MARK: Making actions

  /// Begins an action: opens the form for its values, or sends it.
  mutating func begin(_ choice: Palette.Choice) -> Outgoing? {
    guard let schema = hub?.schema else { return nil }
    return begin(Draft(choice.entry, element: choice.element, in: schema))
  }

  mutating func begin(_ draft: Draft) -> Outgoing? {
    // A form can be filled in while the hub is away: what is typed next is for it, and not for the page.
    guard draft.lines.isEmpty else {
      overlay = .form(ActionForm(draft))
      return nil
    }
    if let refusal = sendingRefusal {
      // What is open stays, and with it the meaning of the keys that follow.
      say(refusal, isBad: true)
      return nil
    }
    overlay = nil
    return submit(draft)
  }

  /// Makes and sends an action. A mistake is shown in its form, or as a notice.
  mutating func submit(_ draft: Draft) -> Outgoing? {
    guard let schema = hub?.schema else { return nil }
    do throws(FieldError) {
      if let reason = sendingRefusal ?? missingElement(of: draft) { throw FieldError(place: [], reason: reason) }
      return send(try draft.action(in: schema))
    } catch {
      if case .form(var form)? = overlay {
        form.error = error
        overlay = .form(form)
      } else {
        say(error.reason, isBad: true)
      }
      return nil
    }
  }

  /// The reason why a draft is for nothing: its element was removed meanwhile.
  private func missingElement(of draft: Draft) -> String? {
    guard case .action(let entry, let element?) = draft.kind, let collection = entry.collection,
      case .absent = found(at: collection + element)
    else { return nil }
    return "\(collection)\(element) was removed meanwhile"
  }

  /// Sends an action, and keeps it among the last ten.
  mutating func send(_ action: CBORValue) -> Outgoing? {
    if let refusal = sendingRefusal {
      say(refusal, isBad: true)
      return nil
    }
    guard let schema = hub?.schema else { return nil }
    lastNumber += 1
    let sent = SentAction(action: action, text: ReadableValue.safe(schema.text(ofAction: action), limit: 200))
    pending[lastNumber] = sent
    recent.removeAll { $0.action == action }
    recent.insert(sent, at: 0)
    if recent.count > 10 { recent.removeLast() }
    if case .form(var form)? = overlay {
      form.pending = lastNumber
      form.error = nil
      overlay = .form(form)
    }
    return Outgoing(number: lastNumber, action: action)
  }

  /// True if a single key may send something now; otherwise the user is told why not.
  mutating func acceptsSendingKeys() -> Bool {
    guard now >= quietUntil else {
      say("the screen has just changed; press the key again", isBad: true)
      return false
    }
    return true
  }

  mutating func repeatLast() -> Outgoing? {
    guard let last = recent.first, acceptsSendingKeys() else { return nil }
    return send(last.action)
  }

  mutating func repeatRecent(_ index: Int) -> Outgoing? {
    guard overlay == .recent, recent.indices.contains(index) else { return nil }
    overlay = nil
    return send(recent[index].action)
  }

  /// Handles a key that the configuration binds to an action.
  mutating func bound(_ character: Character) -> Outgoing? {
    guard let name = configuration.keys[character] else { return nil }
    guard acceptsSendingKeys() else { return nil }
    guard let choice = choices.first(where: { $0.entry.name == name }) else {
      say("'\(character)' is for \(name), which is not offered here", isBad: true)
      return nil
    }
    if choice.element == nil, choice.entry.collection != nil {
      say("'\(character)' is for an element of \(choice.entry.collection ?? "")", isBad: true)
      return nil
    }
    return begin(choice)
  }

  // MARK: Shared models

  /// The shared part that contains a part, with the steps from there.
  private func shared(_ path: String) -> (part: SharedPart, steps: [PartPath.Step], type: SchemaType)? {
    guard let hub, let found = try? hub.schema.part(named: path) else { return nil }
    guard let part = hub.sharedParts.first(where: { found.steps.starts(with: $0.path) }) else { return nil }
    return (part, Array(found.all.dropFirst(part.path.count)), found.type)
  }

  mutating func edit() {
    guard let path = selectedPath ?? pathOfValue, let schema = hub?.schema else { return }
    guard case .found(let part) = found(at: path) else {
      say("open \(path) with Enter to edit what is in it", isBad: true)
      return
    }
    guard let (shared, steps, type) = shared(path) else { return sayNotEditable(path) }
    let field = FieldNode("", type, part.value, in: schema)
    let opening = (try? field.json(at: [], in: schema)).flatMap { try? SchemaJSON(schema).value(of: $0, as: type) }
    let kind = Draft.Kind.set(shared, steps: steps, opening: opening)
    overlay = .form(ActionForm(Draft(kind, title: "Set \(path)", fields: [field])))
  }

  /// The path of the open page if it shows a single value.
  private var pathOfValue: String? {
    guard tab.path != nil, case .text = content else { return nil }
    return page?.path
  }

  mutating func insert() {
    guard let page, let schema = hub?.schema, isTable, tab.path != nil else { return }
    guard let (shared, steps, type) = shared(page.path), case .named(let name, let parts) = FieldRank.unwrapped(type)
    else { return sayNotEditable(page.path) }
    let fields: [FieldNode] =
      switch NamedLayout(name, parts.count) {
      case .dictionary: [FieldNode("Key", parts[0], in: schema), FieldNode("Value", parts[1], in: schema)]
      case .identified: [FieldNode("", parts[1], in: schema)]
      case .array, .set: [FieldNode("Value", parts[0], in: schema)]
      default: []
      }
    guard !fields.isEmpty else { return sayNotEditable(page.path) }
    overlay = .form(
      ActionForm(Draft(.insert(shared, steps: steps, into: type), title: "Insert into \(page.path)", fields: fields)))
  }

  mutating func remove() {
    guard let page, let schema = hub?.schema, isTable, tab.path != nil, let row = selectedRow else { return }
    guard let (shared, steps, type) = shared(page.path),
      let id = try? schema.id(named: String(row.dropFirst().dropLast()), ofElementsIn: FieldRank.unwrapped(type))
    else { return sayNotEditable(page.path(of: row)) }
    overlay = .confirmation(Draft(.remove(shared, steps: steps, id: id), title: "Remove \(page.path(of: row))?"))
  }

  private mutating func sayNotEditable(_ path: String) {
    say("no action changes \(path) in place; : shows the actions", isBad: true)
  }

  // MARK: Prompts

  /// The alert or dialog of the shared state that is open; nil if there is none.
  package var prompt: Prompt? {
    guard let hub, past == nil else { return nil }
    for place in hub.prompts {
      guard case .found(let part) = found(at: place.path) else { continue }
      var value = part.value
      // The optionals around it.
      if part.type != place.type {
        while case .array(let items) = value, items.count == 1 { value = items[0] }
      }
      if let prompt = Prompt(value, at: place, in: hub.schema) { return prompt }
    }
    return nil
  }

  /// The prompt that gets the keys: one that no overlay covers.
  var visiblePrompt: Prompt? { overlay == nil ? prompt : nil }

  /// Sends the action of a prompt's button, or its dismissal.
  mutating func answerPrompt(_ index: Int?) -> Outgoing? {
    guard let prompt = visiblePrompt, acceptsSendingKeys() else { return nil }
    let button = index.flatMap { prompt.buttons.indices.contains($0) ? prompt.buttons[$0] : nil }
    guard let action = button.map(\.action) ?? prompt.dismissal else {
      say("the feature has no action for this button", isBad: true)
      return nil
    }
    return send(action)
  }
}
