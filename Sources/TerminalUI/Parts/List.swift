package import Terminal

/// A line of a list.
package nonisolated struct ListLine {
  package var text: String
  package var style: Style
  /// The number of characters at the beginning of the text that a search skips.
  package var unsearchedCount = 0
  /// True to mark the line as one whose last change the hub has not acknowledged.
  package var isPending = false

  /// Creates a line.
  package init(text: String, style: Style, unsearchedCount: Int = 0, isPending: Bool = false) {
    (self.text, self.style) = (text, style)
    (self.unsearchedCount, self.isPending) = (unsearchedCount, isPending)
  }
}

nonisolated extension Canvas {
  /// Draws the part of a list around the cursor, one element per row.
  ///
  /// - Parameter highlighted: The words to highlight, ignoring case.
  /// - Complexity: O(rows × columns), whatever the length of the list.
  package mutating func list<Elements: RandomAccessCollection>(
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
      highlight(highlighted, in: text, after: head.count + line.unsearchedCount, at: 0, row, style)
    }
  }

  /// Draws the words in a drawn text again, so that they stand out.
  ///
  /// - Parameters:
  ///   - start: The number of characters at the beginning of the text that are skipped.
  ///   - column: The column of the text.
  mutating func highlight(
    _ words: [String], in text: String, after start: Int = 0, at column: Int, _ row: Int, _ style: Style
  ) {
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
        let place = column + TextWidth.columns(of: String(characters[..<offset]))
        // Also without colours: in the line at the cursor, which is reversed, the words are not.
        let style = Style(.yellow, bold: true, reversed: !style.isReversed)
        self.text(row, place, String(characters[offset..<end]), style)
        offset = end
      }
    }
  }
}
