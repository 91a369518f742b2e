import Terminal

/// The help for a screen's keys, drawn over that screen.
nonisolated struct HelpScreen {
  var tab: Screens.Tab

  /// The keys and their meanings: those of the screen, then those of all screens.
  var lines: [(keys: String, meaning: String)] {
    own + [
      ("", ""), ("tab, 1 2 3 …", "another screen"), ("u", "undo what you did last"), ("^L", "draw anew"),
      ("^Z", "suspend"), ("q, ^D, ^C", "quit"),
    ]
  }

  private var own: [(keys: String, meaning: String)] {
    let list = [
      ("↑ ↓, j k, wheel", "choose"), ("page up, down, g G", "a screenful, the ends"), ("/", "search"),
      ("n N", "the next, the one before"),
    ]
    switch tab {
    case .counter:
      return [
        ("+ ↑, - ↓", "count up and down"), ("f", "a fact about the number"), ("t", "start or stop the timer"),
        ("d, esc", "dismiss a message"),
      ]
    case .todos:
      return [
        ("a", "add"), ("e, enter", "edit"), ("space, x", "done, or not done"), ("d", "delete"),
        ("J K", "move down, up"),
        ("f", "what is shown: all, active, completed"), ("c", "clear what is completed"),
      ] + list
    case .favourites:
      return [
        ("+ ↑, - ↓", "another number"), ("space", "a favourite, or not"), ("f", "a fact about the number"),
        ("l, enter", "list of favourites; enter goes there"), ("d", "delete, in the list"), ("esc", "back"),
      ]
    case .presence, .activity:
      return list
    }
  }

  /// Returns the first visible line, as near as possible to the wanted one.
  func first(_ wanted: Int, rows: Int) -> Int { max(min(wanted, lines.count - Self.room(rows)), 0) }

  private static func room(_ rows: Int) -> Int { rows >= 5 ? rows - 2 : rows }

  /// Draws as many lines as there is room for.
  func draw(from wanted: Int, in rows: Range<Int>, on canvas: inout some Canvas) {
    let all = lines
    let room = Self.room(rows.count)
    let width = min(all.map { TextWidth.columns(of: $0.keys) }.max() ?? 0, canvas.size.columns / 2)
    let shown = all.dropFirst(first(wanted, rows: rows.count)).prefix(room).map { line in
      let keys = TextWidth.fit(line.keys, columns: width)
      let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: keys), 0))
      return TextWidth.fit(
        "\(keys)\(padding)  \(line.meaning)", columns: canvas.size.columns - (rows.count >= 5 ? 4 : 0))
    }
    if rows.count >= 5 {
      let top = rows.lowerBound + max((rows.count - shown.count - 2) / 2, 0)
      canvas.box(shown, title: "Keys: \(tab)", Style(.cyan), top: top, width: min(canvas.size.columns - 4, 50))
    } else {
      let blank = String(repeating: " ", count: canvas.size.columns)
      for row in rows { canvas.text(row, 0, blank) }
      for (row, line) in zip(rows, shown) { canvas.text(row, 0, line) }
    }
  }
}
