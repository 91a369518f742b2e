/// Finds texts by the characters of a query in their order, as in `ordck` for `orders.cookStarted`.
package enum FuzzyMatch {
  /// The quality of a match, the higher the better; nil if the query does not occur.
  ///
  /// Matches at the beginnings of words and of characters that follow each other count most. Spaces of the query are
  /// ignored, and so is its case.
  /// - Complexity: O(length of the text).
  package static func score(_ query: String, _ text: String) -> Int? {
    let wanted = query.lowercased().filter { !$0.isWhitespace }
    guard !wanted.isEmpty else { return 0 }
    let lowered = text.lowercased()
    if lowered.contains(wanted) { return 1000 + (lowered.hasPrefix(wanted) ? 500 : 0) - min(text.count, 400) }
    var (score, run): (Int, Int) = (0, 0)
    var rest = Substring(wanted)
    var previous: Character = "."
    for character in text {
      guard let next = rest.first else { break }
      if character.lowercased() == String(next) {
        rest.removeFirst()
        let startsWord = character.isUppercase || ".[ ".contains(previous)
        score += 1 + 3 * run + (startsWord ? 8 : 0)
        run += 1
      } else {
        run = 0
      }
      previous = character
    }
    return rest.isEmpty ? score : nil
  }

  /// The items whose text matches, the best first; in the given order for equal matches and for an empty query.
  package static func sorted<Item>(_ items: [Item], by query: String, _ text: (Item) -> String) -> [Item] {
    guard query.contains(where: { !$0.isWhitespace }) else { return items }
    return items.enumerated().compactMap { offset, item in
      score(query, text(item)).map { (score: $0, offset: offset, item: item) }
    }.sorted { ($1.score, $0.offset) < ($0.score, $1.offset) }.map(\.item)
  }
}
