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

  /// Moves as a key says, by `page` elements where that means a screenful.
  ///
  /// - Returns: Whether the key was one that moves.
  public mutating func pressed(_ key: Key, _ ids: some RandomAccessCollection<ID>, page: Int = 10) -> Bool {
    let target: Int
    switch key {
    case .up, .character("k"): target = position - 1
    case .down, .character("j"): target = position + 1
    case .pageUp: target = position - page
    case .pageDown: target = position + page
    case .home, .character("g"): target = 0
    case .end, .character("G"): target = ids.count - 1
    default: return false
    }
    guard !ids.isEmpty else { return true }
    position = max(min(target, ids.count - 1), 0)
    id = ids[ids.index(ids.startIndex, offsetBy: position)]
    return true
  }
}

nonisolated extension Canvas {
  /// Draws the part of a list that is around the cursor, one element a row, the cursor's in the middle where possible.
  mutating func list<Elements: RandomAccessCollection>(
    _ elements: Elements, cursor: Int, in rows: Range<Int>, _ line: (Elements.Element) -> (text: String, style: Style)
  ) {
    let first = max(min(cursor - rows.count / 2, elements.count - rows.count), 0)
    for (row, offset) in zip(rows, first..<elements.count) {
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
