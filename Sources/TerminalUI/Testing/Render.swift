internal import IssueReporting

/// Returns the screen of a view, as text with styles, without a terminal.
///
/// ```swift
/// let screen = render(QueueView(store: store), size: CanvasSize(rows: 12, columns: 40))
/// #expect(screen.lines.first == "2 waiting")
/// ```
///
/// The focus is where it is when the screen appears.
public func render(_ view: some TerminalView, size: CanvasSize = CanvasSize(rows: 24, columns: 80)) -> TextGrid {
  let tree = ViewTree(size: size)
  tree.show(view)
  defer { tree.removeAll() }
  return tree.draw()
}

/// Compares a screen with the expected lines, and reports a difference as an issue of the running test.
///
/// - Parameters:
///   - screen: The screen.
///   - expected: The lines; those that are missing at the end are empty.
///   - isStyled: True if the expected lines contain styles, as `TextGrid.styledLines` does.
public func expectScreen(
  _ screen: TextGrid, _ expected: String, styled isStyled: Bool = false, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let lines = isStyled ? screen.styledLines : screen.lines
  if let difference = screenDifference(lines, expected) {
    reportIssue(difference, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Returns the differences of two screens, with `−` before an expected line and `+` before a line of the screen; nil if
/// they are equal.
func screenDifference(_ lines: [String], _ expected: String) -> String? {
  func trimmed(_ lines: [String]) -> [String] {
    var lines = lines
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
  let wanted = trimmed(
    expected.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = String(line)
      while line.last == " " { line.removeLast() }
      return line
    })
  let shown = trimmed(lines)
  guard wanted != shown else { return nil }
  var text = ["The screen is not the expected one (− expected, + shown):", ""]
  for row in 0..<max(wanted.count, shown.count) {
    let (old, new) = (wanted.indices.contains(row) ? wanted[row] : nil, shown.indices.contains(row) ? shown[row] : nil)
    if old == new {
      text.append("    \(new ?? "")")
    } else {
      if let old { text.append("  − \(old)") }
      if let new { text.append("  + \(new)") }
    }
  }
  return text.joined(separator: "\n")
}
