internal import ComposableCore
internal import SchemaBrowser
internal import TerminalUI
internal import Wire

/// The open page, with a sheet over it of what the shared state presents below it.
struct PresentingPageView: TerminalView {
  let store: StoreOf<Browser>

  var body: some TerminalView {
    let store = store
    let presentation = store.state.visiblePresentation
    Column { PageView(store: store) }
      .tabSheet(
        isPresented: StoreBinding(get: { presentation != nil }, set: { _ in store.send(.presentationDismissed) }),
        title: presentation?.title ?? ""
      ) {
        if let presentation { PresentationView(store: store, presentation: presentation) }
      }
  }
}

/// The fields of what is presented, and its actions.
private struct PresentationView: TerminalView {
  let store: StoreOf<Browser>
  let presentation: Presentation

  /// The maximum number of actions that are shown at once; the list scrolls.
  private static let actionCount = 6

  var body: some TerminalView {
    let store = store
    let rows = store.state.readable.map { presentation.rows($0) } ?? []
    let actions = store.state.actions(of: presentation)
    let width = rows.reduce(0) { max($0, TextWidth.columns(of: $1.cells[0].text, upTo: 24)) }
    // The actions come first where there is no room for all.
    let reserved = 7 + min(actions.count, Self.actionCount)
    Column {
      for (index, row) in rows.enumerated() {
        Row(spacing: 2) {
          Text(row.cells[0].text).color(.cyan).lineLimit(1).frame(width: width)
          Text(row.cells[1].text).dim(row.cells[1].isAbsent).lineLimit(1)
        }
        .visible(fromRows: reserved + index)
      }
      Text("").visible(fromRows: reserved + rows.count)
      List(actions, selection: selection) { action in
        Cell(store.state.label(of: action, in: presentation) + action.valuesText, dim: action.isInternal)
      }
      .rowKey("enter", "take") { store.send(.presentedActionTaken($0)) }
      .frame(upToRows: max(min(actions.count, Self.actionCount), 1))
    }
    .frame(width: 64)
    .keys([
      KeyBinding("esc", "dismiss", help: "dismiss it for all users") { store.send(.presentationDismissed) },
      KeyBinding("o", "open", help: "the part with all of it") { store.send(.presentedPartOpened) },
      KeyBinding("h", "hide", help: "hide it here until something else is presented") {
        store.send(.presentationHidden)
      },
    ])
  }

  private var selection: StoreBinding<ActionEntry.ID?> {
    let (store, presentation) = (store, presentation)
    return StoreBinding(
      get: { store.state.chosenAction(of: presentation) }, set: { store.send(.presentedActionSelected($0)) })
  }
}
