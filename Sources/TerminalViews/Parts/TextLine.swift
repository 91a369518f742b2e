public import Terminal

/// One line of text that somebody is writing, and where in it the cursor stands.
///
/// It is edited by characters as people see them: an `e` and its accent, which come as two keys, are one.
public nonisolated struct TextLine: Equatable, Sendable {
  /// How many bytes of UTF-8 a line has at the most; a key that would make it longer is not taken.
  public static let limit = 4096

  private var before: String
  private var after = ""

  /// A line with the cursor at its end.
  public init(_ text: String = "") {
    before = text
  }

  /// What has been written.
  public var text: String { before + after }

  /// Whether there is anything but spaces.
  public var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

  /// Takes a key: a character, or one of those that move and take away.
  public mutating func pressed(_ key: Key) {
    switch key {
    case .character(let character):
      guard text.utf8.count + character.utf8.count <= Self.limit else { return }
      before.append(character)
    case .left, .control("b"):
      if let character = before.popLast() { after = String(character) + after }
    case .right, .control("f"):
      if !after.isEmpty { before.append(after.removeFirst()) }
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): (before, after) = (text, "")
    case .backspace: _ = before.popLast()
    case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
    case .control("u"): before = ""
    case .control("k"): after = ""
    case .control("w"):
      while before.last?.isWhitespace == true { before.removeLast() }
      while let last = before.last, !last.isWhitespace { before.removeLast() }
    default: break
    }
  }

  /// Draws the line with its cursor from a column to the end of the row; of a longer line the part at the cursor.
  public func draw(_ row: Int, _ column: Int, on canvas: inout some Canvas) {
    let room = canvas.size.columns - column
    let cursor = after.first.map(String.init) ?? " "
    let cursorWidth = TextWidth.columns(of: cursor)
    var beginning = Substring(before)
    while TextWidth.columns(of: String(beginning)) + cursorWidth > room, !beginning.isEmpty { beginning.removeFirst() }
    canvas.text(row, column, String(beginning))
    let place = column + TextWidth.columns(of: String(beginning))
    canvas.text(row, place, cursor, Style(reversed: true))
    canvas.text(row, place + cursorWidth, String(after.dropFirst()))
  }
}
