import Terminal

/// A line of a list.
nonisolated struct ListLine {
  var text: String
  var style: Style
  /// The number of characters at the beginning of the text that a search skips.
  var unsearchedCount = 0
  /// True to mark the line as one whose last change the hub has not acknowledged.
  var isPending = false
}

nonisolated extension Canvas {
  /// Draws the part of a list around the cursor, one element per row.
  ///
  /// - Parameter highlighted: The words to highlight, ignoring case.
  /// - Complexity: O(rows × columns), whatever the length of the list.
  mutating func list<Elements: RandomAccessCollection>(
    _ elements: Elements, cursor: Int, in rows: Range<Int>, highlighted: [String] = [],
    _ line: (Elements.Element) -> ListLine
  ) {
    let window = ListWindow(count: elements.count, cursor: cursor, rows: rows)
    for (row, offset) in zip(rows, window.offsets) {
      let line = line(elements[elements.index(elements.startIndex, offsetBy: offset)])
      let isAtCursor = offset == cursor
      let head = (isAtCursor ? "›" : " ") + (line.isPending ? "~" : " ")
      var (text, style) = (TextWidth.fit(head + line.text, columns: size.columns), line.style)
      if isAtCursor {
        style.isReversed = true
        text += String(repeating: " ", count: max(size.columns - TextWidth.columns(of: text), 0))
      }
      self.text(row, 0, text, style)
      highlight(highlighted, in: text, after: head.count + line.unsearchedCount, row, style)
    }
  }

  /// Draws the words in a drawn text again, so that they stand out.
  private mutating func highlight(_ words: [String], in text: String, after start: Int, _ row: Int, _ style: Style) {
    guard !words.isEmpty else { return }
    let characters = Array(text)
    let lowered = characters.map { $0.lowercased() }
    for word in words {
      let wanted = word.map { $0.lowercased() }
      var offset = start
      while !wanted.isEmpty, offset + wanted.count <= characters.count {
        let end = offset + wanted.count
        guard lowered[offset..<end].elementsEqual(wanted) else {
          offset += 1
          continue
        }
        let column = TextWidth.columns(of: String(characters[..<offset]))
        // Also without colours: in the line at the cursor, which is reversed, the words are not.
        let style = Style(.yellow, bold: true, reversed: !style.isReversed)
        self.text(row, column, String(characters[offset..<end]), style)
        offset = end
      }
    }
  }
}
