internal import ProgramOptions
package import Terminal

/// A line of text that the user edits, with a cursor.
///
/// Editing treats characters as users see them: an `e` and its accent are one character, even if they come as two keys.
/// A key costs O(1), drawing O(columns).
package nonisolated struct TextLine: Equatable, Sendable {
  /// The maximum size of a line in bytes of UTF-8. Text beyond it is not added, but counted.
  package static let limit = 4096

  private var before: String
  /// The characters after the cursor, in reverse order.
  private var after: [Character] = []
  private var afterByteCount = 0
  /// The size of the text that was typed or pasted since the last other key, but not added.
  private var omittedByteCount = 0

  /// Creates a line with the cursor at its end.
  package init(_ text: String = "") {
    before = text
  }

  /// The whole line.
  /// - Complexity: O(n).
  package var text: String { before + String(after.reversed()) }

  /// True if the line contains only spaces.
  package var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

  /// The message that the last text was not added, or not completely; nil if it was.
  package var omission: String? {
    guard omittedByteCount > 0 else { return nil }
    let verb = omittedByteCount == 1 ? "was" : "were"
    return "the text is full at \(Self.limit) bytes; \(counted(omittedByteCount, "byte")) \(verb) not added"
  }

  /// Inserts as much of a text as the line can hold; line breaks become spaces.
  /// - Complexity: O(length of the text).
  package mutating func insert(_ text: String) {
    var isBehindBreak = false
    for character in text {
      let isBreak = character.isNewline || character == "\t"
      // A line break at the end of copied text is not intended.
      if isBreak {
        isBehindBreak = true
        continue
      }
      guard character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { continue }
      if isBehindBreak { pressed(.character(" ")) }
      isBehindBreak = false
      pressed(.character(character))
    }
  }

  /// Handles a key: a character, a paste, or a key that moves the cursor or deletes.
  package mutating func pressed(_ key: Key) {
    switch key {
    case .character, .paste: break
    default: omittedByteCount = 0
    }
    switch key {
    case .character(let character):
      let byteCount = before.utf8.count + afterByteCount + character.utf8.count
      // No smaller character after an omitted one is added, so that the text has no gaps.
      guard omittedByteCount == 0, byteCount <= Self.limit else { return omittedByteCount += character.utf8.count }
      before.append(character)
    case .paste(let text, let omittedByteCount):
      insert(text)
      self.omittedByteCount += omittedByteCount
    case .left, .control("b"):
      if let character = before.popLast() {
        after.append(character)
        afterByteCount += character.utf8.count
      }
    case .right, .control("f"): if let character = popAfter() { before.append(character) }
    case .home, .control("a"): moveToStart()
    case .end, .control("e"): self = TextLine(text)
    case .backspace: _ = before.popLast()
    case .delete, .control("d"): _ = popAfter()
    case .control("u"): before = ""
    case .control("k"): (after, afterByteCount) = ([], 0)
    case .control("w"):
      while before.last?.isWhitespace == true { before.removeLast() }
      while let last = before.last, !last.isWhitespace { before.removeLast() }
    default: break
    }
  }

  /// True if the cursor is at the start or at the end of the line.
  var isAtStart: Bool { before.isEmpty }
  var isAtEnd: Bool { after.isEmpty }

  /// The text before and behind the cursor.
  var halves: (before: String, after: String) { (before, String(after.reversed())) }

  /// Adds text at the end of the line; the cursor stays.
  mutating func append(behindCursor text: String) {
    after.insert(contentsOf: text.reversed(), at: 0)
    afterByteCount += text.utf8.count
  }

  private mutating func popAfter() -> Character? {
    guard let character = after.popLast() else { return nil }
    afterByteCount -= character.utf8.count
    return character
  }

  private mutating func moveToStart() {
    let text = text
    (before, after, afterByteCount) = ("", text.reversed(), text.utf8.count)
  }

  /// Draws the line with its cursor from a column to the end of the row; a longer line is drawn around the cursor.
  package func draw(_ row: Int, _ column: Int, on canvas: inout some Canvas) {
    let room = canvas.size.columns - column
    let cursor = after.last ?? " "
    let cursorWidth = TextWidth.columns(of: cursor)
    var (start, width) = (before.endIndex, 0)
    while start > before.startIndex {
      let previous = before.index(before: start)
      let added = TextWidth.columns(of: before[previous])
      guard width + added + cursorWidth <= room else { break }
      (start, width) = (previous, width + added)
    }
    canvas.text(row, column, String(before[start...]))
    canvas.text(row, column + width, String(cursor), Style(reversed: true))
    let visible = after.dropLast().suffix(max(room, 0)).reversed()
    canvas.text(row, column + width + cursorWidth, String(visible))
  }
}
