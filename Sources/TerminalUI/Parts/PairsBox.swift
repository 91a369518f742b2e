package import Terminal

/// A box over a screen with lines of two columns, such as keys and their meanings. It scrolls if it is too long.
package nonisolated struct PairsBox: Equatable, Sendable {
  /// A name and its text.
  package struct Pair: Equatable, Sendable {
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
  }

  package var title: String
  /// The pairs; one with an empty name and text is an empty line.
  package var pairs: [Pair]
  /// The maximum number of columns of the lines.
  package var columnLimit = 46

  /// Creates a box.
  package init(title: String, pairs: [Pair], columnLimit: Int = 46) {
    (self.title, self.pairs, self.columnLimit) = (title, pairs, columnLimit)
  }

  /// Returns the first visible line, as near as possible to the wanted one.
  package func first(_ wanted: Int, rows: Int, columns: Int) -> Int {
    let form = form(rows: rows, columns: columns)
    return max(min(wanted, form.text(pairs).count - form.rows), 0)
  }

  private func form(rows: Int, columns: Int) -> Form { Form(rows: rows, columns: columns, columnLimit: columnLimit) }

  /// The room for the text: within a box if there is enough.
  private struct Form {
    let rows: Int
    let columns: Int
    let hasBox: Bool

    init(rows: Int, columns: Int, columnLimit: Int) {
      hasBox = rows >= 5 && columns >= 30
      (self.rows, self.columns) = hasBox ? (rows - 2, min(columns - 8, columnLimit)) : (rows, columns)
    }

    /// The lines of the text. A text that is too long goes on in further lines.
    func text(_ pairs: [Pair]) -> [String] {
      let width = pairs.map { TextWidth.columns(of: $0.name) }.max() ?? 0
      // In a narrow terminal the text has lines of its own.
      let isNarrow = columns - width - 2 < 22
      let room = isNarrow ? columns - 2 : columns - width - 2
      return pairs.flatMap { pair -> [String] in
        if pair.name.isEmpty, pair.text.isEmpty { return [""] }
        let parts = TextWidth.wrap(pair.text, columns: room)
        if isNarrow {
          return (pair.name.isEmpty ? [] : [TextWidth.fit(pair.name, columns: columns)]) + parts.map { "  " + $0 }
        }
        let blank = String(repeating: " ", count: width + 2)
        let head = pair.name + blank.dropFirst(TextWidth.columns(of: pair.name))
        return parts.enumerated().map { ($0 == 0 ? head : blank) + $1 }
      }
    }
  }

  /// Draws as many lines as there is room for.
  package func draw(from wanted: Int, in rows: Range<Int>, on canvas: inout some Canvas) {
    let form = form(rows: rows.count, columns: canvas.size.columns)
    let first = first(wanted, rows: rows.count, columns: canvas.size.columns)
    let lines = form.text(pairs)
    let shown = Array(lines.dropFirst(first).prefix(form.rows))
    if form.hasBox {
      let top = rows.lowerBound + max((rows.count - shown.count - 2) / 2, 0)
      let width = min(canvas.size.columns - 4, columnLimit + 4)
      canvas.box(shown, title: title, Style(.cyan), top: top, width: width)
    } else {
      let blank = String(repeating: " ", count: canvas.size.columns)
      for row in rows { canvas.text(row, 0, blank) }
      for (row, line) in zip(rows, shown) { canvas.text(row, 0, line) }
    }
  }
}

/// An open box and its first visible line.
package nonisolated struct OpenBox: Equatable, Sendable {
  package var box: PairsBox
  package var line = 0

  /// Opens a box at its first line.
  package init(box: PairsBox) { self.box = box }

  /// Handles a key; returns false if the key closes the box.
  package mutating func scrolled(by key: Key, rows: Int, columns: Int) -> Bool {
    func first(_ wanted: Int) -> Int { box.first(wanted, rows: rows, columns: columns) }
    switch key {
    case .down, .wheelDown, .character("j"): line = first(line + 1)
    case .up, .wheelUp, .character("k"): line = max(line - 1, 0)
    case .pageDown, .character(" "): line = first(line + rows)
    case .pageUp: line = max(line - rows, 0)
    case .home, .character("g"): line = 0
    case .end, .character("G"): line = first(.max / 2)
    default: return false
    }
    return true
  }
}
