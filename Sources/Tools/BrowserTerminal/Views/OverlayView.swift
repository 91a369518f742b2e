internal import ComposableCore
internal import SchemaBrowser
internal import TerminalUI
internal import Wire

/// What lies over the open page.
struct OverlayView: TerminalView {
  let store: StoreOf<Browser>

  var body: some TerminalView {
    let store = store
    switch store.overlay {
    case .palette(let palette): PaletteView(store: store, palette: palette)
    case .form(let form): ActionFormView(store: store, form: form)
    case .path(let entry): PathView(store: store, entry: entry)
    case .filter(let text, _):
      TextField("words; -word hides", text: StoreBinding(get: { text }, set: { store.send(.filterChanged($0)) }))
        .onSubmit("keep") { store.send(.filterEnded(isKept: true)) }
        .key("esc", "cancel") { store.send(.filterEnded(isKept: false)) }
    case .recent: RecentView(store: store)
    case .reading(_, let lines):
      List(lines.enumerated().map { NumberedLine(id: $0, text: $1) }) { Cell($0.text) }
        .rowKey("enter q", "close") { _ in store.send(.overlayClosed) }
    case .confirmation(let draft):
      Column {
        Text(draft.title)
      }
      .key("y enter", "remove") { store.send(.removalConfirmed) }
      .key("n", "keep") { store.send(.overlayClosed) }
    case nil: Text("")
    }
  }
}

private struct NumberedLine: Identifiable {
  let id: Int
  let text: String
}

/// The list of actions, which is searched by typing.
private struct PaletteView: TerminalView {
  let store: StoreOf<Browser>
  let palette: Palette

  var body: some TerminalView {
    let store = store
    let matches = palette.matches
    let chosen = matches.indices.contains(palette.index) ? matches[palette.index].id : nil
    Column {
      TextField("search", text: StoreBinding(get: { palette.query }, set: { store.send(.paletteChanged($0)) }))
        .onSubmit("take") { store.send(.paletteEntered) }
      List(matches, selection: StoreBinding(get: { chosen }, set: { _ in })) { choice in
        Cell(choice.name + choice.entry.valuesText, dim: choice.entry.isInternal)
      }
      .frame(upToRows: max(min(matches.count, 14), 1))
      if matches.indices.contains(palette.index), !matches[palette.index].entry.help.isEmpty {
        Text(matches[palette.index].entry.help).dim().lineLimit(2)
      }
    }
    .frame(width: 64)
    .keys([
      KeyBinding("down", "choose") { store.send(.paletteMoved(1)) },
      KeyBinding("up", "") { store.send(.paletteMoved(-1)) },
      KeyBinding("pagedown", "") { store.send(.paletteMoved(10)) },
      KeyBinding("pageup", "") { store.send(.paletteMoved(-10)) },
    ])
  }
}

extension ActionEntry {
  /// The labels of the values, such as `(dish, table)`.
  var valuesText: String {
    guard !payload.isEmpty else { return "" }
    return "(\(payload.map { $0.label.isEmpty ? "…" : $0.label }.joined(separator: ", ")))"
  }
}

/// The last actions, of which a digit repeats one.
private struct RecentView: TerminalView {
  let store: StoreOf<Browser>

  var body: some TerminalView {
    let store = store
    List(store.recent.enumerated().map { NumberedLine(id: $0, text: "\($0)  \($1.text)") }) { Cell($0.text) }
      .rowKey("enter", "repeat") { store.send(.recentChosen($0)) }
      .keys((0..<10).map { index in KeyBinding("\(index)", "") { store.send(.recentChosen(index)) } })
  }
}

/// A path that is being written, with the texts that complete it.
private struct PathView: TerminalView {
  let store: StoreOf<Browser>
  let entry: PathEntry

  var body: some TerminalView {
    let store = store
    Column {
      TextField("path", text: StoreBinding(get: { entry.text }, set: { store.send(.pathChanged($0)) }))
        .onSubmit("go") { store.send(.pathEntered) }
      if let error = entry.error { Text(error).color(.red) }
      if !entry.completions.isEmpty { Text(entry.completions.prefix(24).joined(separator: "  ")).dim().lineLimit(4) }
    }
    .frame(width: 64)
    .key("tab", "complete") { store.send(.pathCompleted) }
  }
}
