internal import SchemaNames
internal import Wire

// What the shared state presents below the open page, such as a sheet, other than alerts and dialogs.

extension Browser.State {
  /// The maximum number of places that are looked at: each key does.
  private static let placeLimit = 48

  /// The innermost presented state below the open page; nil if there is none, or this user has hidden it.
  ///
  /// Nothing is subscribed for it: it is in the part of the page.
  package var presentation: Presentation? {
    guard let hub, let page, past == nil, tab.path != nil else { return nil }
    let places = hub.presentations.lazy.filter { page.path.isEmpty || $0.path.hasPrefix("\(page.path).") }
    var innermost: Presentation?
    // The places are in the order of their depth.
    for place in places.prefix(Self.placeLimit) {
      guard let found = presentation(at: place), hiddenPresentations[place.path] != found.id else { continue }
      if innermost.map({ place.path.hasPrefix("\($0.place.path).") }) ?? true { innermost = found }
    }
    return innermost
  }

  private func presentation(at place: PresentationPlace) -> Presentation? {
    guard let schema = hub?.schema, case .found(let part) = found(at: place.path) else { return nil }
    return Presentation(part, at: place, in: schema)
  }

  /// The presented state that gets the keys, because no overlay and no prompt covers it; nil if there is none.
  package var visiblePresentation: Presentation? {
    guard overlay == nil, let presentation, prompt == nil else { return nil }
    return presentation
  }

  /// The actions that a sheet offers: those of what is presented, those that users send before the others, and last the
  /// one that dismisses it.
  package func actions(of presentation: Presentation) -> [ActionEntry] {
    guard let hub else { return [] }
    let offered = offeredActions
    var own: [ActionEntry] = []
    if let path = presentation.ownActions(in: hub.schema) {
      // What is presented or asked inside has a sheet or a dialog of its own.
      let inner = hub.presentations.map(\.allActions) + hub.prompts.map(\.allActions)
      let others = inner.filter { $0.count > path.count && $0.starts(with: path) }
      own = offered.filter { entry in
        // An element is chosen on its own page.
        if case .brackets = entry.target { return false }
        return entry.path.starts(with: path) && !others.contains { entry.path.starts(with: $0) }
      }
    }
    return own.filter { !$0.isInternal } + own.filter(\.isInternal)
      + offered.filter { $0.path == presentation.place.dismissal }
  }

  /// The name of an action in the sheet, without the way to it.
  package func label(of entry: ActionEntry, in presentation: Presentation) -> String {
    guard let schema = hub?.schema, entry.path != presentation.place.dismissal,
      let prefix = presentation.ownActions(in: schema).flatMap({ schema.name(ofAction: $0) }),
      entry.name.hasPrefix("\(prefix).")
    else { return entry.path == presentation.place.dismissal ? "dismiss" : entry.name }
    return String(entry.name.dropFirst(prefix.count + 1))
  }

  /// The chosen action of a sheet.
  package func chosenAction(of presentation: Presentation) -> ActionEntry.ID? {
    let actions = actions(of: presentation)
    return actions.first { $0.id == presentationChoice }?.id ?? actions.first?.id
  }

  // MARK: Changes

  /// Another sheet appears, or none: what was typed was not for it.
  mutating func presentationChanged() {
    presentationChoice = nil
    keepQuiet()
  }

  /// Forgets which presented states this user has hidden once they are gone, so that the next ones are shown.
  mutating func forgetHiddenPresentations() {
    guard !hiddenPresentations.isEmpty, let hub else { return }
    for (path, id) in hiddenPresentations {
      guard let place = hub.presentations.first(where: { $0.path == path }) else {
        hiddenPresentations[path] = nil
        continue
      }
      // Without its part, nothing is known of it.
      if case .loading = found(at: path) { continue }
      if presentation(at: place)?.id != id { hiddenPresentations[path] = nil }
    }
  }

  /// Begins an action of the sheet.
  mutating func takePresentedAction(_ name: ActionEntry.ID) -> Outgoing? {
    guard let presentation = visiblePresentation, acceptsSendingKeys(),
      let entry = actions(of: presentation).first(where: { $0.id == name })
    else { return nil }
    presentationChoice = name
    let outgoing = begin(Palette.Choice(entry))
    if case .form(var form)? = overlay, entry.path != presentation.place.dismissal {
      form.presentation = presentation
      overlay = .form(form)
    }
    return outgoing
  }

  /// The reason why a form of a sheet is for nothing: what was presented has been dismissed meanwhile.
  func missingPresentation(of form: ActionForm) -> String? {
    guard let opened = form.presentation else { return nil }
    if case .loading = found(at: opened.place.path) { return nil }
    return presentation(at: opened.place)?.id == opened.id ? nil : "\(opened.title) was dismissed meanwhile"
  }

  mutating func openPresentedPart() {
    guard let presentation = visiblePresentation, acceptsSendingKeys() else { return }
    openPart(presentation.path)
  }

  mutating func hidePresentation() {
    guard let presentation = visiblePresentation, acceptsSendingKeys() else { return }
    hiddenPresentations[presentation.place.path] = presentation.id
  }

  /// Dismisses it for all users; if this one may not, hides it here.
  mutating func dismissPresentation() -> Outgoing? {
    guard let presentation = visiblePresentation, acceptsSendingKeys() else { return nil }
    guard let entry = offeredActions.first(where: { $0.path == presentation.place.dismissal }) else {
      hiddenPresentations[presentation.place.path] = presentation.id
      say("hidden here; this user may not dismiss it for all")
      return nil
    }
    return begin(Palette.Choice(entry))
  }
}
