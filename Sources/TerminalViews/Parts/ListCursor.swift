public import Terminal

/// The element of a list that keys act on.
///
/// It stays on its element wherever others move that. When the element goes away, the cursor is on what has taken its
/// place, and at the end of the list on the last one.
public nonisolated struct ListCursor<ID: Equatable & Sendable>: Equatable, Sendable {
  /// The element; nil in an empty list.
  public private(set) var id: ID?
  /// Where the element stands.
  public private(set) var position = 0

  /// A cursor that has not seen its list.
  public init() {}

  /// Finds the element again after the list may have changed.
  ///
  /// - Parameters:
  ///   - ids: The elements.
  ///   - find: Where an element stands now; nil when it is gone.
  public mutating func follow(_ ids: some RandomAccessCollection<ID>, _ find: (ID) -> Int?) {
    position = id.flatMap(find) ?? max(min(position, ids.count - 1), 0)
    id = ids.isEmpty ? nil : ids[ids.index(ids.startIndex, offsetBy: position)]
  }

  /// Goes to an element.
  public mutating func select(_ id: ID, at position: Int) {
    (self.id, self.position) = (id, position)
  }

  /// Moves as a key says.
  ///
  /// - Parameter rows: Where the list is drawn: as many elements are a screenful, and a click goes to one of them.
  /// - Returns: Whether the key was one that moves.
  public mutating func pressed(_ key: Key, _ ids: some RandomAccessCollection<ID>, in rows: Range<Int>) -> Bool {
    let target: Int
    switch key {
    case .up, .character("k"): target = position - 1
    case .down, .character("j"): target = position + 1
    case .wheelUp: target = position - 3
    case .wheelDown: target = position + 3
    case .pageUp: target = position - max(rows.count, 1)
    case .pageDown: target = position + max(rows.count, 1)
    case .home, .character("g"): target = 0
    case .end, .character("G"): target = ids.count - 1
    case .click(let row, _):
      let window = ListWindow(count: ids.count, cursor: position, rows: rows)
      guard let clicked = window.offset(at: row) else { return true }
      target = clicked
    default: return false
    }
    guard !ids.isEmpty else { return true }
    position = max(min(target, ids.count - 1), 0)
    id = ids[ids.index(ids.startIndex, offsetBy: position)]
    return true
  }

  /// Goes to the next element that matches, from behind the cursor or from it on, or to the one before it.
  ///
  /// - Returns: Whether there is one. The search goes on at the other end.
  /// - Complexity: O(n) calls of `matches`.
  public mutating func search(
    _ ids: some RandomAccessCollection<ID>, _ direction: SearchDirection, _ matches: (ID) -> Bool
  ) -> Bool {
    let count = ids.count
    for step in 0..<count {
      let offset =
        switch direction {
        case .here: (position + step) % count
        case .next: (position + step + 1) % count
        case .previous: (position + 2 * count - step - 1) % count
        }
      let id = ids[ids.index(ids.startIndex, offsetBy: offset)]
      guard matches(id) else { continue }
      select(id, at: offset)
      return true
    }
    return false
  }
}

/// Where a search goes on.
public nonisolated enum SearchDirection: Sendable {
  /// At the cursor.
  case here
  /// Behind it.
  case next
  /// Before it.
  case previous
}

/// Which elements of a list are in sight: those around the cursor, which is in the middle where possible.
nonisolated struct ListWindow {
  let rows: Range<Int>
  /// The elements, by their offsets.
  let offsets: Range<Int>

  init(count: Int, cursor: Int, rows: Range<Int>) {
    self.rows = rows
    let first = max(min(cursor - rows.count / 2, count - rows.count), 0)
    offsets = first..<max(min(first + rows.count, count), first)
  }

  /// The rows of a list, on a screen with a line above it where there is room for one.
  static func rows(under rows: Range<Int>) -> Range<Int> {
    rows.count >= 4 ? (rows.lowerBound + (rows.count >= 8 ? 2 : 1))..<rows.upperBound : rows
  }

  /// The element in a row; nil if there is none.
  func offset(at row: Int) -> Int? {
    let offset = offsets.lowerBound + row - rows.lowerBound
    return rows.contains(row) && offsets.contains(offset) ? offset : nil
  }
}

nonisolated extension Canvas {
  /// Draws the part of a list that is around the cursor, one element a row.
  ///
  /// - Complexity: O(rows), however long the list is.
  mutating func list<Elements: RandomAccessCollection>(
    _ elements: Elements, cursor: Int, in rows: Range<Int>, _ line: (Elements.Element) -> (text: String, style: Style)
  ) {
    let window = ListWindow(count: elements.count, cursor: cursor, rows: rows)
    for (row, offset) in zip(rows, window.offsets) {
      var (text, style) = line(elements[elements.index(elements.startIndex, offsetBy: offset)])
      text = TextWidth.fit((offset == cursor ? "› " : "  ") + text, columns: size.columns)
      if offset == cursor {
        style.isReversed = true
        text += String(repeating: " ", count: max(size.columns - TextWidth.columns(of: text), 0))
      }
      self.text(row, 0, text, style)
    }
  }
}
