internal import ReplicaCore
package import Terminal
internal import TerminalApp
internal import TerminalUI

/// The drawing of the screens.
nonisolated extension Screens {
  /// Draws the open tab in its frame.
  package func draw(_ content: ScreenContent, on canvas: inout some Canvas) {
    let rows = ScreenFrame.content(of: canvas.size)
    let isOld = if case .live = content.connection { false } else { true }
    var keys = ["q quit"]
    if let parts = content.parts {
      switch tab {
      case _ where content.loading.contains(tab):
        keys = ["tab next   ? help   q quit", "tab  ?  q quit", "? q"]
        drawAbsence(content, of: "the \(tab.rawValue)", in: rows, on: &canvas)
      case .counter:
        let isPending = pending.isPending(.counter, at: content.now)
        let screen = CounterScreen(counter: parts.counterState, isOld: isOld || isPending)
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .todos:
        var screen = TodosScreen(state: parts.todosState, panel: todos, isOld: isOld)
        (screen.highlighted, screen.pending) = (highlighted, pending.todos(at: content.now))
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .favourites:
        let isPending = pending.isPending(.favourites, at: content.now)
        var screen = FavouritesScreen(state: parts.favouritesState, panel: favourites, isOld: isOld || isPending)
        screen.highlighted = highlighted
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .presence:
        keys = PresenceScreen.keys
        var screen = PresenceScreen(
          attendees: content.attendees ?? [], cursor: presence, ownProcess: content.ownProcess, isOld: isOld)
        screen.highlighted = highlighted
        screen.draw(in: rows, on: &canvas)
      case .activity:
        var screen = ActivityScreen(entries: content.activity ?? [], panel: activity, isOld: isOld)
        (screen.examinedCount, screen.isLoading) = (content.examinedActivityCount, content.isLoadingActivity)
        (screen.highlighted, screen.now) = (highlighted, content.wallTime)
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      }
    } else {
      drawAbsence(content, of: "the state", in: rows, on: &canvas)
    }
    if let box {
      keys = ["↑ ↓ scroll   any other key closes this", "↑ ↓  esc close"]
      box.box.draw(from: box.line, in: rows, on: &canvas)
    }
    frame(content, keys).draw(on: &canvas)
  }

  func frame(_ content: ScreenContent, _ keys: [String]) -> ScreenFrame {
    let tabs = tabs(content)
    let message = message.map { ($0.text, Style($0.isBad ? .red : .yellow, bold: true)) }
    var frame = ScreenFrame(
      connection: content.connection, path: content.path, now: content.now, tabs: tabs.map(\.rawValue),
      openTab: tabs.firstIndex(of: tab) ?? 0, keys: keys, message: message)
    (frame.goodbye, frame.pendingCount) = (content.goodbye, pending.count(at: content.now))
    frame.position = position(content)
    if message == nil {
      frame.prompt = search.map { ("/", $0) }
      if tab == .activity, let filter = activity.writing { frame.prompt = ("filter: ", filter) }
    }
    return frame
  }

  /// The position of the cursor in the list of the open screen, and the length of the list; nil without a list.
  private func position(_ content: ScreenContent) -> (position: Int, count: Int)? {
    guard let parts = content.parts, hasList(content) else { return nil }
    let (position, count): (Int, Int)
    switch tab {
    case .counter: return nil
    case .todos: (position, count) = (todos.cursor.position, todos.shown(parts.todosState).count)
    case .favourites: (position, count) = (favourites.cursor.position, favourites.listCount(parts.favouritesState))
    case .presence: (position, count) = (presence.position, content.attendees?.count ?? 0)
    case .activity: (position, count) = (activity.cursor.position, content.activity?.count ?? 0)
    }
    return count > 0 ? (position + 1, count) : nil
  }

  private func drawAbsence(
    _ content: ScreenContent, of part: String, in rows: Range<Int>, on canvas: inout some Canvas
  ) {
    let row = max(rows.lowerBound + (rows.count - 2) / 2 - 2, rows.lowerBound)
    let text = WaitingText(
      content.connection, loadedByteCount: content.loadedByteCount, path: content.path, of: part)
    canvas.centered(row, text.title)
    if text.isLoading {
      if rows.contains(row + 1) { canvas.centered(row + 1, text.detail, Style(.cyan, bold: true)) }
      return
    }
    for (index, line) in TextWidth.wrap(text.detail, columns: canvas.size.columns - 4, lines: 3).enumerated() {
      if rows.contains(row + 2 + index) { canvas.centered(row + 2 + index, line, Style(dim: true)) }
    }
  }
}
