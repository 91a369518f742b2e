internal import CNcurses
internal import Glibc

/// A terminal that is drawn on as a whole: ncurses, which sends only the cells that have changed.
///
/// ```swift
/// let terminal = try Terminal()
/// defer { terminal.close() }
/// terminal.draw { canvas in canvas.centered(0, "hello") }
/// ```
///
/// Whoever owns the loop polls `inputDescriptor` and calls `readKeys`, and calls `resized` on SIGWINCH.
public final class Terminal {
  private var screen: OpaquePointer?
  private let hasColors: Bool

  /// The descriptor that keys come from.
  public let inputDescriptor: CInt = STDIN_FILENO

  /// Takes the terminal over: no echo, no line editing, no cursor.
  ///
  /// - Throws: When standard input or output is no terminal, or one that ncurses does not know.
  public init() throws(TerminalError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .notATerminal }
    setlocale(LC_ALL, "")
    // initscr() would end the process on a terminal that it does not know; newterm() says so.
    guard let input = fdopen(dup(STDIN_FILENO), "r"), let output = fdopen(dup(STDOUT_FILENO), "w"),
      let screen = newterm(nil, output, input)
    else { throw .unknownTerminal(name: getenv("TERM").map { String(cString: $0) } ?? "") }
    self.screen = screen
    set_term(screen)
    cbreak()
    noecho()
    nonl()
    curs_set(0)
    set_escdelay(25)
    nodelay(cncurses_screen(), true)
    keypad(cncurses_screen(), true)
    hasColors = has_colors() && getenv("NO_COLOR") == nil
    if hasColors {
      start_color()
      use_default_colors()
      let colors: [(Style.Color, Int32)] = [
        (.red, COLOR_RED), (.green, COLOR_GREEN), (.yellow, COLOR_YELLOW), (.blue, COLOR_BLUE), (.cyan, COLOR_CYAN),
      ]
      for (color, number) in colors { init_pair(color.rawValue, Int16(number), -1) }
    }
  }

  /// Gives the terminal back as it was; a second call changes nothing.
  public func close() {
    guard let screen else { return }
    self.screen = nil
    endwin()
    delscreen(screen)
  }

  /// Draws everything anew; only what differs from what is on the screen is sent.
  public func draw(_ content: (inout any Canvas) -> Void) {
    guard screen != nil else { return }
    werase(cncurses_screen())
    var canvas: any Canvas = Window(hasColors: hasColors)
    content(&canvas)
    wrefresh(cncurses_screen())
  }

  /// Takes the terminal's new size over; call it on SIGWINCH, then draw.
  public func resized() {
    var (rows, columns): (CInt, CInt) = (0, 0)
    guard screen != nil, cncurses_terminal_size(STDOUT_FILENO, &rows, &columns) == 0 else { return }
    resizeterm(max(rows, 1), max(columns, 1))
  }

  /// Hands over the keys that were pressed, without waiting for more.
  ///
  /// - Parameters:
  ///   - limit: The most keys, so that a long paste does not keep the loop from signals and the hub.
  ///   - onKey: Called for each key.
  /// - Returns: Whether to call again, even if the descriptor is not readable: ncurses may have read further keys.
  public func readKeys(limit: Int = 1024, _ onKey: (Key) -> Void) -> Bool {
    var code: wint_t = 0
    for _ in 0..<limit {
      guard screen != nil else { return false }
      let kind = wget_wch(cncurses_screen(), &code)
      guard kind != ERR else { return false }
      onKey(kind == KEY_CODE_YES ? Self.functionKey(code) : Self.key(code))
    }
    return true
  }

  private static func functionKey(_ code: wint_t) -> Key {
    switch CInt(bitPattern: code) {
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
    default: .other
    }
  }

  private static func key(_ code: wint_t) -> Key {
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

/// Why a terminal cannot be taken over.
public nonisolated enum TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Standard input or output is a file or a pipe.
  case notATerminal
  /// ncurses has no description of the terminal.
  case unknownTerminal(name: String)

  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .notATerminal:
      "standard input and output must be a terminal"
    case .unknownTerminal(let name):
      "unknown terminal “\(name)”; set TERM to a known one, such as xterm-256color"
    }
  }
}

/// The terminal's whole screen as a canvas.
private struct Window: Canvas {
  let size = CanvasSize(rows: Int(getmaxy(cncurses_screen())), columns: Int(getmaxx(cncurses_screen())))
  let hasColors: Bool

  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    guard 0..<size.rows ~= row, 0..<size.columns ~= column else { return }
    // Text from others must not move the cursor, nor reverse what stands beside it.
    let printable = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.properties.generalCategory != .control && !$0.properties.isBidiControl }))
    let visible = TextWidth.prefix(of: printable, columns: size.columns - column)
    var attributes: attr_t = 0
    if style.isBold { attributes |= cncurses_bold }
    if style.isDim { attributes |= cncurses_dim }
    if style.isReversed { attributes |= cncurses_reverse }
    let pair = hasColors ? style.color.rawValue : 0
    wattr_set(cncurses_screen(), attributes, pair, nil)
    mvwaddnstr(cncurses_screen(), CInt(row), CInt(column), visible, -1)
    wattr_set(cncurses_screen(), 0, 0, nil)
  }
}
