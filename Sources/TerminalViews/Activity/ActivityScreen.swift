import Terminal

/// One terminal's own view of the activity. It shows the last action until the user selects another.
nonisolated struct ActivityPanel: Equatable, Sendable {
  /// The selected action.
  private(set) var cursor = ListCursor<Activity.ID>()
  /// True if the cursor moves to new actions.
  private var isAtEnd = true

  /// Updates the cursor after actions may have been added.
  mutating func follow(_ entries: [Activity]) {
    if isAtEnd, let last = entries.last { cursor.select(last.id, at: entries.count - 1) }
    // Their ids are ascending.
    cursor.follow(entries.map(\.id)) { id in
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].id < id { low = middle + 1 } else { high = middle }
      }
      return low < entries.count && entries[low].id == id ? low : nil
    }
  }

  /// Handles a key.
  mutating func pressed(_ key: Key, _ entries: [Activity], in rows: Range<Int>) {
    _ = cursor.pressed(key, entries.map(\.id), in: ListWindow.rows(under: rows))
    isAtEnd = cursor.position >= entries.count - 1
  }

  /// Selects the next action that contains a text; returns false if there is none.
  mutating func search(_ text: String, _ direction: SearchDirection, _ entries: [Activity]) -> Bool {
    let wanted = text.lowercased()
    let lines = Dictionary(entries.map { ($0.id, "\($0.who) \($0.what)".lowercased()) }) { first, _ in first }
    let isFound = cursor.search(entries.map(\.id), direction) { lines[$0]?.contains(wanted) ?? false }
    isAtEnd = cursor.position >= entries.count - 1
    return isFound
  }
}

/// The actions in the hub's journal and the users that sent them.
nonisolated struct ActivityScreen {
  var entries: [Activity]
  var panel: ActivityPanel
  var isOld: Bool

  /// The help line in several lengths, the longest first.
  static let keys = [
    "↑ ↓ scroll   / search   tab next   ? help   q quit", "↑ ↓  tab  ? help  q quit", "↑ ↓ tab ? q", "? q",
  ]

  func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    if rows.count >= 4 {
      let count = entries.count == 1 ? "1 action" : "the last \(entries.count) actions"
      canvas.text(rows.lowerBound, 0, entries.isEmpty ? "nothing was done yet" : count, Style(.yellow, dim: isOld))
    }
    let shown = ListWindow.rows(under: rows)
    let columns = canvas.size.columns
    // The program's version and the time are the least important parts, so they are cut first.
    let width = min(entries.suffix(200).map { TextWidth.columns(of: $0.who) }.max() ?? 0, columns / 3)
    canvas.list(entries, cursor: panel.cursor.position, in: shown) { entry in
      let who = TextWidth.fit(entry.who, columns: width)
      let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: who), 0))
      let time = columns >= 50 ? entry.time + "  " : ""
      return ("\(time)\(who)\(padding)  \(entry.what)", Style(dim: isOld))
    }
  }
}
