import ReplicaCore
import Terminal
import TerminalApp
internal import TerminalUI

/// The frame of every screen: the hub and the connection, the tabs, and the help line.
nonisolated struct ScreenFrame {
  var connection: ConnectionState
  var path: String
  var now: Duration
  /// The labels of the tabs, and the index of the open one.
  var tabs: [String]
  var openTab: Int
  /// The help line in several lengths, the longest first.
  var keys: [String]
  /// A message in place of the help line, if any.
  var message: (text: String, style: Style)?
  /// The search text or the filter while it is being typed, with its label, also in place of the help line.
  var prompt: (label: String, line: TextLine)?
  /// The position of the cursor in a list, from 1, and the length of the list.
  var position: (position: Int, count: Int)?
  /// The reason with which the hub has ended the connection, if it has.
  var goodbye: String?
  /// The number of actions that the hub has not acknowledged for some time.
  var pendingCount = 0

  /// Returns the rows for the content.
  static func content(of size: CanvasSize) -> Range<Int> {
    let top = min(2, size.rows)
    return top..<max(size.rows - (size.rows >= 8 ? 2 : size.rows >= 4 ? 1 : 0), top)
  }

  func draw(on canvas: inout some Canvas) {
    drawTitle(on: &canvas)
    drawTabs(on: &canvas)
    drawKeys(on: &canvas)
  }

  private func drawTitle(on canvas: inout some Canvas) {
    var title = ConnectionText("StoreHub", path: path, connection: connection, now: now)
    (title.goodbye, title.pendingCount) = (goodbye, pendingCount)
    title.draw(0, on: &canvas)
  }

  private var bar: TabBar { TabBar(tabs, selected: openTab) }

  /// Returns the tab at a position, if any.
  func tab(at row: Int, _ column: Int, of size: CanvasSize) -> Int? {
    row == 1 ? bar.tab(at: column, columns: size.columns) : nil
  }

  private func drawTabs(on canvas: inout some Canvas) {
    guard canvas.size.rows > 1 else { return }
    let used = bar.draw(1, on: &canvas)
    // Without a lower rule, the position is here.
    if canvas.size.rows < 8 { drawPosition(1, after: used, on: &canvas) }
  }

  /// Draws the position at the right end of a rule, if there is room for it after `used` columns.
  private func drawPosition(_ row: Int, after used: Int = 1, on canvas: inout some Canvas) {
    guard let position else { return }
    let text = " \(position.position)/\(position.count) "
    let column = canvas.size.columns - text.count - 1
    if column > used { canvas.text(row, column, text, Style(dim: true)) }
  }

  /// The lines of the message. The second one is in the row of the rule, further ones are over the content.
  private func messageLines(_ size: CanvasSize) -> [String] {
    guard let message else { return [] }
    return TextWidth.wrap(message.text, columns: size.columns, lines: max(size.rows - 2, 1))
  }

  /// Returns true if the message is drawn in a row.
  func hasMessage(in row: Int, of size: CanvasSize) -> Bool {
    row < size.rows && row >= size.rows - messageLines(size).count
  }

  private func drawKeys(on canvas: inout some Canvas) {
    let rows = canvas.size.rows
    if rows < 4, message == nil, prompt == nil { return }
    if rows >= 8 {
      canvas.rule(rows - 2)
      drawPosition(rows - 2, on: &canvas)
    }
    if let (label, line) = prompt {
      canvas.text(rows - 1, 0, label, Style(.cyan, bold: true))
      return line.draw(rows - 1, label.count, on: &canvas)
    }
    if let message {
      let lines = messageLines(canvas.size)
      for (row, line) in zip((rows - lines.count)..., lines) {
        let padding = String(repeating: " ", count: max(canvas.size.columns - TextWidth.columns(of: line), 0))
        canvas.text(row, 0, line + padding, message.style)
      }
      return
    }
    let line = keys.first { TextWidth.columns(of: $0) <= canvas.size.columns } ?? keys.last ?? ""
    canvas.text(rows - 1, 0, line, Style(dim: true))
  }
}
