/// Names of source code as people read them.
package enum Wording {
  /// The words of a name in lower case, without its abbreviations: `onTheStove` becomes `on the stove`, `imageURL`
  /// becomes `image URL`.
  /// - Complexity: O(length).
  package static func words(_ name: String) -> String {
    let characters = Array(name)
    var (words, word): ([String], [Character]) = ([], [])
    func isUpper(_ index: Int) -> Bool { characters.indices.contains(index) && characters[index].isUppercase }
    for (index, character) in characters.enumerated() {
      let isBoundary = character == "_" || character == "-" || character == " "
      // A capital after a small letter, or the last of several before a small letter.
      let endsSmall = isUpper(index) && !word.isEmpty && !isUpper(index - 1)
      let startsWord =
        isUpper(index) && isUpper(index - 1) && characters.dropFirst(index + 1).first?.isLowercase == true
      if !word.isEmpty, isBoundary || endsSmall || startsWord {
        words.append(String(word))
        word = []
      }
      if !isBoundary { word.append(character) }
    }
    if !word.isEmpty { words.append(String(word)) }
    return words.map { $0.count > 1 && $0.allSatisfy { $0.isUppercase || $0.isNumber } ? $0 : $0.lowercased() }
      .joined(separator: " ")
  }

  /// The words with a capital at the beginning: `nextNumber` becomes `Next number`.
  package static func title(_ name: String) -> String {
    let words = words(name)
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// A noun with its number, such as `1 item` or `3 items`; `none` for 0.
  package static func count(_ count: Int, _ noun: String = "item") -> String {
    count == 0 ? "none" : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
