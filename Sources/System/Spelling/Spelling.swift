/// Finds the words that a user probably meant.
package enum Spelling {
  /// Longer words are compared by their prefixes, because a peer may choose them.
  private static let longest = 64

  /// The words that resemble another one, closest first.
  ///
  /// A word resembles another one if few letters are wrong, missing, too many or swapped, or if one begins with the
  /// other, also with few wrong letters.
  /// - Complexity: O(words × letters²), with at most 64 letters each.
  package static func nearest(to word: String, among words: some Sequence<String>, limit: Int = 3) -> [String] {
    let wanted = letters(of: word)
    guard !wanted.isEmpty else { return [] }
    var ranked: [(distance: Int, word: String)] = []
    var seen: Set<String> = []
    for candidate in words where seen.insert(candidate).inserted {
      let other = letters(of: candidate)
      let (edits, beginning) = distance(wanted, other)
      if edits <= max(1, min(wanted.count, other.count) / 3) {
        ranked.append((edits, candidate))
      } else if wanted.count >= 3, other.starts(with: wanted) || contains(other, wanted) {
        ranked.append((longest + edits, candidate))
      } else if wanted.first == other.first, beginning <= wanted.count / 4 {
        ranked.append((2 * longest + edits, candidate))
      }
    }
    // One wrong letter is more likely than three, and a beginning without wrong letters than one with some.
    let best = ranked.map(\.distance).min() ?? 0
    let furthest = best < longest ? best : best < 2 * longest ? 2 * longest - 1 : .max
    return ranked.filter { $0.distance <= furthest }
      .sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(limit).map(\.word)
  }

  /// A question for the end of an error message, such as `; did you mean 'count'?`; empty without suggestions.
  package static func question(_ suggestions: [String]) -> String {
    guard let last = suggestions.last else { return "" }
    let quoted = suggestions.dropLast().map { "'\($0)'" }.joined(separator: ", ")
    return "; did you mean \(quoted)\(quoted.isEmpty ? "" : " or ")'\(last)'?"
  }

  private static func letters(of word: String) -> [Character] { Array(word.prefix(longest).lowercased()) }

  private static func contains(_ word: [Character], _ part: [Character]) -> Bool {
    word.indices.contains { word[$0...].starts(with: part) }
  }

  /// The minimum number of insertions, deletions, replacements and swaps of adjacent letters that turn one word into
  /// the other, and into a beginning of the other.
  private static func distance(_ one: [Character], _ other: [Character]) -> (whole: Int, beginning: Int) {
    var older: [Int] = []
    var previous = Array(0...other.count)
    for row in one.indices {
      var current = [row + 1]
      for column in other.indices {
        let isSame = one[row] == other[column]
        var best = min(previous[column] + (isSame ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          best = min(best, older[column - 1] + 1)
        }
        current.append(best)
      }
      (older, previous) = (previous, current)
    }
    return (previous[other.count], previous.min() ?? one.count)
  }
}
