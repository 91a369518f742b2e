package import Features
package import Terminal
internal import TerminalUI

/// The screen of the shared list of todos.
package nonisolated struct TodosScreen {
  /// The list.
  package var state: Todos.State
  /// The part of the view that is not shared.
  package var panel: TodosPanel
  /// True if the hub may have newer state.
  package var isOld: Bool
  /// The words to highlight.
  var highlighted: [String] = []
  /// The todos whose last change the hub has not acknowledged; the texts of those that were added, whose ids are not
  /// certain yet.
  var pending: [Todo.State.ID: String?] = [:]

  /// Creates a screen.
  package init(state: Todos.State, panel: TodosPanel, isOld: Bool = false) {
    (self.state, self.panel, self.isOld) = (state, panel, isOld)
  }

  /// The help line in several lengths, the longest first.
  package var keys: [String] {
    if let question = panel.question { return [Dialog(question).hint(panel.choice), "enter  esc"] }
    guard let writing = panel.writing else {
      return [
        "a add  e edit  space done  d delete  J K move  f filter  c clear done  / search  u undo  ? help  q quit",
        "a add  e edit  space done  d delete  J K move  f filter  u undo  tab  ? help  q quit",
        "a add  e edit  spc done  d del  J K move  f filter  u undo  ? help  q quit",
        "a add e edit spc done d del JK move f filter u undo ? help q quit",
        "a add e edit spc d del JK move f filter u undo ? help q quit", "a e spc d JK f c u  ? help  q quit",
        "a e spc d JK f u ? q", "a e spc d u ? q", "? q",
      ]
    }
    let what = writing.id == nil ? "add" : "save"
    return [
      "enter \(what)   esc cancel   ← → home end   ^U ^K ^W delete", "enter \(what)  esc cancel",
      "enter \(what)  esc", "enter  esc",
    ]
  }

  /// Draws the screen.
  package func draw(in whole: Range<Int>, on canvas: inout some Canvas) {
    drawList(in: whole, on: &canvas)
    if let question = panel.question { Dialog(question).draw(panel.choice, in: whole, on: &canvas) }
  }

  private func drawList(in rows: Range<Int>, on canvas: inout some Canvas) {
    let shown = panel.shown(state)
    if rows.count >= 4 { drawSummary(rows.lowerBound, shown.activeCount, on: &canvas) }
    var rows = ListWindow.rows(under: rows)
    if let writing = panel.writing, !rows.isEmpty {
      rows = rows.lowerBound..<(rows.upperBound - 1)
      let trouble =
        panel.isDeleted(state) ? "deleted" : panel.changedText(state) != nil ? "changed" : nil
      let label =
        canvas.size.columns < 40
        ? (trouble == nil ? "> " : "! ")
        : writing.id == nil ? "new: " : trouble.map { "text (\($0) meanwhile): " } ?? "text: "
      canvas.text(rows.upperBound, 0, label, Style(trouble == nil ? .cyan : .red, bold: true))
      writing.line.draw(rows.upperBound, label.count, on: &canvas)
    }
    guard !shown.isEmpty else {
      let nothing = state.todos.isEmpty ? "no todos; press a to add one" : "no \(panel.filter) todos"
      if let row = rows.first {
        canvas.text(row, 0, TextWidth.fit(nothing, columns: canvas.size.columns), Style(dim: true))
      }
      return
    }
    canvas.list(shown, cursor: panel.cursor.position, in: rows, highlighted: highlighted) { todo in
      let box = "[\(todo.isComplete ? "x" : " ")] "
      let isPending = pending[todo.id].map { $0 == nil || $0 == todo.text } ?? false
      return ListLine(
        text: box + todo.text, style: Style(dim: isOld || todo.isComplete), unsearchedCount: box.count,
        isPending: isPending)
    }
  }

  private func drawSummary(_ row: Int, _ activeCount: Int, on canvas: inout some Canvas) {
    let count = "\(activeCount) to do"
    let filters = TodoFilter.allCases.map { $0 == panel.filter ? "[\($0)]" : " \($0) " }.joined(separator: " ")
    canvas.text(row, 0, count, Style(.yellow, dim: isOld))
    let isNarrow = count.count + 2 + filters.count > canvas.size.columns
    let right = isNarrow ? "\(panel.filter)" : filters
    canvas.text(row, max(canvas.size.columns - right.count, count.count + 1), right, Style(dim: isOld))
  }
}
