import ComposableArchitecture
import Features
import ReplicaCore
public import Terminal
import TerminalViews

/// A terminal without a hub: the test supplies its content and checks the actions that it sends.
struct TestTerminal {
  /// What a key did: an action that the terminal sent to the hub, or what the program must do.
  enum Effect: Equatable {
    case send(AppFeature.Action)
    case quit, interrupt, redraw, stop
    case showDetails(Activity.ID)
  }

  var screens = Screens()
  var content: ScreenContent
  /// The shared state; nil before the hub has sent it.
  var state: AppFeature.State? = AppFeature.State() { didSet { content.parts = state.map(parts) } }
  let rows: Int
  let columns: Int
  init(rows: Int = 12, columns: Int = 60) {
    content = ScreenContent(parts: nil, connection: .live, path: "/run/hub.sock", now: .seconds(100))
    (self.rows, self.columns) = (rows, columns)
    content.parts = state.map(parts)
  }

  private func parts(of state: AppFeature.State) -> SharedParts {
    SharedParts(counter: state.counter, favourites: state.favourites, todos: state.todos)
  }

  /// Presses a key as the program does; the screen shows the state before it.
  @discardableResult
  mutating func press(_ key: Key) -> Effect? {
    screens.follow(content, size: CanvasSize(rows: rows, columns: columns))
    switch screens.pressed(key, content) {
    case .send(let action): return .send(action)
    case .quit: return .quit
    case .interrupt: return .interrupt
    case .redraw: return .redraw
    case .stop: return .stop
    case .showDetails(let id): return .showDetails(id)
    case nil: return nil
    }
  }

  /// Changes the shared state as another client.
  mutating func change(_ change: (inout AppFeature.State) -> Void) {
    guard var state else { return }
    change(&state)
    self.state = state
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

nonisolated extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Converts a character to its key.
  public init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
