import Terminal
internal import TerminalUI
import TurnLog

/// One terminal's own view of the activity. It shows the last action until the user selects another.
nonisolated struct ActivityPanel: Equatable, Sendable {
  /// The selected action.
  private(set) var cursor = ListCursor<Activity.ID>()
  /// True if the cursor moves to new actions.
  private var isAtEnd = true
  /// The filter, as the user has written it.
  private(set) var filterText = ""
  /// The filter while it is being typed.
  private(set) var writing: TextLine?

  var filter: ActionFilter { ActionFilter(filterText) }

  /// Updates the cursor after actions may have been added.
  mutating func follow(_ entries: [Activity]) {
    if isAtEnd, let last = entries.last { cursor.select(last.id, at: entries.count - 1) }
    // Their ids are ascending.
    cursor.follow(entries.lazy.map(\.id)) { id in
      let offset = Self.offset(of: id, entries)
      return offset < entries.count && entries[offset].id == id ? offset : nil
    }
  }

  /// Returns the offset of the first entry that is not before an id.
  private static func offset(of id: Activity.ID, _ entries: [Activity]) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Handles a key.
  ///
  /// - Returns: The action whose details are requested, if any.
  mutating func pressed(_ key: Key, _ entries: [Activity], in rows: Range<Int>) -> Activity.ID? {
    if writing != nil {
      written(key)
      return nil
    }
    switch key {
    case .enter: return entries.isEmpty ? nil : cursor.id
    case .character("f"): writing = TextLine(filterText)
    case .character("-"): exclude(entries)
    case .escape: filterText = ""
    default:
      if cursor.pressed(key, entries.map(\.id), in: ListWindow.rows(under: rows)) {
        isAtEnd = cursor.position >= entries.count - 1
      }
    }
    return nil
  }

  private mutating func written(_ key: Key) {
    switch key {
    case .enter: writing = nil
    case .escape: (writing, filterText) = (nil, "")
    default:
      writing?.pressed(key)
      (filterText, isAtEnd) = (writing?.text ?? "", true)
    }
  }

  /// Hides the actions with the name of the selected one.
  private mutating func exclude(_ entries: [Activity]) {
    guard entries.indices.contains(cursor.position), !entries[cursor.position].name.isEmpty else { return }
    let name = entries[cursor.position].name
    filterText += (filterText.isEmpty ? "-" : " -") + (name.contains(where: \.isWhitespace) ? "\"\(name)\"" : name)
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
  /// The number of actions among which the filter has found the entries; 0 if that is unknown.
  var examinedCount = 0
  /// True if older actions are still being read.
  var isLoading = false
  var panel: ActivityPanel
  var isOld: Bool
  /// The words to highlight.
  var highlighted: [String] = []
  /// The current time, in milliseconds since 1970; earlier days are shown with their dates.
  var now: Int64 = 0

  /// The help line in several lengths, the longest first.
  var keys: [String] {
    guard panel.writing == nil else {
      return [
        "enter done   esc show all   -word hides actions with the word", "enter done   esc show all", "enter  esc",
      ]
    }
    return [
      "↑ ↓ choose   enter details   f filter   - hide these   / search   tab next   ? help   q quit",
      "↑ ↓ choose  enter details  f filter  - hide  / search  ? help  q quit",
      "↑ ↓ enter  f filter  - hide  / search  ? help  q quit", "↑ ↓ enter f - /  ? help  q quit", "↑ ↓ enter f - ? q",
      "? q",
    ]
  }

  private var summary: String {
    if panel.filter.isEmpty {
      if entries.isEmpty { return isLoading ? "reading the journal …" : "nothing was done yet" }
      return entries.count == 1 ? "1 action" : "the last \(entries.count) actions"
    }
    let all = examinedCount > 0 ? " of the last \(examinedCount) actions" : ""
    return "\(entries.count)\(all)" + (isLoading ? " …" : "")
  }

  func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    let columns = canvas.size.columns
    if rows.count >= 4 {
      canvas.text(rows.lowerBound, 0, summary, Style(.yellow, dim: isOld))
      let used = TextWidth.columns(of: summary) + 2
      if !panel.filterText.isEmpty, columns > used + 8 {
        let filter = TextWidth.fit("filter: \(panel.filterText)", columns: columns - used)
        canvas.text(rows.lowerBound, columns - TextWidth.columns(of: filter), filter, Style(.cyan, bold: true))
      }
    }
    let shown = ListWindow.rows(under: rows)
    if entries.isEmpty, !panel.filter.isEmpty, let row = shown.first {
      canvas.text(row, 0, isLoading ? "searching …" : "no action matches", Style(dim: true))
    }
    // The program's version and the time are the least important parts, so they are cut first.
    let width = min(entries.suffix(200).map { TextWidth.columns(of: $0.who) }.max() ?? 0, columns / 3)
    let today = LocalTime(milliseconds: now).day
    canvas.list(entries, cursor: panel.cursor.position, in: shown, highlighted: highlighted + panel.filter.words) {
      entry in
      let who = TextWidth.fit(entry.who, columns: width)
      let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: who), 0))
      let time = LocalTime(milliseconds: entry.time)
      let day = columns >= 90 && time.day != today ? time.day + " " : ""
      let clock = columns >= 50 ? day + time.clock + "  " : ""
      return ListLine(
        text: "\(clock)\(who)\(padding)  \(entry.what)", style: Style(dim: isOld), unsearchedCount: clock.count)
    }
  }
}
