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
        ("a", "add"), ("e, enter", "edit"), ("space, x", "done (sorted last), or not"),
        ("d", "delete"),
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
  func first(_ wanted: Int, rows: Int, columns: Int) -> Int {
    let form = Form(rows: rows, columns: columns)
    return max(min(wanted, form.text(lines).count - form.rows), 0)
  }

  /// The room for the text: within a box if there is enough.
  private struct Form {
    let rows: Int
    let columns: Int
    let hasBox: Bool

    init(rows: Int, columns: Int) {
      hasBox = rows >= 5 && columns >= 30
      (self.rows, self.columns) = hasBox ? (rows - 2, min(columns - 8, 46)) : (rows, columns)
    }

    /// The lines of the text. A meaning that is too long goes on in further lines.
    func text(_ lines: [(keys: String, meaning: String)]) -> [String] {
      let width = lines.map { TextWidth.columns(of: $0.keys) }.max() ?? 0
      // In a narrow terminal the meaning has lines of its own.
      let isNarrow = columns - width - 2 < 16
      let room = isNarrow ? columns - 2 : columns - width - 2
      return lines.flatMap { keys, meaning -> [String] in
        if keys.isEmpty { return [""] }
        let parts = TextWidth.wrap(meaning, columns: room)
        if isNarrow { return [TextWidth.fit(keys, columns: columns)] + parts.map { "  " + $0 } }
        let blank = String(repeating: " ", count: width + 2)
        let head = keys + blank.dropFirst(TextWidth.columns(of: keys))
        return parts.enumerated().map { ($0 == 0 ? head : blank) + $1 }
      }
    }
  }

  /// Draws as many lines as there is room for.
  func draw(from wanted: Int, in rows: Range<Int>, on canvas: inout some Canvas) {
    let form = Form(rows: rows.count, columns: canvas.size.columns)
    let first = first(wanted, rows: rows.count, columns: canvas.size.columns)
    let shown = Array(form.text(lines).dropFirst(first).prefix(form.rows))
    if form.hasBox {
      let top = rows.lowerBound + max((rows.count - shown.count - 2) / 2, 0)
      canvas.box(shown, title: "Keys: \(tab)", Style(.cyan), top: top, width: min(canvas.size.columns - 4, 50))
    } else {
      let blank = String(repeating: " ", count: canvas.size.columns)
      for row in rows { canvas.text(row, 0, blank) }
      for (row, line) in zip(rows, shown) { canvas.text(row, 0, line) }
    }
  }
}
