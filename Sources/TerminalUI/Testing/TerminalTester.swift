internal import IssueReporting

/// A terminal in memory that shows a view of a local store, for tests of views.
///
/// ```swift
/// let tester = TerminalTester(QueueView(store: store), rows: 12, columns: 40)
/// tester.press("down", "d", "enter")
/// tester.type("web server")
/// tester.expect("""
///   1 waiting
///
///   › web server  building
///   """)
/// ```
///
/// Time stands still, except for ``advance(by:)``.
public final class TerminalTester {
  private let tree: ViewTree
  private var shown: TextGrid?
  /// The keys, in order, that had no meaning for the view.
  public private(set) var unhandledKeys: [Key] = []

  /// Shows a view on a screen.
  ///
  /// - Parameters:
  ///   - view: The view.
  ///   - rows: The rows of the screen.
  ///   - columns: The columns of the screen.
  ///   - hasHelpLine: True to show the help line below the view, as a terminal does.
  public init(_ view: some TerminalView, rows: Int = 24, columns: Int = 80, hasHelpLine: Bool = false) {
    tree = ViewTree(size: CanvasSize(rows: rows, columns: columns))
    if hasHelpLine {
      tree.show(ScreenLayout(title: ViewGroup(), content: view))
    } else {
      tree.show(view)
    }
    tree.onUnhandledKey = { [weak self] in self?.unhandledKeys.append($0) }
  }

  /// The screen that a terminal shows by now. As there, it is drawn only after a key, a change that a view observes, a
  /// change of the size, or when a mark or a message disappears: a view that reads what it does not observe keeps its
  /// old text.
  public var screen: TextGrid {
    let isTime = tree.nextChange.map { $0 <= tree.now } ?? false
    if let shown, !tree.isOutdated, !isTime { return shown }
    let grid = tree.draw()
    shown = grid
    return grid
  }

  /// The lines of the screen.
  public var lines: [String] { screen.lines }

  /// Presses keys by their names (see `Key.init(name:)`). An unknown name is an issue of the test.
  public func press(
    _ names: String..., fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    for name in names {
      guard let key = Key(name: name) else {
        reportIssue("no key has the name '\(name)'", fileID: fileID, filePath: filePath, line: line, column: column)
        return
      }
      press(key)
    }
  }

  /// Presses a key, or does what a terminal reports in the same way: a paste or a click.
  public func press(_ key: Key) {
    _ = screen
    if !tree.press(key) { unhandledKeys.append(key) }
  }

  /// Presses the characters of a text.
  public func type(_ text: String) {
    for character in text { press(.character(character)) }
  }

  /// Changes the size of the terminal.
  public func resize(rows: Int, columns: Int) { tree.size = CanvasSize(rows: rows, columns: columns) }

  /// Lets time pass, after which marks and messages disappear.
  public func advance(by duration: Duration) { tree.now += duration }

  /// The help line in its longest form: the keys that have a meaning now.
  public var help: String {
    tree.bindings.filter { !$0.label.isEmpty }.map { "\($0.name) \($0.label)" }.joined(separator: "   ")
  }

  /// Compares the screen with the expected lines, and reports a difference as an issue of the test.
  public func expect(
    _ expected: String, styled: Bool = false, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    expectScreen(
      screen, expected, styled: styled, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
