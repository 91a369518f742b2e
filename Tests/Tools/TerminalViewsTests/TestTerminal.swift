import Features
import ReplicaCore
package import Terminal
import TerminalViews

/// A terminal without a hub: the test supplies its content and checks the actions that it sends.
struct TestTerminal {
  var screens = Screens()
  var content: ScreenContent
  let rows: Int
  let columns: Int

  init(rows: Int = 12, columns: Int = 60) {
    content = ScreenContent(state: AppFeature.State(), connection: .live, path: "/run/hub.sock", now: .seconds(100))
    (self.rows, self.columns) = (rows, columns)
  }

  /// Presses a key as the program does; the screen shows the state before it.
  @discardableResult
  mutating func press(_ key: Key) -> Screens.Intent? {
    screens.follow(content, size: CanvasSize(rows: rows, columns: columns))
    return screens.pressed(key, content)
  }

  /// Changes the shared state as another client.
  mutating func change(_ change: (inout AppFeature.State) -> Void) {
    content.state.modifyIfPresent(change)
    screens.follow(content)
  }

  var lines: [String] { drawn.lines }
  var reversed: [String] { drawn.reversed }
  var highlighted: [String] { drawn.highlighted }

  private var drawn: StyledGrid {
    var grid = StyledGrid(rows: rows, columns: columns)
    screens.draw(content, on: &grid)
    return grid
  }
}

extension Optional {
  fileprivate mutating func modifyIfPresent(_ change: (inout Wrapped) -> Void) {
    guard var value = self else { return }
    change(&value)
    self = value
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Converts a character to its key.
  public init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
