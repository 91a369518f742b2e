import ComposableArchitecture
import Features
import ReplicaCore
import Terminal
import TerminalViews
import Testing

/// A terminal's store: the screens are its own, the parts are the hub's, whose features run in place here.
@Suite struct TerminalFeatureTests {
  private var content: ScreenContent {
    var content = ScreenContent(connection: .live, path: "/run/hub.sock", now: .seconds(100))
    content.hasParts = true
    return content
  }

  private func terminal() -> StoreOf<TerminalFeature> {
    var state = TerminalFeature.State(content)
    state.counter = Counter.State()
    state.favourites = FavouriteNumbers.State()
    return Store(initialState: state) { TerminalFeature() }
  }

  @Test func aKeyIsAnActionOfThePartThatTheScreenShows() {
    let terminal = terminal()
    terminal.send(.pressed("+", content))
    #expect(terminal.counter?.count == 1 && terminal.screens.lastActionNumber == 1)
    terminal.send(.pressed("2", content))
    #expect(terminal.screens.tab == .todos && terminal.counter?.count == 1)
    // The todos are not attached, so there is nothing to change.
    for key in ["a", "x", .enter] as [Key] { terminal.send(.pressed(key, content)) }
    #expect(terminal.todos == nil && terminal.screens.lastActionNumber == 1)
    terminal.send(.pressed("q", content))
    guard case .quit = terminal.intent else {
      Issue.record("q did not quit")
      return
    }
  }

  @Test func nothingIsShownBeforeThePartsAreThere() {
    let terminal = terminal()
    var content = content
    content.hasParts = false
    terminal.send(.pressed("+", content))
    #expect(terminal.state.shown.parts == nil && terminal.counter?.count == 0)
  }

  /// What the hub has refused cannot be undone; what it may have done can.
  @Test(arguments: [
    (ActionError.rejected(code: 6, reason: "no"), 1), (.outcomeUnknown, 0),
  ]) func theOutcomeOfAnActionIsKnownToItsScreen(error: ActionError, count: Int) {
    let terminal = terminal()
    terminal.send(.pressed("+", content))
    terminal.send(.ended(number: terminal.screens.lastActionNumber, refusal: error))
    terminal.send(.contentChanged(content, size: nil))
    terminal.send(.pressed("u", content))
    #expect(terminal.counter?.count == count)
  }
}
