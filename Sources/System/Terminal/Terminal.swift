internal import CNcurses
internal import Glibc

/// A terminal that is redrawn as a whole; ncurses sends only the changed cells.
///
/// ```swift
/// let terminal = try Terminal()
/// defer { terminal.close() }
/// terminal.draw { canvas in canvas.centered(0, "hello") }
/// ```
///
/// The owner of the loop polls `inputDescriptor` and calls `readKeys`. It calls `resized` on SIGWINCH, `suspend` on
/// SIGTSTP, `resumed` on SIGCONT, and `close` before any signal ends the process. No key is a signal, since pasted text
/// may contain all of them: the owner calls `requestStop` for Ctrl-Z.
package final class Terminal {
  private var screen: OpaquePointer?
  /// True from the request to stop until the process continues: drawing would take the terminal over again.
  private var hasLeft = false
  private let hasColors: Bool
  private let theme: Theme
  private var reader: KeyReader
  /// The sequences that turn bracketed paste on and off; empty if the terminal does not support it.
  private var pasteOn = "", pasteOff = ""

  /// The descriptor of the keyboard input.
  package let inputDescriptor: CInt = STDIN_FILENO

  /// Takes over the terminal: without echo, line editing and cursor.
  ///
  /// Where the locale does not support Unicode, other characters than ASCII are replaced by similar ones or question
  /// marks.
  ///
  /// - Parameters:
  ///   - theme: The colours; none if the environment has NO_COLOR.
  ///   - takesMouse: True to report the mouse; the terminal then selects text only with Shift.
  /// - Throws: An error if standard input or output is not a terminal, or one that ncurses does not know or cannot draw
  ///   on.
  package init(theme: Theme = .dark, takesMouse: Bool = true) throws(TerminalError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .notATerminal }
    setlocale(LC_ALL, "")
    let isUnicode = nl_langinfo(CInt(CODESET)).map { String(cString: $0) } == "UTF-8"
    reader = KeyReader(isUnicode: isUnicode)
    let name = getenv("TERM").map { String(cString: $0) } ?? ""
    var problem: CInt = 0
    if setupterm(nil, STDOUT_FILENO, &problem) == OK, cncurses_capability("cup") == nil {
      throw .cannotPlaceText(name: name)
    }
    // newterm() reports an unknown terminal; initscr() would end the process.
    guard let input = fdopen(dup(STDIN_FILENO), "r"), let output = fdopen(dup(STDOUT_FILENO), "w"),
      let screen = newterm(nil, output, input)
    else { throw .unknownTerminal(name: name) }
    // Widths follow Unicode even where its characters cannot be drawn.
    if !isUnicode { setlocale(LC_CTYPE, "C.UTF-8") }
    self.screen = screen
    set_term(screen)
    raw()
    noecho()
    nonl()
    curs_set(0)
    set_escdelay(25)
    nodelay(cncurses_screen(), true)
    keypad(cncurses_screen(), true)
    let noColor = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    self.theme = theme
    hasColors = has_colors() && noColor.isEmpty && theme != .mono
    if hasColors {
      start_color()
      use_default_colors()
      for color in Style.Color.allCases {
        if let number = theme.number(of: color, count: cncurses_color_count()) { init_pair(color.rawValue, number, -1) }
      }
    }
    if takesMouse {
      mousemask(cncurses_press | cncurses_wheel_up | cncurses_wheel_down, nil)
      mouseinterval(0)
    }
    takePastes()
    askForJoinedEmoji()
  }

  /// Asks the terminal whether it shows joined emoji, and those with skin tones, in two columns: draws one of each
  /// invisibly, and requests the position of the cursor after it.
  ///
  /// The answers are read like keys. Until then, and without them, only the first part of an emoji is drawn.
  private func askForJoinedEmoji() {
    guard reader.form.isUnicode, size.rows >= 2, size.columns >= 40 else { return }
    // Every answer must be known, because an unknown one would be read as Escape and characters.
    for width in 0...9 {
      define_key("\u{1b}[2;\(10 + width)R", width == 2 ? KeyReader.joinedAnswer : KeyReader.otherAnswer)
      define_key("\u{1b}[2;\(30 + width)R", width == 2 ? KeyReader.tonedAnswer : KeyReader.otherAnswer)
    }
    // Clears the screen and leaves the cursor in the upper left corner.
    wrefresh(cncurses_screen())
    let emoji = "\u{1b}[2;10H👩\u{200D}💻\u{1b}[6n\u{1b}[2;30H👍🏽\u{1b}[6n"
    send("\u{1b}[8m\(emoji)\u{1b}[m\u{1b}[2;10H    \u{1b}[2;30H    \u{1b}[H")
    reader.expectAnswers(2)
  }

  /// The time to wait for answers at the end.
  private static let answerTimeout = Duration.milliseconds(100)

  /// Waits for the answers that have not arrived, and discards them with all other input: the shell would read them.
  private func discardAnswers() {
    // A process in the background would be stopped.
    guard reader.pendingAnswerCount > 0, tcgetpgrp(inputDescriptor) == getpgrp() else { return }
    let end = ContinuousClock.now + Self.answerTimeout
    while true {
      _ = readKeys { _ in }
      let rest = CInt((end - ContinuousClock.now) / Duration.milliseconds(1))
      guard reader.pendingAnswerCount > 0, rest > 0 else { break }
      var input = pollfd(fd: inputDescriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&input, 1, rest)
      if count < 0, errno == EINTR { continue }
      // Also ends if the terminal is gone.
      guard count > 0, input.revents == Int16(POLLIN) else { break }
    }
    tcflush(inputDescriptor, TCIFLUSH)
    reader.forgetAnswers()
  }

  /// Asks the terminal to mark pasted text.
  private func takePastes() {
    // Older terminfo entries lack this capability; terminals ignore unknown modes.
    pasteOn = cncurses_capability("BE").map { String(cString: $0) } ?? "\u{1b}[?2004h"
    pasteOff = cncurses_capability("BD").map { String(cString: $0) } ?? "\u{1b}[?2004l"
    define_key(cncurses_capability("PS") ?? UnsafePointer(strdup("\u{1b}[200~")), KeyReader.pasteStart)
    define_key(cncurses_capability("PE") ?? UnsafePointer(strdup("\u{1b}[201~")), KeyReader.pasteEnd)
    send(pasteOn)
  }

  private func send(_ text: String) {
    _ = text.utf8.withContiguousStorageIfAvailable { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// Restores the terminal; further calls have no effect.
  package func close() {
    guard let screen else { return }
    discardAnswers()
    self.screen = nil
    send(pasteOff)
    endwin()
    delscreen(screen)
  }

  /// Restores the terminal and stops the processes of the job, as Ctrl-Z does outside of screens.
  ///
  /// The terminal comes first: of a job that a script started, the shell sees the script stop, and takes the terminal
  /// back before this process has handled the signal. Restoring it then would stop this process once more.
  package func requestStop() {
    leave()
    kill(0, SIGTSTP)
  }

  /// Restores the terminal until `resumed`. A process in the background leaves it as it is.
  private func leave() {
    guard screen != nil, !hasLeft, tcgetpgrp(inputDescriptor) == getpgrp() else { return }
    discardAnswers()
    send(pasteOff)
    endwin()
    hasLeft = true
  }

  /// Restores the terminal and stops the process. Takes the terminal over again when the process continues.
  ///
  /// Draw afterwards. The process does not stop if no other process could continue it.
  package func suspend() {
    guard screen != nil else { return }
    leave()
    var (standard, ours) = (sigaction(), sigaction())
    standard.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(SIGTSTP, &standard, &ours)
    raise(SIGTSTP)
    sigaction(SIGTSTP, &ours, nil)
    resumed()
  }

  /// Takes the terminal over again after the process was stopped, also by SIGSTOP. Draw afterwards.
  package func resumed() {
    guard screen != nil else { return }
    hasLeft = false
    reset_prog_mode()
    send(pasteOn)
    redraw()
    resized()
  }

  /// Lets the next `draw` send the whole screen, whatever the terminal shows.
  package func redraw() {
    if screen != nil { clearok(cncurses_current(), true) }
  }

  /// The size of the terminal.
  package var size: CanvasSize {
    CanvasSize(rows: Int(getmaxy(cncurses_screen())), columns: Int(getmaxx(cncurses_screen())))
  }

  /// Draws the whole screen; only the changes are sent.
  package func draw(_ content: (inout any Canvas) -> Void) {
    guard screen != nil, !hasLeft else { return }
    werase(cncurses_screen())
    var canvas: any Canvas = Window(size: size, theme: hasColors ? theme : .mono, form: reader.form)
    content(&canvas)
    wrefresh(cncurses_screen())
  }

  /// Adopts the terminal's new size. Call it on SIGWINCH, then draw.
  package func resized() {
    var (rows, columns): (CInt, CInt) = (0, 0)
    guard screen != nil, cncurses_terminal_size(STDOUT_FILENO, &rows, &columns) == 0 else { return }
    resizeterm(max(rows, 1), max(columns, 1))
  }

  /// Reads the pressed keys, without waiting for more.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of keys, so that a long paste does not block the loop.
  ///   - onKey: Called for each key.
  /// - Returns: True to call again, even if the descriptor is not readable, since ncurses may have buffered further
  ///   keys.
  package func readKeys(limit: Int = 1024, _ onKey: (Key) -> Void) -> Bool {
    var code: wint_t = 0
    for _ in 0..<limit {
      guard screen != nil else { return false }
      // ncurses might draw. Further keys are read after `resumed`.
      guard !hasLeft else { return false }
      let kind = wget_wch(cncurses_screen(), &code)
      guard kind != ERR else { return false }
      if let key = reader.key(kind: kind, code: code) { onKey(key) }
    }
    return true
  }
}

/// The reasons why a terminal cannot be taken over.
package nonisolated enum TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Standard input or output is a file or a pipe.
  case notATerminal
  /// ncurses has no description of the terminal.
  case unknownTerminal(name: String)
  /// The terminal cannot place text, for example because it prints on paper.
  case cannotPlaceText(name: String)

  /// The problem and the remedy.
  package var description: String {
    switch self {
    case .notATerminal:
      "standard input and output must be a terminal"
    case .unknownTerminal(let name):
      "unknown terminal '\(name)'; set TERM to a known one, such as xterm-256color"
    case .cannotPlaceText(let name):
      "a terminal of the type '\(name)' cannot show screens; set TERM to what it is, or use `storectl watch`"
    }
  }
}

/// The whole screen of the terminal as a canvas.
private struct Window: Canvas {
  let size: CanvasSize
  let theme: Theme
  let form: Glyphs.Form

  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    guard 0..<size.rows ~= row, 0..<size.columns ~= column else { return }
    let style = theme.drawn(style, count: cncurses_color_count())
    var attributes: attr_t = 0
    if style.isBold { attributes |= cncurses_bold }
    if style.isDim { attributes |= cncurses_dim }
    if style.isReversed { attributes |= cncurses_reverse }
    let pair = theme == .mono ? 0 : style.color.rawValue
    wattr_set(cncurses_screen(), attributes, pair, nil)
    for piece in Glyphs.pieces(text, columns: size.columns - column, form) {
      let column = CInt(column + piece.column)
      if piece.isJoined {
        let scalars = piece.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
        cncurses_add_joined(CInt(row), column, scalars, CInt(scalars.count), attributes, pair)
      } else {
        mvwaddnstr(cncurses_screen(), CInt(row), column, piece.text, -1)
      }
    }
    wattr_set(cncurses_screen(), 0, 0, nil)
  }
}
