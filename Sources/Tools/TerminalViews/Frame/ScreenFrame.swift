import ReplicaCore
import Terminal

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
    let (words, short, style) = status
    let columns = canvas.size.columns
    let name = "StoreHub  "
    // On a narrow terminal the connection is more important than the path and the name.
    let parts: [(String, Style)] = [(name, Style(bold: true)), (path + "  ", Style(dim: true)), (words, style)]
    let forms = [parts, [parts[0], parts[2]], [parts[2]], [parts[0], (short, style)], [(short, style)]]
    func width(_ form: [(String, Style)]) -> Int { form.reduce(0) { $0 + TextWidth.columns(of: $1.0) } }
    var column = 0
    for (text, style) in forms.first(where: { width($0) <= columns }) ?? [(words, style)] {
      canvas.text(0, column, text, style)
      column += TextWidth.columns(of: text)
    }
  }

  /// The state of the connection, in a long and a short form.
  private var status: (words: String, short: String, style: Style) {
    switch connection {
    case .connecting(let attempt, _) where attempt <= 1:
      return ("connecting …", "connecting", Style(.yellow))
    case .connecting(let attempt, _):
      return ("no hub yet, attempt \(attempt)", "no hub", Style(.yellow))
    case .live:
      let pending = pendingCount > 0 ? ", \(pendingCount) pending" : ""
      return ("live\(pending)", "live\(pending)", Style(pendingCount > 0 ? .yellow : .green, bold: true))
    case .stale(let since, let attempt, _):
      let age = max((now - since).components.seconds, 0)
      let attempts = attempt > 1 ? ", attempt \(attempt)" : ""
      let pending = pendingCount > 0 ? ", \(pendingCount) pending" : ""
      if goodbye != nil {
        // On purpose, so that there is nothing to worry about.
        return (
          "hub stopped, this is \(age) s old\(pending); waiting for it\(attempts)", "hub stopped \(age) s",
          Style(.yellow, bold: true)
        )
      }
      return (
        "hub away, this is \(age) s old\(pending); reconnecting\(attempts)", "hub away \(age) s",
        Style(.red, bold: true)
      )
    case .refused(let reason):
      return ("refused: \(reason)", "refused", Style(.red, bold: true))
    case .closed:
      return ("closed", "closed", Style(dim: true))
    }
  }

  /// The labels of the tabs: with their names if there is room, otherwise with the name of the open one or without.
  private func labels(_ columns: Int) -> [String] {
    func labels(_ isNamed: (Int) -> Bool) -> [String] {
      tabs.enumerated().map { index, name in
        let label = isNamed(index) ? "\(index + 1) \(name)" : "\(index + 1)"
        return index == openTab ? "┤\(label)├" : " \(label) "
      }
    }
    func fits(_ labels: [String]) -> Bool { labels.reduce(1) { $0 + TextWidth.columns(of: $1) } <= columns }
    let (long, short) = (labels { _ in true }, labels { $0 == openTab })
    return fits(long) ? long : fits(short) ? short : labels { _ in false }
  }

  /// Returns the tab at a position, if any.
  func tab(at row: Int, _ column: Int, of size: CanvasSize) -> Int? {
    guard row == 1 else { return nil }
    var end = 1
    return labels(size.columns).firstIndex { label in
      end += TextWidth.columns(of: label)
      return column >= 1 && column < end
    }
  }

  private func drawTabs(on canvas: inout some Canvas) {
    guard canvas.size.rows > 1 else { return }
    canvas.rule(1)
    // Without a lower rule, the position is here.
    if canvas.size.rows < 8 { drawPosition(1, after: labels(canvas.size.columns), on: &canvas) }
    var column = 1
    for (index, label) in labels(canvas.size.columns).enumerated() {
      canvas.text(1, column, label, index == openTab ? Style(.cyan, bold: true) : Style(dim: true))
      column += TextWidth.columns(of: label)
    }
  }

  /// Draws the position at the right end of a rule, if there is room for it after labels.
  private func drawPosition(_ row: Int, after labels: [String] = [], on canvas: inout some Canvas) {
    guard let position else { return }
    let text = " \(position.position)/\(position.count) "
    let column = canvas.size.columns - text.count - 1
    let used = labels.reduce(1) { $0 + TextWidth.columns(of: $1) }
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
