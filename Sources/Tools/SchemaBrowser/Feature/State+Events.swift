internal import SchemaNames
internal import Wire

// What comes from the hub and the clock.

extension Browser.State {
  /// The time for which nothing is sent after the screen has changed by itself.
  private static let quietTime = Duration.milliseconds(500)

  /// Keeps keys from sending for a while: they were meant for what was on the screen before.
  mutating func keepQuiet() { quietUntil = now + Self.quietTime }

  mutating func connected(_ hub: HubDescription) {
    guard self.hub != hub else { return }
    let isOtherFeature = self.hub.map { $0.schema != hub.schema } ?? true
    self.hub = hub
    let open = tabs.isEmpty ? nil : tab.id
    tabs = configuration.tabs(
      BrowserTab.all(for: hub.schema, mayReadHub: hub.mayReadHub, hasJournal: hub.hasJournal, rights: hub.rights))
    tabIndex = tabs.firstIndex { $0.id == open } ?? 0
    if isOtherFeature {
      (parts, stacks, overlay, past) = ([:], [:], nil, nil)
      (refusedParts, partsWithoutRoom, refusedActions) = ([:], [:], [])
      // Their bytes mean other actions, or none, to this feature.
      (recent, pending) = ([], [:])
      keepQuiet()
    }
    for tab in tabs where stacks[tab.id] == nil { stacks[tab.id] = [newPage(tab.path ?? "")] }
    showVisibleRows()
  }

  mutating func linkChanged(_ link: BrowserLink) {
    guard link != self.link else { return }
    // What was chosen may be another element now.
    if case .away = self.link, link == .live {
      keepQuiet()
      // The rights may be others now: refused parts are asked for once more.
      refusedParts = [:]
    }
    self.link = link
  }

  mutating func refused(_ path: String, _ reason: String?) {
    let path = WindowPath(path)?.collection ?? path
    refusedParts.updateValue(reason, forKey: path)
    say(reason ?? "this user may not read \(path.isEmpty ? "the whole state" : path)", isBad: true)
  }

  mutating func foundNoRoom(_ path: String, _ reason: String) {
    // Each time that another part is released, the hub may say the same.
    if partsWithoutRoom.updateValue(reason, forKey: path) == nil { say(reason, isBad: true) }
    // Nor are elements of before shown in its place.
    let (scopes, collection) = (scopes, WindowPath(path)?.collection)
    parts = parts.filter { known, _ in
      known != path && (collection == nil || WindowPath(known)?.collection != collection || scopes.contains(known))
    }
  }

  mutating func show(_ past: PastState?) {
    self.past = past
    overlay = nil
    keepQuiet()
    showVisibleRows()
    reorder()
  }

  mutating func received(_ part: ReceivedPart, at path: String) {
    partsWithoutRoom[path] = nil
    if part.window == nil { parts[path] = part } else { receivedWindow(part, at: path) }
    nameSelection()
    reorder()
  }

  /// Brings the order of the open table up to date.
  mutating func reorder() {
    guard let page, tab.path != nil, !page.order.isPlain || page.indices != nil else { return }
    var indices: [Int]?
    if let readable, case .table(let table) = content, !table.isPartial, let source {
      indices = page.order.indices(of: source, table.columns, readable)
    }
    change { $0.indices = indices }
  }

  mutating func answered(_ number: Int, _ refusal: Refusal?) {
    let sent = pending.removeValue(forKey: number)
    if let refusal, refusal.isForLackOfRights, let sent, let name = hub?.schema.actionName(of: sent.action) {
      refusedActions.insert(name)
    }
    if case .form(var form)? = overlay, form.pending == number {
      form.pending = nil
      form.error = refusal.map { FieldError(place: [], reason: $0.reason) }
      overlay = refusal == nil ? nil : .form(form)
      if refusal == nil { keepQuiet() }
    }
    let text = sent?.text ?? "the action"
    if let refusal { say("\(text): \(refusal.reason)", isBad: true) } else { say("done: \(text)") }
  }
}

extension Schema {
  /// The name of an action without the ids of elements, as `ActionEntry` has it; nil for what is no action.
  func actionName(of action: CBORValue) -> String? {
    guard let parts = parts(ofAction: action) else { return nil }
    var (name, prefix): (String, [PathStep]) = ("", [])
    for step in parts.path {
      let before = self.name(ofAction: prefix) ?? ""
      prefix.append(step)
      guard let whole = self.name(ofAction: prefix) else { return nil }
      let part = String(whole.dropFirst(before.count))
      if case .id = step { name += "[]" } else { name += part }
    }
    return name
  }
}
