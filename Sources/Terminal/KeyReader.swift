internal import CNcurses

/// Makes keys of what ncurses reads.
struct KeyReader {
  /// The codes that ncurses gives for the two ends of a paste; greater than those of any key.
  static let pasteStart = KEY_MAX + 1
  static let pasteEnd = KEY_MAX + 2
  /// The most characters of a paste that are kept.
  private static let pasteLimit = 65_536

  /// The beginning of a paste whose end has not come.
  private var pasted: String.UnicodeScalarView?
  private var pastedCount = 0

  /// Takes what `wget_wch` gave; returns the key, unless it is only part of one.
  mutating func key(kind: CInt, code: wint_t) -> Key? {
    let function = kind == KEY_CODE_YES ? CInt(bitPattern: code) : nil
    if function == Self.pasteStart {
      (pasted, pastedCount) = (String.UnicodeScalarView(), 0)
      return nil
    }
    if function == Self.pasteEnd {
      return pasted.take().map { .paste(String($0)) }
    }
    if pasted != nil {
      // What looks like a function key is no text.
      if function == nil, let scalar = Unicode.Scalar(UInt32(code)), pastedCount < Self.pasteLimit {
        pasted?.append(scalar)
        pastedCount += 1
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
    // Terminals send one or the other, whatever terminfo says.
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
