package import Terminal

/// The selected element of a list.
///
/// The cursor stays on its element wherever other clients move it. If the element is removed, the cursor moves to the
/// element in its place, or at the end of the list to the last one.
package nonisolated struct ListCursor<ID: Equatable>: Equatable {
  /// The element; nil in an empty list.
  package private(set) var id: ID?
  /// The position of the element.
  package private(set) var position = 0

  /// Creates a cursor for an unknown list.
  package init() {}

  /// Updates the position after the list may have changed.
  ///
  /// - Parameters:
  ///   - ids: The elements.
  ///   - find: Returns the current position of an element, or nil if it was removed.
  package mutating func follow(_ ids: some RandomAccessCollection<ID>, _ find: (ID) -> Int?) {
    position = id.flatMap(find) ?? max(min(position, ids.count - 1), 0)
    id = ids.isEmpty ? nil : ids[ids.index(ids.startIndex, offsetBy: position)]
  }

  /// Selects an element.
  package mutating func select(_ id: ID, at position: Int) {
    (self.id, self.position) = (id, position)
  }

  /// Handles a key that moves the cursor.
  ///
  /// - Parameter pageSize: The number of rows on the screen.
  /// - Returns: False if the key does not move the cursor.
  package mutating func pressed(_ key: Key, _ ids: some RandomAccessCollection<ID>, pageSize: Int) -> Bool {
    let target: Int
    switch key {
    case .up, .character("k"): target = position - 1
    case .down, .character("j"): target = position + 1
    case .wheelUp: target = position - 3
    case .wheelDown: target = position + 3
    case .pageUp: target = position - max(pageSize, 1)
    case .pageDown: target = position + max(pageSize, 1)
    case .home, .character("g"): target = 0
    case .end, .character("G"): target = ids.count - 1
    default: return false
    }
    guard !ids.isEmpty else { return true }
    position = max(min(target, ids.count - 1), 0)
    id = ids[ids.index(ids.startIndex, offsetBy: position)]
    return true
  }

  /// Selects the next or previous element that matches. The search wraps around at the end of the list.
  ///
  /// - Returns: False if there is none.
  /// - Complexity: O(n) calls of `matches`.
  package mutating func search(
    _ ids: some RandomAccessCollection<ID>, _ direction: SearchDirection, _ matches: (ID) -> Bool
  ) -> Bool {
    search(ids, direction) { _, id in matches(id) }
  }

  /// Selects the next or previous element that matches, of which `matches` gets the offset and the id.
  package mutating func search(
    _ ids: some RandomAccessCollection<ID>, _ direction: SearchDirection, _ matches: (Int, ID) -> Bool
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
      guard matches(offset, id) else { continue }
      select(id, at: offset)
      return true
    }
    return false
  }
}

nonisolated extension ListCursor: Sendable where ID: Sendable {}

/// The start of a search.
package nonisolated enum SearchDirection: Sendable {
  /// At the cursor.
  case here
  /// After the cursor.
  case next
  /// Before the cursor.
  case previous
}

/// The visible elements of a list: those around the cursor, which is in the middle where possible.
package nonisolated struct ListWindow {
  let rows: Range<Int>
  /// The elements, by their offsets.
  let offsets: Range<Int>

  package init(count: Int, cursor: Int, rows: Range<Int>) {
    self.rows = rows
    let first = max(min(cursor - rows.count / 2, count - rows.count), 0)
    offsets = first..<max(min(first + rows.count, count), first)
  }

  /// Returns the rows of a list on a screen that has a line above it if there is room.
  package static func rows(under rows: Range<Int>) -> Range<Int> {
    rows.count >= 4 ? (rows.lowerBound + (rows.count >= 8 ? 2 : 1))..<rows.upperBound : rows
  }
}
