/// Selects actions by words in their texts, ignoring case.
///
/// All words must occur, and none of those with a minus sign before them. Quotation marks make several words one:
///
/// ```
/// todos -timerTicked                  actions of the todos, without those of a timer
/// -"storectl send" "call the plumber"
/// ```
package struct ActionFilter: Equatable, Sendable {
  /// The words that must occur, in lower case.
  package private(set) var words: [String] = []
  /// The words that must not occur, in lower case.
  package private(set) var excludedWords: [String] = []

  /// Reads a filter as users write it. A minus sign or a quotation mark alone, as it stands while the rest is being
  /// typed, has no effect.
  package init(_ text: String = "") {
    var rest = Substring(text.lowercased())
    while true {
      rest = rest.drop(while: \.isWhitespace)
      guard let first = rest.first else { return }
      let isExcluded = first == "-"
      if isExcluded { rest.removeFirst() }
      let isQuoted = rest.first == "\""
      if isQuoted { rest.removeFirst() }
      let word = rest.prefix { isQuoted ? $0 != "\"" : !$0.isWhitespace }
      rest = rest[word.endIndex...].dropFirst(isQuoted ? 1 : 0)
      guard !word.isEmpty else { continue }
      if isExcluded { excludedWords.append(String(word)) } else { words.append(String(word)) }
    }
  }

  /// True if all actions match.
  package var isEmpty: Bool { words.isEmpty && excludedWords.isEmpty }

  /// Returns true if an action with these texts matches. A word may occur in any of them.
  /// - Complexity: O(words × length of the texts).
  package func matches(_ texts: some Collection<String>) -> Bool {
    guard !isEmpty else { return true }
    let lowered = texts.map { $0.lowercased() }
    func occurs(_ word: String) -> Bool { lowered.contains { $0.contains(word) } }
    return words.allSatisfy(occurs) && !excludedWords.contains(where: occurs)
  }
}
