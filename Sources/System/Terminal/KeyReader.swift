internal import CNcurses

/// Converts the input from ncurses to keys.
struct KeyReader {
  /// The ncurses codes for the start and the end of a paste, beyond those of all keys.
  static let pasteStart = KEY_MAX + 1
  static let pasteEnd = KEY_MAX + 2
  /// The codes for the answers of a terminal that shows a joined emoji, or one with a skin tone, in two columns, and
  /// for other answers.
  static let joinedAnswer = KEY_MAX + 3
  static let tonedAnswer = KEY_MAX + 4
  static let otherAnswer = KEY_MAX + 5
  /// The maximum number of characters kept of a paste.
  static let pasteLimit = 65_536

  /// The beginning of an incomplete paste.
  private var pasted: String.UnicodeScalarView?
  private var pastedCount = 0
  /// The size of the characters beyond the limit.
  private var omittedByteCount = 0
  /// The form of text, according to the terminal's answers.
  private(set) var form: Glyphs.Form
  /// The number of requested answers that have not arrived.
  private(set) var pendingAnswerCount = 0

  init(isUnicode: Bool) { form = Glyphs.Form(isUnicode: isUnicode) }

  /// Notes that answers were requested.
  mutating func expectAnswers(_ count: Int) { pendingAnswerCount += count }

  /// Gives up answers that have not arrived.
  mutating func forgetAnswers() { pendingAnswerCount = 0 }

  /// Adds a result of `wget_wch`. Returns the key, unless the result is only a part of one.
  mutating func key(kind: CInt, code: wint_t) -> Key? {
    let function = kind == KEY_CODE_YES ? CInt(bitPattern: code) : nil
    if function == Self.pasteStart {
      (pasted, pastedCount, omittedByteCount) = (String.UnicodeScalarView(), 0, 0)
      return nil
    }
    if function == Self.pasteEnd {
      return pasted.take().map { .paste(String($0), omittedByteCount: omittedByteCount) }
    }
    if let function, Self.joinedAnswer...Self.otherAnswer ~= function {
      if function == Self.joinedAnswer { form.joinsEmoji = true }
      if function == Self.tonedAnswer { form.hasSkinTones = true }
      pendingAnswerCount = max(pendingAnswerCount - 1, 0)
      return nil
    }
    if pasted != nil {
      // Function keys are not text.
      guard function == nil, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
      if pastedCount < Self.pasteLimit {
        pasted?.append(scalar)
        pastedCount += 1
      } else {
        omittedByteCount += UTF8.width(scalar)
      }
      return nil
    }
    return function.map(Self.functionKey) ?? Self.plainKey(code)
  }

  private static func functionKey(_ code: CInt) -> Key {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    case KEY_BTAB: .backTab
    case KEY_ENTER: .enter
    case KEY_MOUSE: mouse()
    default: .other
    }
  }

  private static func mouse() -> Key {
    var event = MEVENT()
    guard getmouse(&event) == OK else { return .other }
    if event.bstate & cncurses_wheel_up != 0 { return .wheelUp }
    if event.bstate & cncurses_wheel_down != 0 { return .wheelDown }
    if event.bstate & cncurses_press != 0 { return .click(row: Int(event.y), column: Int(event.x)) }
    return .other
  }

  private static func plainKey(_ code: wint_t) -> Key {
    switch code {
    case 27: return .escape
    case 9: return .tab
    // Terminals send either code, regardless of terminfo.
    case 8, 127: return .backspace
    case 10, 13: return .enter
    case 1...26: return .control(Character(Unicode.Scalar(UInt8(code) + 96)))
    default:
      guard let scalar = Unicode.Scalar(UInt32(code)), scalar.properties.generalCategory != .control else {
        return .other
      }
      return .character(Character(scalar))
    }
  }
}
