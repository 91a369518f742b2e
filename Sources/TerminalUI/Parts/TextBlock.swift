internal import ProgramOptions

/// Several lines of text that the user edits, with a cursor.
package nonisolated struct TextBlock: Equatable, Sendable {
  /// The lines above and below that of the cursor.
  private var above: [String] = []
  private var below: [String] = []
  private var line = TextLine()
  /// The size of the text that was not added.
  private var omittedByteCount = 0

  /// Creates a text with the cursor at its end.
  package init(_ text: String) {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    line = TextLine(lines.popLast() ?? "")
    above = lines
  }

  /// The whole text.
  package var text: String { (above + [line.text] + below).joined(separator: "\n") }

  /// The message that the last text was not added, or not completely; nil if it was.
  package var omission: String? {
    guard omittedByteCount > 0 else { return line.omission }
    return "\(counted(omittedByteCount, "byte")) of the pasted text were too many and not added"
  }

  /// Handles a key; returns false if it has no meaning in the text.
  package mutating func edited(by key: Key) -> Bool {
    omittedByteCount = 0
    switch key {
    case .enter: breakLine()
    case .up where !above.isEmpty: move(to: above.count - 1)
    case .down where !below.isEmpty: move(to: above.count + 1)
    case .backspace where line.isAtStart && !above.isEmpty:
      let rest = line.text
      line = TextLine(above.removeLast())
      line.append(behindCursor: rest)
    case .delete where line.isAtEnd && !below.isEmpty: line.append(behindCursor: below.removeFirst())
    case .paste(let text, let omittedByteCount):
      for (index, piece) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
        if index > 0 { breakLine() }
        line.insert(String(piece))
      }
      self.omittedByteCount = omittedByteCount
    case .character, .left, .right, .home, .end, .backspace, .delete: line.pressed(key)
    case .control(let letter) where "bfaedukw".contains(letter): line.pressed(key)
    default: return false
    }
    return true
  }

  private mutating func breakLine() {
    let (before, after) = line.halves
    above.append(before)
    line = TextLine(after)
    line.pressed(.home)
  }

  /// Moves the cursor to another line, in about the same column.
  private mutating func move(to index: Int) {
    let column = line.halves.before.count
    let lines = above + [line.text] + below
    above = Array(lines[..<index])
    below = Array(lines[(index + 1)...])
    line = TextLine(lines[index])
    line.pressed(.home)
    for _ in 0..<min(column, lines[index].count) { line.pressed(.right) }
  }
}

extension TextBlock: @MainActor EditedText {
  package func draw(isFocused: Bool, on region: inout Region) {
    let rows = region.size.rows
    let first = isFocused ? max(min(above.count - rows / 2, above.count + 1 + below.count - rows), 0) : 0
    let lines = above + [line.text] + below
    for row in 0..<min(rows, max(lines.count - first, 0)) {
      if isFocused, first + row == above.count {
        line.draw(row, 0, on: &region)
      } else {
        region.text(row, 0, TextWidth.fit(lines[first + row], columns: region.size.columns))
      }
    }
  }
}
