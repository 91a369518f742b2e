internal import Glibc

/// Runs a view in the terminal of the process, on a loop: keys, resizing, suspension, redrawing.
///
/// ```swift
/// let host = try TerminalHost(on: loop, QueueView(store: store))
/// host.onQuit = { _ in loop.stop() }
/// try host.open()
/// loop.run()
/// host.close()
/// ```
///
/// ``TerminalApp`` does all of this, and the connection to a hub. While nothing changes, the host makes no system call.
/// `q`, Ctrl-D and Ctrl-C end the program, Ctrl-L draws anew, Ctrl-Z suspends; characters and Ctrl-D only where no text
/// is edited.
public final class TerminalHost {
  /// The end that the user or a signal asks for.
  public enum End: Equatable, Sendable {
    /// `q` or Ctrl-D: once everything is done.
    case quit
    /// Ctrl-C or a signal: at once.
    case interrupt
  }

  /// The time between two frames: more cannot be seen, and a busy hub must not keep the terminal busy.
  private static let frameTime = Duration.milliseconds(16)

  /// Called when the user or a signal wants to end the program. Set it before `open`.
  public var onQuit: ((End) -> Void)?
  /// Called before keys are handled; text that is not marked as pasted may be many at once.
  package var onKeys: (() -> Void)?
  /// True to handle only the keys that end, suspend or redraw the program.
  package var ignoresKeys = false
  private let loop: EventLoop
  private let tree: ViewTree
  private let theme: Theme
  private let takesMouse: Bool
  private var terminal: Terminal?
  private var keys: Poll?
  /// Reads keys that the poll does not announce.
  private var moreKeys: Timer?
  /// Runs until the screen changes by itself.
  private var changeTimer: Timer?
  /// Runs from one frame to the earliest time of the next one.
  private var frame: Timer?
  private var isFrameRunning = false
  private var mustDraw = false
  private var signals: [SignalWatch] = []
  private var isClosed = false

  /// Creates a host, which does not use the terminal yet.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the host and drain the main queue (`EventLoop.drainMainQueue`).
  ///   - view: The view.
  ///   - theme: The colours; none if the environment has NO_COLOR.
  ///   - takesMouse: True to report the mouse; the terminal then selects text only with Shift.
  /// - Throws: An error if the loop cannot watch signals.
  public init(on loop: EventLoop, _ view: some TerminalView, theme: Theme = .dark, takesMouse: Bool = true) throws {
    (self.loop, self.theme, self.takesMouse) = (loop, theme, takesMouse)
    tree = ViewTree(size: CanvasSize(rows: 24, columns: 80), now: loop.now)
    tree.show(view)
    tree.onChange = { [weak self] in self?.drawSoon() }
    tree.onUnhandledKey = { [weak self] in self?.unhandled($0) }
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { try watch(number) { $0.onQuit?(.interrupt) } }
  }

  /// True while the view is on the terminal.
  public var isOpen: Bool { terminal != nil }

  /// Takes over the terminal and shows the view. A host that was closed cannot be opened again.
  ///
  /// - Throws: An error if standard input or output is not a terminal, or one that ncurses does not know or cannot draw
  ///   on; or the loop's error.
  public func open() throws {
    precondition(!isClosed, "a closed host has no view any more; create another one")
    guard terminal == nil else { return }
    let terminal = try Terminal(theme: theme, takesMouse: takesMouse)
    self.terminal = terminal
    changeTimer = try Timer(on: loop) { [weak self] in self?.drawSoon() }
    frame = try Timer(on: loop) { [weak self] in self?.frameEnded() }
    moreKeys = try Timer(on: loop) { [weak self] in self?.readKeys() }
    let keys = try Poll(on: loop, descriptor: terminal.inputDescriptor) { [weak self] events in
      guard case .success = events else { return self?.onQuit?(.interrupt) ?? () }
      self?.readKeys()
    }
    try keys.start(.readable)
    self.keys = consume keys
    // After ncurses has installed its own handlers, so that these stay.
    try watch(SIGWINCH) { host in
      host.terminal?.resized()
      host.draw()
    }
    try watch(SIGTSTP) { host in
      host.terminal?.suspend()
      host.draw()
    }
    try watch(SIGCONT) { host in
      host.terminal?.resumed()
      host.draw()
    }
    draw()
  }

  private func watch(_ number: CInt, _ action: @escaping (TerminalHost) -> Void) throws {
    signals.append(
      try SignalWatch(on: loop, number) { [weak self] in
        if let self { action(self) }
      })
  }

  /// Restores the terminal. The view observes nothing any more.
  public func close() {
    isClosed = true
    tree.onChange = nil
    keys = nil
    moreKeys = nil
    changeTimer = nil
    frame = nil
    signals = []
    terminal?.close()
    terminal = nil
    tree.removeAll()
  }

  /// Shows a message in place of the help line: a bad one until the next key, another one for 5 s at most.
  public func say(_ text: String, isBad: Bool = false) { tree.say(text, isBad: isBad) }

  /// Shows why an action was refused, and what the store has in place of what was typed.
  package func actionRefused(_ reason: String) { tree.actionRefused(reason) }

  // MARK: Keys

  private func readKeys() {
    guard let terminal else { return }
    // One frame for all of them.
    isFrameRunning = true
    tree.now = loop.now
    onKeys?()
    let hasMore = terminal.readKeys { pressed($0) }
    // Not 0: libuv would fire it again before it polls, and show nothing from the hub until a long paste is read.
    if hasMore { moreKeys?.start(after: .milliseconds(1)) }
    draw()
  }

  private func pressed(_ key: Key) {
    switch key {
    case .control("c"): onQuit?(.interrupt)
    case .control("l"):
      terminal?.redraw()
      mustDraw = true
    case .control("z"): terminal?.requestStop()
    default:
      if ignoresKeys || !tree.press(key) { unhandled(key) }
    }
  }

  private func unhandled(_ key: Key) {
    if [.character("q"), .control("d")].contains(key) { onQuit?(.quit) }
  }

  // MARK: Drawing

  /// Draws now, or when the time for the next frame has come.
  private func drawSoon() {
    if isFrameRunning { mustDraw = true } else { draw() }
  }

  private func frameEnded() {
    isFrameRunning = false
    if mustDraw { draw() }
  }

  private func draw() {
    guard let terminal else { return }
    isFrameRunning = true
    (tree.now, tree.size) = (loop.now, terminal.size)
    // What changes after this is drawn at the next frame.
    mustDraw = false
    let grid = tree.draw()
    terminal.draw { canvas in grid.draw(on: &canvas) }
    if let time = tree.nextChange { changeTimer?.start(after: max(time - loop.now, .zero)) }
    frame?.start(after: Self.frameTime)
  }
}
